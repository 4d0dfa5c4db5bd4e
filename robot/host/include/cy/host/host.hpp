// Everything between the link and the controllers, for all robots of one agent.
//
//   datagram → Listener → Desk (once each) → ControlDesk (lease, arm, stop, gate) → Driver → bytes
//   bytes → Driver → part states → ControlDesk's senses, RobotStatus → every session
//
// Pure: the shell (apps/cy-agent) brings datagrams, channel bytes and the time, and carries out
// what drain() and flush() give it. All calls from one thread.
#pragma once

#include <cy/base/version.hpp>
#include <cy/command/desk.hpp>
#include <cy/drivers/drivers.hpp>
#include <cy/model/driver.hpp>
#include <cy/safety/control.hpp>
#include <cy/session/listener.hpp>
#include <cy/tasks/task.hpp>

namespace cy::host {

struct RobotOptions {
  std::string name;
  std::string driver;
  std::string address;
  unsigned baud{};
  std::vector<std::pair<std::string, std::string>> settings;  // the driver's own keys
  ControlOptions control;
};

struct HostOptions {
  std::string name = "agent";
  std::string software = cy::software();
  session::ListenerOptions listener;
  command::DeskOptions desk;
  std::vector<RobotOptions> robots;
  Duration refresh = 500ms;  // states are said again this often, as one may have been lost
  Duration pulse = 1s;
  // When the picture of this number was taken that somebody drives this robot by; none: too long ago
  // to be known, or never. Empty: the agent has no pictures, and set-points are as old as their echo.
  std::function<std::optional<Time>(RobotId robot, std::uint32_t picture)> captured_at;
};

// What a trusted station may do at most.
struct Trusted {
  std::string name;
  Role role = Role::observer;
};
// Why a key is not trusted: in words for the person at the other end.
using Trust = std::function<tl::expected<Trusted, std::string>(seal::PublicKey const&)>;

// What a record in the black box is about.
enum class Topic : std::uint8_t { link, command, control, device_in, device_out, note };
constexpr auto names(Topic) {
  return std::array<std::string_view, 6>{"link", "command", "control", "device/in", "device/out", "note"};
}

// For a device: open, close, set_baud or transmit.
struct ChannelEffect {
  DeviceId device;
  std::variant<driver::Open, driver::Close, driver::SetBaud, driver::Transmit> what;
};
struct SessionOpened {
  session::SessionId session;
  std::string name;
};
struct SessionGone {
  session::SessionId session;
};
// A message that is not the host's; an event of such a kind must be ended by end_foreign().
struct Foreign {
  session::SessionId session;
  std::optional<CommandId> event;
  wire::Body message;
  Role role = Role::observer;  // of the person behind an event; else of the station
};
struct Record {
  Topic topic{};
  std::uint16_t about{};  // device or session
  Buffer bytes;
};
struct Log {
  bool warning{};
  std::string text;
};
using Effect = std::variant<ChannelEffect, SessionOpened, SessionGone, Foreign, Record, Log>;

class Host {
 public:
  // Faults name the robot whose driver or settings are wrong.
  static Result<std::unique_ptr<Host>> make(seal::KeyPair const& own, Trust trust, HostOptions options,
                                            session::Entropy entropy, Seed seed, Time now);

  void start(Time now);
  void on_datagram(MutableBytes datagram, Endpoint from, Time now, session::Outbox& out);
  void on_channel_opened(DeviceId device, Channel channel, Time now);
  void on_channel_closed(DeviceId device, Channel channel, std::string_view why, Time now);
  void on_channel_bytes(DeviceId device, Channel channel, Bytes bytes, Time now);
  void on_time(Time now);
  std::optional<Time> deadline() const;

  // Takes the driver's stop to every controller, latched. For a broken invariant, and shutdown.
  void stop_all(std::string_view why, Time now);
  // Stops and closes every controller in order and says goodbye; done when closed().
  void close(Time now);
  bool closed() const;

