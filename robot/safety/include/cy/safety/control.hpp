// Control of one robot: who has it, whether it is armed, what moves it, what stops it.
//
//                   Arm (a person, neutral input)       set-point
//      Disarmed ───────────────────────────────▶ Armed ⇄ Driving
//         ▲  ▲                                     │ StartTask
//         │  └── stale, blur, lost, stall … ───────┼──────────▶ Tasking ⇄ (policy)
//         │ ReleaseStop (a person, confirmed)      │
//      Latched ◀── Stop, from anywhere, by anybody ┘
//
// Motion leaves only as ForwardDrive, only out of Driving (or Armed, standing) and Tasking, and
// only through the gate. Both demand an Authority, which only a lease that a person holds can
// yield; Armed is entered in one place only, which demands one too. So after any end of motion
// the next begin is a person's. The one exception is configured by name: a Policy, and it runs
// only for a robot that was in somebody's hand when the link was lost.
//
// Pure machine: all calls from one thread; each settles first what fell due before `now`, so a
// process that was frozen finds its robot stopped, whatever is queued. After each call: drain().
// Call on_time at deadline().
#pragma once

#include <cy/safety/gate.hpp>
#include <cy/safety/stop_latch.hpp>

#include <map>
#include <variant>

namespace cy {

// What a robot does when its operator's link is lost or gone.
struct Policy {
  enum class Kind : std::uint8_t { hold, go_on, retrace, task };
  Kind kind{Kind::hold};
  double distance{};  // retrace: m
  std::string task;   // task: its name
  std::vector<Setting> settings;

  // What it starts; no name: nothing.
  StartTask starts() const;
  bool operator==(Policy const&) const = default;
};
constexpr auto names(Policy::Kind) {
  return std::array<std::string_view, 4>{"hold", "go_on", "retrace", "task"};
}

struct ControlOptions {
  // hold: everything stops. go_on: hand driving stops, whatever else runs goes on. retrace, task:
  // that is started, if the robot was armed, driven or at a task, and touches nothing. Only for a
  // link that fell silent: after one that was ended in order everything stops.
  Policy on_lost;
  Policy on_gone;
  // Nothing came for so long: the hands are off. A bit over the longest lifetime of a set-point.
  Duration neutral_after = 500ms;
  // Armed, and nobody moves it: a forgotten tab must not stay a loaded one.
  Duration arm_idle = 2min;
  // A holder who does nothing at all blocks the others no longer than this.
  Duration lease_idle = 10min;
  // From switching motors on to seeing them on: a few cycles of a controller.
  Duration motors_patience = 2s;
  // From BeginTask to the task's first word.
  Duration task_patience = 5s;
  StopOptions stop;
  GateOptions gate;
};

// Numbers the tasks of a robot, so that a late word of one is not taken for the next one's.
using TaskRun = Id<struct TaskRunTag>;

namespace control {

// To the driver, now.
struct StopDevice {
  StopKind kind{};
  std::string why;
};
struct ForwardDrive {
  Twist twist;
  Time until{};
};
struct SwitchMotors {
  bool on{};
};
// How a command ended; exactly one for each that was given to on_set_point, or to on_command and
// not routed on.
struct Ended {
  StationId station;
  CommandId id;
  Ending ending{};
  Refusal why{};
  std::optional<wire::Body> reply;
};
// Build the task by its name and say on_task_began or on_task_refused.
struct BeginTask {
  TaskRun run;
  std::string name;
  std::vector<Setting> settings;
  bool policy{};
};
struct EndTask {
  TaskRun run;
  std::string why;
};
// state() reads differently now.
struct StateChanged {};

using Effect = std::variant<StopDevice, ForwardDrive, SwitchMotors, Ended, BeginTask, EndTask, StateChanged>;

}  // namespace control

class ControlDesk {
 public:
  ControlDesk(Resource resource, ControlOptions options, Seed seed, Time now);

  // ---- commands -------------------------------------------------------------------------
  // A set-point that carries a Drive. `picture_age`: of the picture that it names, where it names
  // one; the older of that and its echo counts.
  void on_set_point(Person const& person, SetPoint const& set_point, Duration picture_age, Time now);
  // An event to this robot. `forward`: it may go to the driver, which ends it; `handled`: it
  // ended, or will end, here.
  enum class Routed : std::uint8_t { handled, forward };
  Routed on_command(Person const& person, CommandId id, LeaseId lease, wire::Raw what, Time now);
  // A stop that no person asked for: the agent found something wrong.
  void stop(StopKind kind, std::string_view by, std::string_view why, Time now);

  // ---- what happens around ---------------------------------------------------------------
  void on_robot(RobotInfo const& info, Time now);
  void on_observed(PartId part, wire::Raw state, Time now);
  void on_device(DevicePhase phase, Time now);
  // `heard`: when anything of the station was heard last.
  void on_contact(StationId station, Contact contact, Time heard, Time now);
  void on_person(Person const& person, Time now);  // name or role has changed
  void on_person_left(StationId station, PersonId person, Time now);

