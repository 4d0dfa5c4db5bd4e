// Who may move what: persons, leases, arming, stopping, tasks, and the state that shows it all.
//
// All commands here travel in an Event (command/messages.hpp). Introduce and Dismiss address
// resource 0, the agent; the rest address a robot. Stop, ReleaseStop and StopTask need no lease.
#pragma once

#include <cy/command/messages.hpp>
#include <cy/model/driver.hpp>
#include <cy/wire/codec.hpp>

namespace cy {

// What a person may do, vouched for by the station and bounded by what the agent trusts that
// station with. Each includes those before it. Every role may stop.
enum class Role : std::uint8_t { observer, operator_, editor, manager };
constexpr auto names(Role) {
  return std::array<std::string_view, 4>{"observer", "operator", "editor", "manager"};
}
constexpr bool known(Role role) {
  return role <= Role::manager;
}

// Names one session of a station for as long as the agent runs; never given out twice.
using StationId = Id<struct StationTag, std::uint32_t>;

// ---- persons -----------------------------------------------------------------------------

// A person at this station. Introducing the same one again changes name and role; a role that
// sinks below operator ends what the person holds.
struct Introduce {
  static constexpr wire::Head head{0x2000, wire::Family::command, "introduce"};
  PersonId person;
  std::string name;
  Role role{};
  static constexpr auto fields() {
    return std::tuple{wire::field("person", &Introduce::person), wire::field("name", &Introduce::name),
                      wire::field("role", &Introduce::role)};
  }
};

// The person has left the station.
struct Dismiss {
  static constexpr wire::Head head{0x2001, wire::Family::command, "dismiss"};
  PersonId person;
  static constexpr auto fields() { return std::tuple{wire::field("person", &Dismiss::person)}; }
};

// ---- the lease ---------------------------------------------------------------------------

// Asks for control of the robot. Free: granted. Held by another: refused (busy) and shown to the
// holder as a wish, unless a manager asks with `takeover`.
struct RequestLease {
  static constexpr wire::Head head{0x2010, wire::Family::command, "request_lease"};
  bool takeover{};
  std::string why;  // shown to the holder
  static constexpr auto fields() {
    return std::tuple{wire::field("takeover", &RequestLease::takeover),
                      wire::field("why", &RequestLease::why)};
  }
};

// The reply to a granted RequestLease. A lease that was handed over is seen in ControlState.
struct LeaseGranted {
  static constexpr wire::Head head{0x2011, wire::Family::report, "lease_granted"};
  LeaseId lease;
  LeaseId superseded;  // none: the robot was free
  static constexpr auto fields() {
    return std::tuple{wire::field("lease", &LeaseGranted::lease),
                      wire::field("superseded", &LeaseGranted::superseded)};
  }
};

struct ReleaseLease {
  static constexpr wire::Head head{0x2012, wire::Family::command, "release_lease"};
  static constexpr auto fields() { return std::tuple{}; }
};

// The holder hands control to somebody who wished for it.
struct GrantLease {
  static constexpr wire::Head head{0x2013, wire::Family::command, "grant_lease"};
  StationId station;  // as listed in ControlState's wishes
  PersonId person;
  static constexpr auto fields() {
    return std::tuple{wire::field("station", &GrantLease::station),
                      wire::field("person", &GrantLease::person)};
  }
};

// ---- driving and stopping ----------------------------------------------------------------

// Why a robot is not armed, or no longer.
enum class DisarmReason : std::uint8_t {
  none,
  start,             // the agent has just begun
  person,            // somebody disarmed it
  stop,              // the stop was pressed
  set_points_stale,  // the dead man's handle: nothing fresh in time
  focus_lost,        // the page lost its focus
  page_hidden,
  pad_lost,  // the gamepad went away or repeats itself
  link_lost,
  link_gone,
  lease_lost,  // released, handed over, taken or expired
  role,        // the person may no longer drive
  data_stale,  // the robot's own measurements stopped coming
  device_not_ready,
  motors_off,
  stall,
  bumper,
  stop_button,  // the one on the robot
  task,         // a task drives
  task_ended,
  policy,   // the robot's own answer to a lost link
  internal  // the agent found something wrong with itself
};
constexpr auto names(DisarmReason) {
  return std::array<std::string_view, 22>{"none",
                                          "just started",
                                          "disarmed by a person",
                                          "stopped",
                                          "set-points stale",
                                          "focus lost",
                                          "page hidden",
                                          "gamepad lost",
                                          "link lost",
                                          "link gone",
                                          "lease lost",
                                          "role",
                                          "robot's data stale",
                                          "device not ready",
                                          "motors off",
                                          "stall",
                                          "bumper",
                                          "stop button on the robot",
                                          "task",
                                          "task ended",
                                          "policy on a lost link",
                                          "internal fault"};
}

// A fresh arm by the lease's holder. Accepted only after the stop is released and while the input
// is neutral: the last set-point was zero, or none came for a while. The motors are switched on.
struct Arm {
  static constexpr wire::Head head{0x2020, wire::Family::command, "arm"};
  // Of the newest ControlState that the person saw. An arm that was given before the robot was
  // disarmed arms nothing.
  std::uint32_t revision{};
  static constexpr auto fields() { return std::tuple{wire::field("revision", &Arm::revision)}; }
};

// The holder ends hand driving in order; a task or a policy runs on. The page says why:
// focus_lost, page_hidden, pad_lost, person.
struct Disarm {
  static constexpr wire::Head head{0x2021, wire::Family::command, "disarm"};
  DisarmReason reason{};
  std::string why;
  static constexpr auto fields() {
    return std::tuple{wire::field("reason", &Disarm::reason), wire::field("why", &Disarm::why)};
  }
};

// Stops, latches and takes the driver's lease. Any role, no lease. At resource 0: every robot.
struct Stop {
  static constexpr wire::Head head{0x2022, wire::Family::command, "stop"};
  StopKind kind{StopKind::category_2};
  std::string why;
  static constexpr auto fields() {
    return std::tuple{wire::field("kind", &Stop::kind), wire::field("why", &Stop::why)};
  }
};

// An operator releases a confirmed stop. Moves nothing: driving needs a lease and a fresh arm.
struct ReleaseStop {
  static constexpr wire::Head head{0x2023, wire::Family::command, "release_stop"};
  std::uint32_t revision{};  // as in Arm: a stop that the person had not seen is not released
  static constexpr auto fields() { return std::tuple{wire::field("revision", &ReleaseStop::revision)}; }
};

enum class Mode : std::uint8_t {
  disarmed,
  armed,     // the next set-point moves it
  driving,   // by hand
  stopping,  // latched, and not confirmed yet
  stopped,   // latched and confirmed
  task,
  policy
};
constexpr auto names(Mode) {
  return std::array<std::string_view, 7>{"disarmed", "armed", "driving", "stopping",
                                         "stopped",  "task",  "policy"};
}

// What holds the speed down most.
enum class CapReason : std::uint8_t {
  none,
  robot_limits,
  loop_age,
  sonar_guard,
  link_late,
  data_stale,
  configuration,
  stop,
  sonar_silent
};
constexpr auto names(CapReason) {
  return std::array<std::string_view, 9>{"none",       "robot limits", "loop age",
                                         "obstacle",   "link late",    "robot's data stale",
                                         "configured", "stop",         "sonar silent"};
}

// Somebody who would like to have the lease.
struct Wish {
  StationId station;
  PersonId person;
  std::string name;
  Role role{};
  std::string why;
  static constexpr auto fields() {
    return std::tuple{wire::field("station", &Wish::station), wire::field("person", &Wish::person),
                      wire::field("name", &Wish::name), wire::field("role", &Wish::role),
                      wire::field("why", &Wish::why)};
  }
};

// How one robot is controlled: sent on every change and with every status.
struct ControlState {
  static constexpr wire::Head head{0x2030, wire::Family::status, "control_state"};
  Resource resource;
  std::uint32_t revision{};  // counts changes of mode, lease and stop up from 1
  Mode mode{};
  DisarmReason reason{};  // why it is not armed, or was disarmed last
  std::string why;        // the same in words, with what to do
  bool stop_latched{};
  bool stop_confirmed{};   // measured standing still and, for categories 0 and 1, motors off
  StopKind stop_kind{};    // of the latched stop
  std::string stopped_by;  // who or what
  LeaseId lease;           // none: free
  StationId holder_station;
  PersonId holder_person;
  std::string holder_name;
  Role holder_role{};
  std::vector<Wish> wishes;
  Twist permitted;       // what the gate let through last; zero when that is over
  double cap_linear{};   // m/s, in the direction of the last set-point
  double cap_angular{};  // rad/s
  CapReason cap_reason{};
  double guard_distance{};  // m, to the nearest obstacle that matters; negative: none known
  std::uint32_t loop_age_us{};
  std::uint16_t lifetime_ms{};  // what was left of the last set-point when it came
  bool neutral_seen{};          // an Arm would be accepted as far as the input goes
  static constexpr auto fields() {
    return std::tuple{wire::field("resource", &ControlState::resource),
                      wire::field("revision", &ControlState::revision),
                      wire::field("mode", &ControlState::mode),
                      wire::field("reason", &ControlState::reason),
                      wire::field("why", &ControlState::why),
                      wire::field("stop_latched", &ControlState::stop_latched),
                      wire::field("stop_confirmed", &ControlState::stop_confirmed),
                      wire::field("stop_kind", &ControlState::stop_kind),
                      wire::field("stopped_by", &ControlState::stopped_by),
                      wire::field("lease", &ControlState::lease),
                      wire::field("holder_station", &ControlState::holder_station),
                      wire::field("holder_person", &ControlState::holder_person),
                      wire::field("holder_name", &ControlState::holder_name),
                      wire::field("holder_role", &ControlState::holder_role),
                      wire::field("wishes", &ControlState::wishes),
                      wire::field("permitted", &ControlState::permitted),
                      wire::field("cap_linear", &ControlState::cap_linear, "m/s"),
                      wire::field("cap_angular", &ControlState::cap_angular, "rad/s"),
                      wire::field("cap_reason", &ControlState::cap_reason),
                      wire::field("guard_distance", &ControlState::guard_distance, "m"),
                      wire::field("loop_age_us", &ControlState::loop_age_us, "µs"),
                      wire::field("lifetime_ms", &ControlState::lifetime_ms, "ms"),
                      wire::field("neutral_seen", &ControlState::neutral_seen)};
  }
};

// ---- tasks -------------------------------------------------------------------------------

struct Setting {
  std::string key;
  std::string value;
  bool operator==(Setting const&) const = default;
  static constexpr auto fields() {
    return std::tuple{wire::field("key", &Setting::key), wire::field("value", &Setting::value)};
  }
};

// Starts autonomy in the agent: needs the lease and an armed robot. Hand driving ends.
struct StartTask {
  static constexpr wire::Head head{0x2040, wire::Family::command, "start_task"};
  std::string name;
  std::vector<Setting> settings;
  static constexpr auto fields() {
    return std::tuple{wire::field("name", &StartTask::name), wire::field("settings", &StartTask::settings)};
  }
};

// Ends the task; the robot stands, disarmed.
struct StopTask {
  static constexpr wire::Head head{0x2041, wire::Family::command, "stop_task"};
  static constexpr auto fields() { return std::tuple{}; }
};

enum class TaskPhase : std::uint8_t { none, running, finished, failed, cancelled };
constexpr auto names(TaskPhase) {
  return std::array<std::string_view, 5>{"none", "running", "finished", "failed", "cancelled"};
}

// The task that runs on a robot, or ran last.
struct TaskState {
  static constexpr wire::Head head{0x2042, wire::Family::status, "task_state"};
  Resource resource;
  std::string name;
  TaskPhase phase{};
  std::string progress;                // in words
  double fraction{-1.0};               // 0 to 1; negative: it does not know
  std::vector<std::string> available;  // what StartTask may name
  std::uint32_t run{};                 // counts what was begun, so that a new run is not taken for an old one
  static constexpr auto fields() {
    return std::tuple{wire::field("resource", &TaskState::resource),
                      wire::field("name", &TaskState::name),
                      wire::field("phase", &TaskState::phase),
                      wire::field("progress", &TaskState::progress),
                      wire::field("fraction", &TaskState::fraction),
                      wire::field("available", &TaskState::available),
                      wire::field("run", &TaskState::run)};
  }
};

using ControlMessages =
    wire::Catalogue<Introduce, Dismiss, RequestLease, LeaseGranted, ReleaseLease, GrantLease, Arm, Disarm,
                    Stop, ReleaseStop, ControlState, StartTask, StopTask, TaskState>;

}  // namespace cy
