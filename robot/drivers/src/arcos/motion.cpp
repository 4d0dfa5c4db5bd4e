// What moves the robot, what stops it, and how both are watched.
#include "arcos.hpp"
#include <cmath>

namespace cy {

using arcos::Order;

// ---- stopping ------------------------------------------------------------------------------

// STOP goes out at once, around the queue; zero speeds follow, so that a controller whose watchdog
// runs out has nothing to take up again.
void Arcos::halt(Refusal why, Time now) {
  live_.reset();
  if (auto const overtaken = outbox_.drop_motion()) refused(overtaken, why);
  transmit(arcos::encode(Order::stop), now);
  outbox_.push_stop({Order::vel, arcos::encode(Order::vel, 0), {}});
  outbox_.push_stop({Order::rvel, arcos::encode(Order::rvel, 0), {}});
}

void Arcos::on_stop(StopKind kind, Time now) noexcept {
  if (!channel_open_) return;
  if (auto* greeting = std::get_if<Greeting>(&state_)) {
    // It may be another client's session that still moves; the handshake begins again after it. Once:
    // each of its tries says STOP first, and one that is begun again and again never ends.
    if (!std::exchange(greeting->stopped, true)) {
      greeting->handshake.restart(now);
      greet(now);
    }
  } else if (online()) {
    stop(kind, now);
  } else if (auto const* closing = std::get_if<Closing>(&state_);
             !closing || closing->step != Closing::Step::channel) {  // CLOSE is the last word
    transmit(arcos::encode(Order::stop), now);
  }
  after(now);
}

void Arcos::stop(StopKind kind, Time now) {
  for (auto const id : outbox_.drop(Order::enable)) refused(id, Refusal::stop_latched);
  if (motors_asked_ && (motors_asked_->on || kind != StopKind::category_2)) {
    if (motors_asked_->id) refused(motors_asked_->id, Refusal::stop_latched);
    motors_asked_.reset();
  }
  if (kind == StopKind::category_2) {
    halt(Refusal::stop_latched, now);
  } else {
    live_.reset();
    if (auto const overtaken = outbox_.drop_motion()) refused(overtaken, Refusal::stop_latched);
    if (kind == StopKind::category_0) {
      transmit(arcos::encode(Order::enable, 0), now);
      outbox_.push_stop({Order::e_stop, arcos::encode(Order::e_stop), {}});
    } else {
      transmit(arcos::encode(Order::e_stop), now);
    }
    outbox_.push_stop({Order::vel, arcos::encode(Order::vel, 0), {}});
    outbox_.push_stop({Order::rvel, arcos::encode(Order::rvel, 0), {}});
  }
  // A stop under way is not weakened by a milder one, and one that is repeated goes on: its patience
  // counts from the first time.
  auto since = now;
  if (stopping_ && stopping_->kind <= kind) {
    kind = stopping_->kind;
    since = stopping_->since;
  }
  stopping_ = Stopping{kind, since, now + 100ms};
}

// A packet may be lost and nobody acknowledges: repeats the stop until the reports agree with it.
void Arcos::keep_stopping(Time now) {
  if (!stopping_ || now < stopping_->again) return;
  stopping_->again = now + 100ms;
  auto const patient = now - stopping_->since < rest_patience;
  auto const rest = at_rest_ && last_sip_ > stopping_->since;
  auto const off = !motors_on_ && last_sip_ > stopping_->since;
  switch (stopping_->kind) {
    case StopKind::category_2:
      if (rest) return stopping_.reset();
      transmit(arcos::encode(Order::stop), now);
      break;
    case StopKind::category_1:
      if (rest && off) return stopping_.reset();
      if (rest || !patient)
        transmit(arcos::encode(Order::enable, 0), now);
      else
        transmit(arcos::encode(Order::e_stop), now);
      break;
    case StopKind::category_0:
      if (off) return stopping_.reset();
      transmit(arcos::encode(Order::enable, 0), now);
      break;
  }
  if (now - stopping_->since < 2 * rest_patience) return;
  worry(Worry::stopping,
        stopping_->kind == StopKind::category_2
            ? "stopped, but the wheels still turn after 4 s"
            : "stopped, but the motors still have power after 4 s: use the robot's own STOP button",
        now);
  stopping_.reset();
}

// ---- commands ------------------------------------------------------------------------------

void Arcos::on_command(Command const& command, Time now) {
  before(now);
  auto const type = command.what.type;
  auto why = Refusal::none;
  if (command.robot != config_.first_robot)
    why = Refusal::unknown_robot;
  else if (type == Probe::head.type)
    applied(command.id);
  else if (type == Drive::head.type)
    why = drive(command, now);
  else if (type == Motors::head.type)
    why = motors(command, now);
  else
    why = other(command, now);
  if (why != Refusal::none) refused(command.id, why);
  after(now);
}

Refusal Arcos::drive(Command const& command, Time now) {
  auto const wanted = command.as<Drive>();
  if (!wanted) return Refusal::bad_value;
  if (!finite(wanted->twist)) return Refusal::not_finite;
  if (!std::holds_alternative<Ready>(state_)) return Refusal::not_ready;
  if (stopping_ && stopping_->kind != StopKind::category_2) return Refusal::stop_latched;
  if (stale_) return Refusal::stale_data;
  if (!motors_on_) return Refusal::not_ready;
  if (command.until <= now) return Refusal::too_old;

  auto const most = limits();
  auto const linear = std::clamp(wanted->twist.linear, -most.linear, most.linear);
  auto const angular = std::clamp(wanted->twist.angular, -most.angular, most.angular);
  auto const velocity = static_cast<int>(std::lround(linear * 1000.0));
  auto const rotation = static_cast<int>(std::lround(degrees(angular)));
  stopping_.reset();
  if (live_ && live_->velocity == velocity && live_->rotation == rotation) {
    // The controller has it, or is about to; on a slow line saying it again would only queue up.
    live_->until = command.until;
    applied(command.id);
    return Refusal::none;
  }
  if (auto const overtaken = outbox_.move(velocity, rotation, command.id))
    refused(overtaken, Refusal::too_old);
  live_ = Live{velocity, rotation, command.until, now + options_.resend};
  return Refusal::none;
}

Refusal Arcos::motors(Command const& command, Time now) {
  auto const wanted = command.as<Motors>();
  if (!wanted) return Refusal::bad_value;
  if (!std::holds_alternative<Ready>(state_)) return Refusal::not_ready;
  if (wanted->on && stopping_) {
    if (stopping_->kind != StopKind::category_2) return Refusal::stop_latched;
  }
  if (outbox_.full()) return Refusal::full;
  if (motors_asked_ && motors_asked_->id) refused(motors_asked_->id, Refusal::too_old);
  outbox_.drop(Order::enable);
  halt(Refusal::not_ready, now);
  queue(Order::enable, arcos::encode(Order::enable, wanted->on ? 1 : 0));
  motors_asked_ = MotorsAsked{command.id, wanted->on, now + 300ms, now + motors_patience, std::nullopt};
  return Refusal::none;
}

Refusal Arcos::other(Command const& command, Time) {
  auto const type = command.what.type;
  if (type != SonarPower::head.type && type != ResetOdometry::head.type && type != DigitalOut::head.type)
    return Refusal::unknown_command;
  if (!std::holds_alternative<Ready>(state_)) return Refusal::not_ready;
  if (outbox_.full()) return Refusal::full;
  if (auto const sonar = command.as<SonarPower>())
    queue(Order::sonar, arcos::encode(Order::sonar, sonar->on ? 1 : 0), command.id);
  else if (command.as<ResetOdometry>())
    queue(Order::seto, arcos::encode(Order::seto), command.id);
  else if (auto const out = command.as<DigitalOut>())
    queue(Order::digout, arcos::encode_pair(Order::digout, out->mask, out->states), command.id);
  else
    return Refusal::bad_value;
  return Refusal::none;
}

void Arcos::refuse_waiting(Refusal why) {
  for (auto const id : outbox_.clear()) refused(id, why);
  if (motors_asked_ && motors_asked_->id) refused(motors_asked_->id, why);
  motors_asked_.reset();
}

// ---- watching ------------------------------------------------------------------------------

// A report that was made after ENABLE went out decides; none or the wrong one repeats it once.
void Arcos::watch_motors(Time now) {
  if (!motors_asked_) return;
  if (now >= motors_asked_->until) {
    auto const asked = *motors_asked_;
    motors_asked_.reset();
    count("motors did not follow");
    worry(Worry::motors,
          !asked.on      ? "the motors stay on although ENABLE 0 was sent: use the robot's own STOP button"
          : stop_button_ ? "the motors stay off: the robot's STOP button is pressed"
                         : "the motors stay off although ENABLE 1 was sent: look at the robot's STOP and "
                           "MOTORS buttons and its battery",
          now);
    if (asked.id) refused(asked.id, stop_button_ ? Refusal::blocked : Refusal::not_ready);
  } else if (now >= motors_asked_->again) {
    motors_asked_->again = motors_asked_->until;
    queue(Order::enable, arcos::encode(Order::enable, motors_asked_->on ? 1 : 0));
  }
}

// Called with every report, after FLAGS were taken in.
void Arcos::motors_changed(bool on, Time now) {
  if (motors_asked_ && motors_asked_->on == on && motors_asked_->sent && now > *motors_asked_->sent) {
    if (motors_asked_->id) applied(motors_asked_->id);
    motors_asked_.reset();
    relieve(Worry::motors, now);
  }
  if (on == motors_on_) return;
  motors_on_ = on;
  if (on) {
    // By us or by the white button: with power back nothing old may go on.
    halt(Refusal::not_ready, now);
  } else if (live_) {
    halt(Refusal::not_ready, now);
    note(fmt::format("the motors went off while it was driven{}",
                     stop_button_ ? ": its STOP button is pressed" : ""));
  }
}

void Arcos::watch_motion(Time now) {
  if (std::holds_alternative<Ready>(state_)) {
    if (now >= last_sip_ + silence_lost) {
      fail("SIP", fmt::format("no report for {:.0f} s", seconds(silence_lost)), now);
      return;
    }
    if (!stale_ && now >= last_sip_ + silence_stop) {
      stale_ = true;
      count("report gaps");
      worry(Worry::reports, "no report for 300 ms: stopped, and waiting for reports", now);
      halt(Refusal::stale_data, now);
    }
  }
  if (live_ && now >= live_->again) {
    live_->again = now + options_.resend;
    if (!outbox_.motion_waits()) outbox_.move(live_->velocity, live_->rotation, {});
  }
  if (now >= last_sent_ + keep_alive() && outbox_.empty()) {
    // While nothing is heard, the only thing to keep alive is the stop.
    transmit(arcos::encode(stale_ ? Order::stop : Order::pulse), now);
  }
}

// Before anything else goes out: not a byte of a set-point leaves after its end.
void Arcos::end_live(Time now) {
  if (!live_ || now < live_->until) return;
  count("set-points that ran out");
  halt(Refusal::too_old, now);
}

Duration Arcos::watchdog() const {
  return settings_ && settings_->watchdog > 0 ? Duration(std::chrono::milliseconds(settings_->watchdog))
                                              : Duration(2s);
}

Duration Arcos::keep_alive() const {
  return std::clamp<Duration>(watchdog() / 4, 50ms, 500ms);
}

}  // namespace cy
