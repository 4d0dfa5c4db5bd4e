// The driver of Pioneer robots with an ARCOS, AROS or P2OS controller, over TCP or a serial line.
//
//   closed ─start─► opening ─► greeting ─► configuring ─first SIP─► ready ─close()─► closing ─► closed
//                      ▲          │             │                    │
//                      └─waiting ◄┴─────────────┴────────────────────┘   (1 s, 2 s, … 30 s)
//
// Motion. A set-point becomes VEL in whole mm/s and RVEL in whole deg/s, rounded to the nearest (so
// that turning slower than 0.5 deg/s is no turning), within the robot's limits; it is repeated
// while it lives and ended by a STOP at its deadline. STOP is also the first thing that a
// controller hears after any gap: a new channel, no report for 300 ms, or this driver not being
// called for half of the controller's watchdog. That matters because a controller whose watchdog
// ran out takes up its last speeds again with the next packet, whatever it is (maker's manual).
//
// Stop: category 2 is STOP and zero speeds; category 1 is E_STOP, then ENABLE 0 at rest or after
// 2 s; category 0 is ENABLE 0 at once and E_STOP. Each is repeated until the reports agree.
//
// Endings: Motors ends when the reports agree with it, or after 1 s; a set-point and everything
// else when its last bytes went out.
//
// Protocol facts are the maker's manuals' and what ARIA and Player are seen to do.
#pragma once

#include <cy/codec/arcos.hpp>
#include <cy/model/driver.hpp>

#include "generation.hpp"
#include "handshake.hpp"
#include "odometry.hpp"
#include "options.hpp"
#include "outbox.hpp"
#include <map>

namespace cy {

class Arcos final : public Driver {
 public:
  static constexpr Duration silence_stop = 300ms;    // without a SIP: motion ends
  static constexpr Duration silence_lost = 8s;       // without a SIP: the connection is given up
  static constexpr Duration motors_patience = 1s;    // for FLAGS to follow ENABLE
  static constexpr Duration rest_patience = 2s;      // category 1: power goes after this, at rest or not
  static constexpr Duration close_patience = 500ms;  // for rest and motors off, before the session ends
  // mm/s; a resting P3-DX reports a few of encoder noise
  static constexpr int rest_speed = 20;
  static constexpr Duration sonar_patience = 2s;  // enabled sonars without a reading are silent
  // For the rest of a frame. Shorter than the pause between two reports, or noise that looks like
  // the head of a long frame would swallow report after report.
  static constexpr Duration frame_patience = 50ms;
  static constexpr Duration retry_first = 1s, retry_last = 30s;

  Arcos(DriverConfig config, arcos::Options options);

  void start(Time now) override;
  void on_opened(Channel channel, Time now) override;
  void on_closed(Channel channel, std::string_view why, Time now) override;
  void on_bytes(Channel channel, Bytes bytes, Time now) override;
  void on_command(Command const& command, Time now) override;
  void on_time(Time now) override;
  std::optional<Time> deadline() const override;
  void on_stop(StopKind kind, Time now) noexcept override;
  void close(Time now) override;
  bool closed() const override { return ended_; }
  void drain(std::vector<driver::Effect>& into) override;

 private:
  // ---- states: each owns what only it needs ------------------------------------------------
  struct Closed {};
  struct Waiting {
    Time until;
  };
  struct Opening {};
  struct Greeting {
    arcos::Handshake handshake;
    bool stopped{};  // begun anew for a stop
  };
  struct Configuring {
    enum class Step { pause, config, baud_ordered, baud_set, baud_heard, settings, read_back, sip };
    Step step{};
    Time since{};  // OPEN
    Time due{};    // when the step moves on
    Time ask{};    // when CONFIG is asked for again
  };
  struct Ready {};
  struct Closing {
    enum class Step { rest, power, session, channel };
    Step step{};
    Time due{};
  };
  using State = std::variant<Closed, Waiting, Opening, Greeting, Configuring, Ready, Closing>;

  // arcos.cpp: the connection
  void become(State next, std::string step, std::string trouble, Time now);
  DevicePhase phase() const;
  bool online() const;  // the controller has a session with us
  void open(Time now);
  void fail(std::string step, std::string trouble, Time now);
  Duration pause() const;
  void greet(Time now);
  void begin_session(arcos::Identity const& identity, Time now);
  void configure(Time now);
  void settle(Time now);
  void send_settings();
  void compare_settings();
  std::string differing_settings() const;
  void ready(Time now);
  void close_in_order(Time now);
  void before(Time now);
  void after(Time now);
  void pump(Time now);
  void transmit(Buffer bytes, Time now);
  // Trouble that does not end the connection: shown until it is over, when what the settings said
  // comes back.
  enum class Worry { none, reports, motors, stopping };
  void worry(Worry what, std::string text, Time now);
  void relieve(Worry what, Time now);
  void note(std::string text) { effects_.push_back(driver::Note{std::move(text)}); }