  // Puts what is due into the links; the owner may then post its own, and calls flush.
  void fill(Time now);
  void flush(Time now, session::Outbox& out);
  void drain(std::vector<Effect>& into);

  // For what the owner sends itself (pictures): null when the session is over.
  session::Link* link(session::SessionId session) { return listener_.find(session); }
  void end_foreign(session::SessionId session, CommandId event, Ending ending, Refusal why, Time now);
  session::Drops drops() const { return listener_.drops(); }
  Inventory inventory() const;
  // Whether Records reach a disk; every session is told.
  void set_black_box(bool on) { black_box_ = on; }

 private:
  struct Reading {
    Origin origin{};
    Time at;
    wire::Body state;
  };
  struct RunningTask {
    TaskRun run;
    std::unique_ptr<Task> task;
  };
  struct RobotEntry {
    RobotOptions options;
    DeviceId device;
    RobotId id;
    std::unique_ptr<Driver> driver;
    std::unique_ptr<ControlDesk> control;
    CommandId motors_asked{};  // the desk's own order to switch them
    DeviceState device_state;
    std::optional<RobotInfo> info;
    std::map<std::uint16_t, Reading> readings;  // by part
    std::uint32_t status_number = 0;
    Time next_refresh{};
    Trail trail;
    std::optional<RunningTask> task;
    TaskState task_state;
  };
  struct SessionEntry {
    command::Desk desk;
    Trusted trusted;
    bool fresh = true;  // has not been told everything yet
  };
  struct Origin_ {
    session::SessionId session;
    CommandId id;
  };

  Host(seal::KeyPair const& own, Trust trust, HostOptions options, session::Entropy entropy, Seed seed,
       Time now);

  void on_message(session::SessionId session, wire::Raw message, Time now);
  void on_event(session::SessionId session, Event const& event, Time now);
  void on_agent_event(session::SessionId session, Event const& event, Time now);
  void on_set_point(session::SessionId session, SetPoint const& set_point, Time now);
  void end(session::SessionId session, CommandId id, Ending ending, Refusal why,
           std::optional<wire::Body> reply, Time now);
  void on_session_events(Time now);
  // Lets every control desk order what fell due before `now`, and its driver hear it, before that hears
  // of anything newer: after a freeze a stop comes first.
  void catch_up(Time now);
  // Runs drivers, controls and tasks until nothing is left to do.
  void settle(Time now);
  bool settle_driver(RobotEntry& robot, Time now);
  bool settle_control(RobotEntry& robot, Time now);
  void apply(RobotEntry& robot, driver::Effect& effect, Time now);
  void apply(RobotEntry& robot, control::Effect& effect, Time now);
  void begin_task(RobotEntry& robot, control::BeginTask const& begin, Time now);
  void end_task(RobotEntry& robot, TaskPhase phase, std::string_view why, Time now);
  void run_task(RobotEntry& robot, Time now);
  void send_status(RobotEntry& robot, Time now);
  void tell(wire::Body const& message);
  void record(Topic topic, std::uint16_t about, Bytes bytes);
  void log(bool warning, std::string text);
  RobotEntry* robot_of(Resource resource);
  RobotEntry& device_entry(DeviceId device);
  Person person_of(session::SessionId session, PersonId person) const;

  HostOptions options_;
  session::Listener listener_;
  People people_;
  std::map<session::SessionId, SessionEntry> sessions_;
  std::vector<RobotEntry> robots_;
  std::map<std::uint64_t, Origin_> under_way_;  // by the id that the driver knows
  std::uint64_t next_driver_command_ = 1;
  std::uint32_t inventory_revision_ = 1;
  Time started_;
  Time next_pulse_;
  bool closing_ = false;
  bool black_box_ = false;
  std::vector<driver::Effect> driver_effects_;
  std::vector<control::Effect> control_effects_;
  std::vector<Effect> effects_;
};

}  // namespace cy::host
