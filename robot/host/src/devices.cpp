// The controllers' side of the host: drivers, the control of each robot, its status and its tasks.
#include <cy/base/check.hpp>
#include <cy/host/host.hpp>
#include <cy/wire/print.hpp>

#include <algorithm>

namespace cy::host {

Host::RobotEntry& Host::device_entry(DeviceId device) {
  for (auto& robot : robots_)
    if (robot.device == device) return robot;
  broken("an unknown device", __FILE__, __LINE__);
}

void Host::on_channel_opened(DeviceId device, Channel channel, Time now) {
  catch_up(now);
  device_entry(device).driver->on_opened(channel, now);
  settle(now);
}

void Host::on_channel_closed(DeviceId device, Channel channel, std::string_view why, Time now) {
  catch_up(now);
  device_entry(device).driver->on_closed(channel, why, now);
  settle(now);
}

void Host::on_channel_bytes(DeviceId device, Channel channel, Bytes bytes, Time now) {
  record(Topic::device_in, device.value, bytes);
  catch_up(now);
  device_entry(device).driver->on_bytes(channel, bytes, now);
  settle(now);
}

void Host::catch_up(Time now) {
  for (auto& robot : robots_) {
    robot.control->on_time(now);
    settle_control(robot, now);
  }
}

void Host::settle(Time now) {
  for (auto& robot : robots_)
    while (settle_driver(robot, now) || settle_control(robot, now)) {
    }
}

bool Host::settle_driver(RobotEntry& robot, Time now) {
  driver_effects_.clear();
  robot.driver->drain(driver_effects_);
  auto const any = !driver_effects_.empty();
  for (auto& effect : std::exchange(driver_effects_, {})) apply(robot, effect, now);
  return any;
}

bool Host::settle_control(RobotEntry& robot, Time now) {
  control_effects_.clear();
  robot.control->drain(control_effects_);
  auto const any = !control_effects_.empty();
  for (auto& effect : std::exchange(control_effects_, {})) apply(robot, effect, now);
  return any;
}

void Host::apply(RobotEntry& robot, driver::Effect& effect, Time now) {
  if (auto* open = std::get_if<driver::Open>(&effect)) {
    effects_.emplace_back(ChannelEffect{robot.device, std::move(*open)});
  } else if (auto* close = std::get_if<driver::Close>(&effect)) {
    effects_.emplace_back(ChannelEffect{robot.device, *close});
  } else if (auto* baud = std::get_if<driver::SetBaud>(&effect)) {
    effects_.emplace_back(ChannelEffect{robot.device, *baud});
  } else if (auto* transmit = std::get_if<driver::Transmit>(&effect)) {
    record(Topic::device_out, robot.device.value, transmit->bytes);
    effects_.emplace_back(ChannelEffect{robot.device, std::move(*transmit)});
  } else if (auto* described = std::get_if<driver::Described>(&effect)) {
    for (auto& info : described->robots) {
      if (info.id != robot.id) {
        log(true, fmt::format("{}: its driver tells of more robots than one: \"{}\" is left out",
                              robot.options.name, info.name));
        continue;
      }
      if (info.name.empty()) info.name = robot.options.name;
      robot.info = std::move(info);
      robot.control->on_robot(*robot.info, now);
    }
    ++inventory_revision_;
    next_pulse_ = now;
    tell(wire::body_of(inventory()));
  } else if (auto* changed = std::get_if<driver::DeviceChanged>(&effect)) {
    auto const before = robot.device_state.phase;
    auto const trouble = robot.device_state.trouble;
    robot.device_state = std::move(changed->state);
    robot.control->on_device(robot.device_state.phase, now);
    if (before != robot.device_state.phase || trouble != robot.device_state.trouble)
      log(!robot.device_state.trouble.empty(),
          fmt::format("{}: {}{}{}{}{}", robot.options.name, wire::name_of(robot.device_state.phase),
                      robot.device_state.step.empty() ? "" : " ", robot.device_state.step,
                      robot.device_state.trouble.empty() ? "" : ": ", robot.device_state.trouble));
    tell(wire::body_of(robot.device_state));
  } else if (auto* observed = std::get_if<driver::Observed>(&effect)) {
    if (observed->robot != robot.id) return;
    robot.control->on_observed(observed->part, wire::view(observed->state), now);
    if (auto const base = wire::as<BaseState>(wire::view(observed->state))) robot.trail.on_base(*base);
    robot.readings[observed->part.value] = {observed->origin, now, std::move(observed->state)};
  } else if (auto const* reported = std::get_if<driver::Reported>(&effect)) {
    if (reported->robot != robot.id) return;
    run_task(robot, now);
    settle_control(robot, now);
    send_status(robot, now);
  } else if (auto* applied = std::get_if<driver::Applied>(&effect)) {
    if (auto const found = under_way_.find(applied->id.value); found != under_way_.end()) {
      end(found->second.session, found->second.id, Ending::applied, Refusal::none, {}, now);
      under_way_.erase(found);
    }
  } else if (auto* refused = std::get_if<driver::Refused>(&effect)) {
    if (auto const found = under_way_.find(refused->id.value); found != under_way_.end()) {
      end(found->second.session, found->second.id, Ending::refused, refused->why, {}, now);
      under_way_.erase(found);
    } else if (refused->id == robot.motors_asked) {
      log(true, fmt::format("{}: its driver refuses to switch the motors: {}", robot.options.name,
                            wire::name_of(refused->why)));
    }
  } else if (auto* note = std::get_if<driver::Note>(&effect)) {
    log(false, robot.options.name + ": " + note->text);
  }
}

void Host::apply(RobotEntry& robot, control::Effect& effect, Time now) {
  if (auto const* forward = std::get_if<control::ForwardDrive>(&effect)) {
    auto const drive = wire::body_of(Drive{forward->twist});
    robot.driver->on_command({CommandId{next_driver_command_++}, robot.id, wire::view(drive), forward->until},
                             now);
  } else if (auto const* stop = std::get_if<control::StopDevice>(&effect)) {
    record(Topic::control, robot.id.value,
           bytes_of(fmt::format("stop {}: {}", wire::name_of(stop->kind), stop->why)));
    robot.driver->on_stop(stop->kind, now);
  } else if (auto const* motors = std::get_if<control::SwitchMotors>(&effect)) {
    auto const what = wire::body_of(Motors{motors->on});
    robot.motors_asked = CommandId{next_driver_command_++};
    robot.driver->on_command({robot.motors_asked, robot.id, wire::view(what), {}}, now);
  } else if (auto* ended = std::get_if<control::Ended>(&effect)) {
    session::SessionId const session{ended->station.value};
    auto const found = sessions_.find(session);
    if (found == sessions_.end()) return;
    // Set-points are not the desk's events: their newest is told as seen.
    if (!found->second.desk.end(ended->id, ended->ending, ended->why, std::move(ended->reply), now))
      found->second.desk.saw(Resource{robot.id.value}, ended->id, ended->why,
                             std::chrono::microseconds(robot.control->state(now).loop_age_us), now);
  } else if (auto const* begin = std::get_if<control::BeginTask>(&effect)) {
    begin_task(robot, *begin, now);
  } else if (auto const* over = std::get_if<control::EndTask>(&effect)) {
    if (robot.task && robot.task->run == over->run) end_task(robot, TaskPhase::cancelled, over->why, now);
  } else if (std::holds_alternative<control::StateChanged>(effect)) {
    auto const state = robot.control->state(now);
    record(Topic::control, robot.id.value, wire::encoded(state));
    tell(wire::body_of(state));
  }
}

void Host::send_status(RobotEntry& robot, Time now) {
  if (sessions_.empty()) return;
  RobotStatus status;
  status.robot = robot.id;
  status.number = ++robot.status_number;
  status.stamp_us = stamp_us(now);
  for (auto const& [part, reading] : robot.readings)
    status.parts.push_back(
        {PartId{part}, reading.origin,
         static_cast<std::uint32_t>(
             std::chrono::duration_cast<std::chrono::milliseconds>(now - reading.at).count()),
         reading.state});
  tell(wire::body_of(status));
  tell(wire::body_of(robot.control->state(now)));
}

void Host::stop_all(std::string_view why, Time now) {
  for (auto& robot : robots_) {
    robot.control->stop(StopKind::category_2, "the agent", why, now);
    robot.driver->on_stop(StopKind::category_2, now);
  }
  settle(now);
}

void Host::close(Time now) {
  if (closing_) return;
  closing_ = true;
  stop_all("the agent ends", now);
  for (auto& robot : robots_) robot.driver->close(now);
  settle(now);
}

bool Host::closed() const {
  return closing_ &&
         std::all_of(robots_.begin(), robots_.end(), [](auto const& r) { return r.driver->closed(); });
}

}  // namespace cy::host
