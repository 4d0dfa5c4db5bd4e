// SYNC0, SYNC1, SYNC2 with a controller in whatever state it is: switched off, still open from an
// earlier client, just reset, at another baud.
//
//   sends STOP, then SYNC0 ─echo─► SYNC1 ─echo─► SYNC2 ─name, class, sub-class─► Done
//
// The STOP comes first because a controller that is still open may still be moving; one that waits
// for SYNC0 ignores it, or answers with an echo. After such an echo AMRISim takes what follows for
// commands and answers no SYNC any more: it begins anew on a new channel, without the STOP. That
// leaves nothing moving, since only a controller without a session echoes.
//
// Silence for 1 s is tried again; on a serial line at the other bauds too, with a CLOSE before; then
// an OPEN "to dislodge" (ARIA's way). Reports instead of an echo: CLOSE, and begin again. 0xFE or
// 0xFF: it was reset, begin again. Another echo than asked for: begin again.
#pragma once

#include <cy/base/time.hpp>
#include <cy/codec/arcos.hpp>

#include <string>
#include <variant>

namespace cy::arcos {

class Handshake {
 public:
  struct Send {
    Buffer bytes;
  };
  struct UseBaud {
    unsigned baud;
  };
  struct Remark {
    std::string text;
  };
  struct Done {
    Identity identity;
  };
  struct Failed {
    std::string step;
    std::string what;
  };
  struct Reopen {};  // the STOP was taken for a SYNC: once more on a new channel, without it
  using Effect = std::variant<Send, UseBaud, Remark, Done, Failed, Reopen>;

  static constexpr Duration patience = 1s;       // for each echo
  static constexpr Duration probing = 400ms;     // at each baud that was not asked for
  static constexpr Duration drain_time = 250ms;  // after CLOSE: what was under way runs out
  static constexpr unsigned silences_max = 6;
  static constexpr unsigned tries_max = 50;

  // `baud` 0: not a serial line.
  explicit Handshake(unsigned baud) : baud_asked_(baud), baud_(baud) {}

  enum class First : std::uint8_t { stop, sync };

  void start(First first, Time now);
  // From the beginning, STOP first.
  void restart(Time now);
  void on_packet(Bytes payload, Time now);
  void on_time(Time now);
  std::optional<Time> deadline() const { return due_; }
  std::string_view step() const;
  unsigned baud() const { return baud_; }
  std::vector<Effect> drain() { return std::exchange(effects_, {}); }

 private:
  enum class Step { idle, first, second, third, draining, over };

  void sync(Step step, Time now);
  void again(Duration pause, Time now);
  void silent(Time now);
  void fail(std::string what);

  unsigned baud_asked_, baud_;
  Step step_{Step::idle};
  std::optional<Time> due_;
  unsigned silences_{}, tries_{};
  bool heard_{};        // something whole, at this baud
  bool stop_echoed_{};  // it may count on from there
  std::string last_;
  std::vector<Effect> effects_;
};

}  // namespace cy::arcos
