// One live session with one peer, after the handshake: its datagrams, heartbeats, state and
// statistics. Both ends use it alike.
//
//   in:   datagram → open (authentic, new) → link's own messages handled → the rest to the owner
//   out:  post(message)… → flush: filled into datagrams, stamped, sealed, into the Outbox
//
// Thread: none of its own; every call from one thread. No call fails except by a counted Drop.
#pragma once

#include <cy/base/time.hpp>
#include <cy/seal/clear.hpp>
#include <cy/seal/transport.hpp>
#include <cy/session/datagram.hpp>
#include <cy/session/messages.hpp>

#include <deque>
#include <map>
#include <variant>

namespace cy::session {

enum class LinkState : std::uint8_t { connecting, up, late, lost, gone };
constexpr auto names(LinkState) {
  return std::array<std::string_view, 5>{"connecting", "up", "late", "lost", "gone"};
}

struct LinkOptions {
  Duration heartbeat = 50ms;    // three fit into `late`, so that one loss is not yet lateness
  Duration late = 150ms;        // DESIGN: speed is capped from here on
  Duration lost = 500ms;        // motion by hand stops
  Duration gone = 3s;           // the robot's policy runs, the session is over
  Duration rekey = 120s;        // as WireGuard
  std::size_t datagram = 1200;  // bytes of UDP payload; passes every path that IPv6 allows
};

// What a message in fragments may have, head and all: both sides hold it in memory.
inline constexpr std::size_t max_message = 256 * 1024;  // bytes

struct LinkStatistics {
  std::optional<Duration> rtt;      // smoothed as RFC 6298
  std::optional<Duration> rtt_min;  // the least of the last 10 to 20 s
  Duration jitter{};                // RFC 3550 §6.4.1
  double loss{};                    // share of the peer's last 256 datagrams that did not come
  double loss_there{};              // share of all of ours that did not come to the peer, as it says
  std::uint64_t received{}, sent{};
  std::uint64_t bytes_in{}, bytes_out{};
  std::uint64_t missing{};
  // Peer's clock minus ours, modulo 2^32 µs, from the round trip of rtt_min: clocks drift apart, so an
  // old one would not do. For display only.
  std::optional<Duration> clock_offset;
};

struct SealedKeys {
  seal::Sealer sealer;
  seal::Opener opener;
};
struct ClearKeys {
  seal::ClearSealer sealer;
  seal::ClearOpener opener;
};
using Keys = std::variant<SealedKeys, ClearKeys>;

class Link {
 public:
  // `own_index`: where the peer sends to; `peer_index`: where we do.
  Link(Keys keys, std::uint32_t own_index, std::uint32_t peer_index, Endpoint peer,
       LinkOptions const& options, Time now);

  // The messages for the owner, inside `datagram`; nothing when it was dropped or had none.
  std::optional<Bytes> on_datagram(MutableBytes datagram, Endpoint from, Time now);
  void on_time(Time now);
  std::optional<Time> deadline() const;

  // Queues a message for the next flush; longer ones than a datagram go as fragments, and those beyond
  // max_message not at all: they are counted among the drops.
  template <wire::Message M>
  void post(M const& message) {
    auto const size = wire::size_of(message);
    if (size <= capacity()) {
      auto const room = make_room(size);
      wire::encode(message, room);
    } else {
      post_fragments(wire::encoded(message));
    }
  }
  void post(wire::Raw message);
  // How many more bytes the datagram that is being filled can take; its capacity when none is.
  std::size_t room_left() const;
  bool has_posted() const { return !packets_.empty(); }
  void flush(Time now, Outbox& out);

  // Says so three times and ends.
  void close(std::string_view why, Time now, Outbox& out);

  struct Became {
    LinkState state;
    std::string why;
  };
  // State changes since the last call.
  std::vector<Became> take_changes() { return std::exchange(changes_, {}); }

  LinkState state() const { return state_; }
  Endpoint const& peer() const { return peer_; }
  std::uint32_t own_index() const { return own_index_; }
  LinkStatistics statistics() const;
  Drops const& drops() const { return drops_; }
  // The newest time stamp of the peer's, to be echoed; nothing before the first datagram.
  std::optional<std::uint32_t> peer_stamp() const { return peer_stamp_; }
  Time last_heard() const { return last_heard_; }
  bool confirmed() const { return statistics_.received > 0; }
  bool sealed() const { return std::holds_alternative<SealedKeys>(keys_); }
  // Bytes of messages that fit into one datagram.
  std::size_t capacity() const { return options_.datagram - overhead; }

 private:
  struct Packet {
    std::array<std::uint8_t, max_datagram> bytes;
    std::size_t size;
  };
  void become(LinkState next, std::string why);
  void handle(wire::Raw message, Time now);
  void measure_round_trip(Heartbeat const& beat, Time now);
  void measure_arrival(std::uint64_t sequence, std::uint32_t stamp, Time now);
  void on_fragment(Fragment fragment);
  MutableBytes make_room(std::size_t size);
  void post_fragments(Bytes message);
  void seal_and_add(Packet& packet, Time now, Outbox& out);

  Keys keys_;
  std::uint32_t own_index_, peer_index_;
  Endpoint peer_;
  LinkOptions options_;

  LinkState state_ = LinkState::up;
  std::vector<Became> changes_;
  Time last_heard_;
  Time next_heartbeat_;
  Time next_rekey_;
  std::optional<std::uint32_t> peer_stamp_;
  Time peer_stamp_at_{};
  std::uint64_t highest_ = 0;  // one more than the highest sequence received
  std::optional<std::int32_t> transit_us_;
  std::uint32_t history_[8] = {};  // one bit for each of the last 256 sequence numbers
  LinkStatistics statistics_;
  struct RoundTrip {
    Duration rtt, clock_offset;
  };
  std::optional<RoundTrip> best_, best_before_;  // of this window, of the one before
  Time best_until_{};
  Drops drops_;

  std::vector<Packet> packets_;
  std::uint32_t next_fragmented_ = 1;
  struct Partial {
    std::vector<Buffer> pieces;
    std::size_t have = 0, bytes = 0;
  };
  std::map<std::uint32_t, Partial> partials_;
  Buffer messages_;  // what the owner gets when the link's own messages had to be taken out
};

}  // namespace cy::session
