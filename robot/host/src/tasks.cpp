// The running task of each robot: what it sees, what it wants, how it ends.
#include <cy/host/host.hpp>

namespace cy::host {

void Host::begin_task(RobotEntry& robot, control::BeginTask const& begin, Time now) {
  auto task = make_task(begin.name, {begin.settings});
  if (!task) {
    log(true, fmt::format("{}: task {}: {}", robot.options.name, begin.name, task.error().what));
    robot.control->on_task_refused(begin.run, Refusal::bad_value, task.error().what, now);
    return;
  }
  robot.task = RunningTask{begin.run, std::move(*task)};
  robot.task_state.run = begin.run.value;
  robot.task_state.name = begin.name;
  robot.task_state.phase = TaskPhase::running;
  robot.task_state.progress = begin.policy ? "begun by the robot's policy" : "begun";
  robot.task_state.fraction = -1.0;
  log(false, fmt::format("{}: task {} begins", robot.options.name, begin.name));
  robot.control->on_task_began(begin.run, robot.task->task->handles_touch(), now);
  tell(wire::body_of(robot.task_state));
}

void Host::end_task(RobotEntry& robot, TaskPhase phase, std::string_view why, Time) {
  robot.task.reset();
  robot.task_state.phase = phase;
  robot.task_state.progress = why;
  log(phase == TaskPhase::failed, fmt::format("{}: task {} {}: {}", robot.options.name, robot.task_state.name,
                                              wire::name_of(phase), why));
  tell(wire::body_of(robot.task_state));
}

void Host::run_task(RobotEntry& robot, Time now) {
  if (!robot.task) return;
  Observation seen;
  seen.now = now;
  seen.trail = &robot.trail;
  auto const state = [&]<class S>(S& into, PartInfo const*& part, S const*& pointer, PartKind kind) {
    if (!seen.info) return;
    part = seen.info->find(kind);
    if (!part) return;
    auto const reading = robot.readings.find(part->id.value);
    if (reading == robot.readings.end()) return;
    if (auto known = wire::as<S>(wire::view(reading->second.state))) {
      into = std::move(*known);
      pointer = &into;
    }
  };
  if (robot.info) seen.info = &*robot.info;
  BaseState base;
  SonarState sonar;
  BumperState bumper;
  PartInfo const* base_part = nullptr;
  state(base, base_part, seen.base, PartKind::base);
  state(sonar, seen.sonar_part, seen.sonar, PartKind::sonar);
  state(bumper, seen.bumper_part, seen.bumper, PartKind::bumper);

  auto const run = robot.task->run;
  auto const intent = robot.task->task->step(seen);
  if (intent.finished) {
    end_task(robot, *intent.finished, intent.why, now);
    robot.control->on_task_ended(run, *intent.finished, intent.why, now);
    return;
  }
  if (intent.why != robot.task_state.progress || intent.fraction != robot.task_state.fraction) {
    robot.task_state.progress = intent.why;
    robot.task_state.fraction = intent.fraction;
    tell(wire::body_of(robot.task_state));
  }
  robot.control->on_intent(run, intent.twist, now);
}

}  // namespace cy::host