  // motion.cpp: what moves and what stops
  void halt(Refusal why, Time now);
  Refusal drive(Command const& command, Time now);
  Refusal motors(Command const& command, Time now);
  Refusal other(Command const& command, Time now);
  void stop(StopKind kind, Time now);
  void keep_stopping(Time now);
  void watch_motors(Time now);
  void watch_motion(Time now);
  void end_live(Time now);
  void motors_changed(bool on, Time now);
  void applied(CommandId id) { effects_.push_back(driver::Applied{id}); }
  void refused(CommandId id, Refusal why) { effects_.push_back(driver::Refused{id, why}); }
  void refuse_waiting(Refusal why);
  void queue(arcos::Order order, Buffer bytes, CommandId id = {});
  Duration keep_alive() const;
  Duration watchdog() const;

  // reports.cpp: what the controller says, in the model's terms
  void on_packet(Bytes payload, Time now);
  void on_sip(arcos::Sip const& sip, Time now);
  void on_battery(arcos::Battery const& battery);
  void report_sonars(arcos::Sip const& sip, Time now);
  void report_bumpers(arcos::Sip const& sip);
  void report_power(arcos::Sip const& sip);
  void report_gyro(arcos::Gyro const& gyro);
  void report_encoder(arcos::Encoder const& encoder);
  void report_io(arcos::Io const& io);
  bool sonar_present(std::size_t disc) const;
  unsigned front_bumpers() const;
  unsigned rear_bumpers() const;
  void describe();
  BaseLimits limits() const;
  void report_device(Time now);
  DeviceState device_state() const;
  template <wire::Message M>
  void observed(PartId part, M const& state) {
    effects_.push_back(driver::Observed{config_.first_robot, part, Origin::measured, wire::body_of(state)});
  }
  void count(std::string_view reason) { ++counters_[std::string(reason)]; }

  // ---- for good ------------------------------------------------------------------------------
  DriverConfig const config_;
  arcos::Options const options_;
  Channel const channel_{0};
  std::vector<driver::Effect> effects_;
  std::map<std::string, std::uint64_t> counters_;
  arcos::Odometry odometry_;
  bool ended_{};

  // ---- the connection ------------------------------------------------------------------------
  State state_;
  std::string step_, trouble_, settings_trouble_;
  Worry worry_{};
  std::uint32_t attempt_{};
  bool channel_open_{};
  // On the next channel. Anything but a STOP only right after a controller has echoed one.
  arcos::Handshake::First greet_with_{};
  unsigned baud_{};
  arcos::Framer framer_;
  Time last_byte_{}, last_sent_{}, last_sip_{};
  bool sip_seen_{};
  std::optional<arcos::Identity> identity_;
  arcos::Generation const* generation_{};
  std::optional<arcos::Config> settings_;  // the controller's own
  std::optional<Time> device_due_;
  DeviceState device_sent_;
  Time device_sent_at_{};

  // ---- motion --------------------------------------------------------------------------------
  struct Live {
    int velocity{}, rotation{};
    Time until;
    Time again;
  };
  struct Stopping {
    StopKind kind{};
    Time since, again;
  };
  struct MotorsAsked {
    CommandId id;
    bool on{};
    Time again, until;
    std::optional<Time> sent;
  };
  arcos::Outbox outbox_;
  std::optional<Live> live_;
  std::optional<Stopping> stopping_;
  std::optional<MotorsAsked> motors_asked_;
  bool stale_{};  // reports are overdue

  // ---- what was last reported ------------------------------------------------------------------
  bool motors_on_{}, stop_button_{}, moving_{}, at_rest_{true};
  std::array<std::optional<Time>, arcos::sonar_count> heard_at_{};
  std::array<std::uint16_t, arcos::sonar_count> ranges_{};
  std::optional<Time> sonar_enabled_at_;
  bool sonar_silent_{};
  bool compass_seen_{};
  std::optional<double> charge_fraction_;  // from battery packets
  std::optional<arcos::Encoder> encoder_;
  EncoderState encoder_total_;
  double gyro_zero_{512.0};
};

}  // namespace cy