  // ---- the running task ------------------------------------------------------------------
  // `handles_touch`: a bump or a stalled wheel does not end it, as long as a person answers for it.
  void on_task_began(TaskRun run, bool handles_touch, Time now);
  void on_task_refused(TaskRun run, Refusal why, std::string_view words, Time now);
  void on_intent(TaskRun run, Twist const& twist, Time now);
  void on_task_ended(TaskRun run, TaskPhase phase, std::string_view words, Time now);

  void on_time(Time now);
  std::optional<Time> deadline() const;
  void drain(std::vector<control::Effect>& into);

  Mode mode() const;
  ControlState state(Time now) const;
  Senses const& senses() const { return senses_; }

 private:
  struct Disarmed {
    DisarmReason reason{};
    std::string why;
    // When its set-points ran out, if that was it. If the link is lost later and nothing was heard
    // since before, the robot was in a hand when that happened.
    std::optional<Time> ran_out{};
  };
  struct Armed {
    CommandId by;  // set-points from before it do not count
    Time used;
    Time motors_until;
    bool motors_seen{};
  };
  struct Driving {
    CommandId armed_by;
    Authority authority;
    Twist wish;
    Time born;  // of the picture that it was decided by
    Time until;
    Admitted admitted;
  };
  struct Pending {
    StationId station;
    CommandId id;
  };
  struct Tasking {
    TaskRun run;
    std::string name;
    Authority authority;
    Policy policy;  // when the authority's source is policy
    std::optional<Pending> begin;
    Twist wish;
    Time until;
    Admitted admitted;
    bool spoke{};  // it has given an intent
    bool handles_touch{};

    bool by_policy() const { return authority.source() == Authority::Source::policy; }
  };
  struct Latched {
    StopLatch latch;
  };
  using State = std::variant<Disarmed, Armed, Driving, Tasking, Latched>;

  // What the holder's hands do, whether or not it moves anything.
  struct Input {
    CommandId newest;
    std::optional<Time> at;
    bool neutral{true};
    Duration loop_age{};
    std::uint16_t lifetime_ms{};
  };

  template <class T>
  T* in() {
    return std::get_if<T>(&state_);
  }
  template <class T>
  T const* in() const {
    return std::get_if<T>(&state_);
  }
  bool active() const { return !in<Disarmed>() && !in<Latched>(); }

  // The only writer of state_. Whatever moved or might have moved is stopped on the way.
  void become(State next, std::string_view why);
  void disarm(DisarmReason reason, std::string_view why);
  void changed();
  void end(StationId station, CommandId id, Ending ending, Refusal why = Refusal::none,
           std::optional<wire::Body> reply = std::nullopt);
  void leave_task(Refusal why, std::string_view words);

  void settle(Time now);
  void on_base(Time now);
  void on_touch(bool touches, bool before, DisarmReason reason, std::string_view why);
  void drive_again(Time now);
  Refusal drive(Authority&& authority, SetPoint const& set_point, Twist const& wish, Time now);
  void forward(Admitted const& admitted, CapReason before);
  void lease_changed(LeaseId before, std::string_view why);
  void run_policy(Policy const& policy, DisarmReason reason, Authority&& authority, Time now);
  void lost(Time heard, Time now);
  void gone(StationId station, Time now);
  void ended(StationId station);
  Contact contact() const;
  bool input_neutral(Time now) const;

  Refusal arm(Authority const& authority, CommandId id, Arm const& how, Time now);
  void disarm_by_hand(CommandId id, Disarm const& how);
  Refusal release(Person const& person, ReleaseStop const& how);
  Refusal start_task(Authority&& authority, Pending who, StartTask const& what, Time now);
  Refusal stop_task(Person const& person);
  void request_lease(Person const& person, CommandId id, RequestLease const& what, Time now);
  bool runs(TaskRun run) const { return in<Tasking>() && in<Tasking>()->run == run; }

  Resource resource_;
  ControlOptions options_;
  Gate gate_;
  LeaseDesk desk_;
  Senses senses_;
  State state_;
  Input input_;
  std::map<StationId, Contact> contacts_;  // those that are not up
  std::optional<Authority> owed_;          // the robot was in a hand when the link was lost
  CommandId disarmed_by_;                  // arms of the holder from before it do not count
  bool ready_{};
  bool stalled_{}, bumped_{};  // at the last report, to see them begin
  TaskRun last_run_;
  std::uint32_t revision_{1};
  std::uint32_t quiet_revision_{1};  // when it was last disarmed or stopped
  std::vector<control::Effect> effects_;
};

}  // namespace cy
