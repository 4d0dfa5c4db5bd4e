#include <cy/model/commands.hpp>
#include <cy/station/words.hpp>

namespace cy::station {
namespace {

std::string holder(ControlState const* control) {
  return control && control->lease ? control->holder_name : std::string();
}

std::string no_lease(ControlState const* control) {
  auto const name = holder(control);
  if (name.empty()) return "you do not have control of this robot: take control first";
  return fmt::format("{} has control of this robot: ask for it, or wait until it is given up", name);
}

std::string busy(wire::Type command, ControlState const* control) {
  auto const name = holder(control);
  if (command == RequestLease::head.type && !name.empty())
    return fmt::format("{} has control, and sees now that you ask for it", name);
  if (control && (control->mode == Mode::task || control->mode == Mode::policy))
    return "a task is running: end it first";
  return "the robot is busy with something else: try again in a moment";
}

std::string not_ready(wire::Type command, ControlState const* control) {
  if (command == ReleaseStop::head.type)
    return "the stop is not confirmed yet: it can be released once the robot is seen standing still";
  if (command == Arm::head.type)
    return "the robot is not ready, or the input is not neutral: let go of everything, look at the robot's "
           "state, and arm again";
  if (control && !control->why.empty()) return "the robot is not ready: " + control->why;
  return "the robot is not ready: look at the state of its device";
}

std::string refused(wire::Type command, Refusal why, ControlState const* control) {
  switch (why) {
    case Refusal::not_ready:
      return not_ready(command, control);
    case Refusal::not_armed:
      return "the robot is not armed: arm it first";
    case Refusal::no_lease:
      return no_lease(control);
    case Refusal::role:
      if (command == RequestLease::head.type && !holder(control).empty())
        return fmt::format("only a manager may take control from {}: ask for it instead", holder(control));
      return "your role does not allow this: the agent must trust this station with a higher one";
    case Refusal::stop_latched:
      return control && !control->stopped_by.empty()
                 ? fmt::format("the robot was stopped by {}: release the stop first", control->stopped_by)
                 : "the robot is stopped: release the stop first";
    case Refusal::limits:
    case Refusal::not_finite:
    case Refusal::bad_value:
      if (command == GrantLease::head.type) return "they no longer ask for control";
      return "the robot cannot do that with these values";
    case Refusal::stale_data:
      return "the robot's own measurements are too old: look at the state of its device";
    case Refusal::too_old:
      return "something has changed since you looked: look at the robot's state, and try again";
    case Refusal::blocked:
      return "an obstacle is in the way";
    case Refusal::unknown_robot:
      return "the agent has no such robot";
    case Refusal::unknown_command:
      return "this robot does not know that";
    case Refusal::busy:
      return busy(command, control);
    case Refusal::link_lost:
      return "the link to the robot is interrupted: wait until it is back";
    case Refusal::policy:
      return "the agent's configuration does not allow this";
    case Refusal::full:
      return "too much is under way: wait a moment, and try again";
    case Refusal::none:
      break;
  }
  return "it was refused";
}

}  // namespace

std::string_view words_of(wire::Type command) {
  switch (command) {
    case RequestLease::head.type:
      return "control";
    case ReleaseLease::head.type:
      return "giving up control";
    case GrantLease::head.type:
      return "handing over control";
    case Arm::head.type:
      return "arming";
    case Disarm::head.type:
      return "disarming";
    case Stop::head.type:
      return "the stop";
    case ReleaseStop::head.type:
      return "releasing the stop";
    case StartTask::head.type:
      return "starting the task";
    case StopTask::head.type:
      return "ending the task";
    case Motors::head.type:
      return "switching the motors";
    case SonarPower::head.type:
      return "switching the sonar";
    case ResetOdometry::head.type:
      return "resetting the pose";
    default:
      return "the command";
  }
}

std::string words_for(wire::Type command, command::Ended const& ended, ControlState const* control,
                      AgentLink link) {
  auto const no_link = link != AgentLink::up && link != AgentLink::late;
  switch (ended.ending) {
    case Ending::applied:
      return {};
    case Ending::refused:
      return refused(command, ended.why, control);
    case Ending::expired_unsent:
      return fmt::format("{} was not sent: {}; try again", words_of(command),
                         no_link ? "there is no link to the agent" : "the link is too slow");
    case Ending::expired_maybe_applied:
      return fmt::format("no answer about {}: it may have happened; look at the robot's state",
                         words_of(command));
    case Ending::superseded:
      return "replaced by a newer one";
  }
  return "it ended in a way that this station does not know";
}

}  // namespace cy::station
