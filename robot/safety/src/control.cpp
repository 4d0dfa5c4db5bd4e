#include <cy/safety/control.hpp>

#include <algorithm>

namespace cy {

StartTask Policy::starts() const {
  if (kind == Kind::task) return {task, settings};
  if (kind != Kind::retrace) return {};
  StartTask back{"retrace", settings};
  back.settings.push_back({"distance", fmt::format("{}", distance)});
  return back;
}

ControlDesk::ControlDesk(Resource resource, ControlOptions options, Seed seed, Time)
    : resource_(resource),
      options_(std::move(options)),
      gate_(options_.gate),
      desk_(seed),
      state_(Disarmed{DisarmReason::start, "the agent has just started: take control, then arm"}) {}

// ---- state -------------------------------------------------------------------------------

void ControlDesk::become(State next, std::string_view why) {
  auto const was_active = active();
  leave_task(std::holds_alternative<Latched>(next) ? Refusal::stop_latched : Refusal::busy, why);
  auto const quiet = std::holds_alternative<Disarmed>(next) || std::holds_alternative<Latched>(next);
  auto const by_hand = std::holds_alternative<Armed>(next) || std::holds_alternative<Driving>(next);
  auto const from_hand = in<Armed>() || in<Driving>();
  // Between Armed and Driving the set-points themselves say how fast. All else passes a stop.
  if (was_active && !(by_hand && from_hand) && !std::holds_alternative<Latched>(next))
    effects_.emplace_back(control::StopDevice{StopKind::category_2, std::string(why)});
  state_ = std::move(next);
  changed();
  if (quiet) quiet_revision_ = revision_;
}

void ControlDesk::disarm(DisarmReason reason, std::string_view why) {
  // What a policy has begun for a lost link may go on with another once that is gone; whatever else
  // ends motion ends that, too.
  if (reason != DisarmReason::link_lost && reason != DisarmReason::policy) owed_.reset();
  if (!active()) return;
  become(Disarmed{reason, std::string(why)}, why);
}

void ControlDesk::leave_task(Refusal why, std::string_view words) {
  auto* const task = in<Tasking>();
  if (task == nullptr) return;
  if (task->begin) end(task->begin->station, task->begin->id, Ending::refused, why);
  task->begin.reset();
  effects_.emplace_back(control::EndTask{task->run, std::string(words)});
}

void ControlDesk::changed() {
  ++revision_;
  effects_.emplace_back(control::StateChanged{});
}

void ControlDesk::end(StationId station, CommandId id, Ending ending, Refusal why,
                      std::optional<wire::Body> reply) {
  effects_.emplace_back(control::Ended{station, id, ending, why, std::move(reply)});
}

void ControlDesk::drain(std::vector<control::Effect>& into) {
  if (into.empty()) {
    into.swap(effects_);
    return;
  }
  into.insert(into.end(), std::make_move_iterator(effects_.begin()), std::make_move_iterator(effects_.end()));
  effects_.clear();
}

// ---- stopping ----------------------------------------------------------------------------

void ControlDesk::stop(StopKind kind, std::string_view by, std::string_view why, Time now) {
  settle(now);
  if (kind > StopKind::category_2) kind = StopKind::category_0;  // not understood: the surest one
  owed_.reset();
  if (auto* const latched = in<Latched>()) {
    latched->latch.again(kind, now);
    changed();
    quiet_revision_ = revision_;
  } else {
    become(Latched{StopLatch(kind, std::string(by), std::string(why), now)}, why);
  }
  if (desk_.held()) {
    auto const before = desk_.id();
    desk_.revoke();
    lease_changed(before, why);
  }
  settle(now);  // gives the order
}

// ---- time --------------------------------------------------------------------------------

void ControlDesk::on_time(Time now) {
  settle(now);
}

void ControlDesk::settle(Time now) {
  auto const longest = options_.gate.data_too_old;
  if (active() && !senses_.base_fresh(now, longest))
    disarm(DisarmReason::data_stale, "the robot's reports stopped: see its device, then arm again");
  if (auto* const driving = in<Driving>(); driving && now >= driving->until) {
    auto const ran_out = driving->until;
    disarm(DisarmReason::set_points_stale, "no fresh set-point in time: let go, then arm again");
    if (auto* const disarmed = in<Disarmed>()) disarmed->ran_out = ran_out;
  }
  if (auto* const task = in<Tasking>(); task && now >= task->until)
    disarm(DisarmReason::task_ended, "the task fell silent");
  if (auto* const armed = in<Armed>()) {
    if (now - armed->used >= options_.arm_idle)
      disarm(DisarmReason::set_points_stale, "armed, but nobody drove: arm again");
    else if (!armed->motors_seen && now >= armed->motors_until)
      disarm(DisarmReason::motors_off, "the motors did not go on: is the robot's stop button pressed?");
  }
  if (auto* const latched = in<Latched>()) {
    if (!senses_.base_fresh(now, longest) && latched->latch.on_report(senses_, options_.stop, longest, now))
      changed();
    if (latched->latch.due(options_.stop, now))
      effects_.emplace_back(control::StopDevice{latched->latch.kind(), latched->latch.why()});
  }
  auto const busy = in<Driving>() || in<Tasking>() || owed_;
  if (desk_.held() && !busy && now - desk_.last_used() >= options_.lease_idle) {
    auto const before = desk_.id();
    desk_.revoke();
    lease_changed(before, "control expired: nothing was done with it");
  }
}

std::optional<Time> ControlDesk::deadline() const {
  std::optional<Time> next;
  auto const at = [&](Time t) { next = next ? std::min(*next, t) : t; };
  auto const stale_at = senses_.base_at() + options_.gate.data_too_old;
  if (active()) at(stale_at);
  if (auto const* driving = in<Driving>()) at(driving->until);
  if (auto const* task = in<Tasking>()) at(task->until);
  if (auto const* armed = in<Armed>()) {
    at(armed->used + options_.arm_idle);
    if (!armed->motors_seen) at(armed->motors_until);
  }
  if (auto const* latched = in<Latched>()) {
    if (auto const due = latched->latch.deadline()) at(*due);
    if (latched->latch.confirmed()) at(stale_at);
  }
  if (desk_.held() && !in<Driving>() && !in<Tasking>() && !owed_) at(desk_.last_used() + options_.lease_idle);
  return next;
}

// ---- the robot ---------------------------------------------------------------------------

void ControlDesk::on_robot(RobotInfo const& info, Time now) {
  settle(now);
  senses_.on_robot(info);
}

void ControlDesk::on_observed(PartId part, wire::Raw state, Time now) {
  settle(now);
  senses_.on_observed(part, state, now);
  if (state.type == BaseState::head.type) on_base(now);
  on_touch(senses_.bumped(), std::exchange(bumped_, senses_.bumped()), DisarmReason::bumper,
           "it bumped into something: look, then arm again");
  if (state.type == SonarState::head.type || state.type == BumperState::head.type) drive_again(now);
}

// Where a person watches, it ends at its beginning, so that the robot can be driven free again; a
// policy drives nothing that touches.
void ControlDesk::on_touch(bool touches, bool before, DisarmReason reason, std::string_view why) {
  auto const* const task = in<Tasking>();
  auto const policy = task && task->by_policy();
  auto const handled = task && task->handles_touch;
  if (touches && (policy || (!before && !handled))) disarm(reason, why);
}

void ControlDesk::on_base(Time now) {
  auto const& base = senses_.base();
  if (!base) return;
  on_touch(senses_.stalled(), std::exchange(stalled_, senses_.stalled()), DisarmReason::stall,
           "a wheel stalled: look, then arm again");
  if (base->stop_button) disarm(DisarmReason::stop_button, "the stop button on the robot is pressed");
  if (auto* const armed = in<Armed>()) {
    if (base->motors)
      armed->motors_seen = true;
    else if (armed->motors_seen)
      disarm(DisarmReason::motors_off, "the motors went off: arm again");
  } else if (in<Driving>() || (in<Tasking>() && !in<Tasking>()->begin)) {
    if (!base->motors) disarm(DisarmReason::motors_off, "the motors went off: arm again");
  } else if (auto* const latched = in<Latched>()) {
    if (latched->latch.on_report(senses_, options_.stop, options_.gate.data_too_old, now)) {
      changed();
      if (!latched->latch.confirmed()) quiet_revision_ = revision_;
    }
    settle(now);
  }
}

void ControlDesk::on_device(DevicePhase phase, Time now) {
  settle(now);
  auto const ready = phase == DevicePhase::ready;
  if (ready == ready_) return;
  ready_ = ready;
  if (ready) {
    if (auto* const disarmed = in<Disarmed>();
        disarmed && disarmed->reason == DisarmReason::device_not_ready) {
      disarmed->why = "the robot's controller was away and is back: arm again";
      changed();
    }
    return;
  }
  senses_.forget();
  stalled_ = bumped_ = false;
  disarm(DisarmReason::device_not_ready, "the robot's controller is not connected");
  settle(now);
}

// What was admitted by older echoes is weighed again by the new ones.
void ControlDesk::drive_again(Time now) {
  auto const weigh = [&](auto& moving, Time born) {
    auto const admitted =
        gate_.admit(moving.authority, {moving.wish, now - born, moving.until - now}, senses_, contact(), now);
    if (!admitted) return;
    auto const before = moving.admitted.reason;
    moving.admitted = *admitted;
    forward(*admitted, before);
  };
  if (auto* const driving = in<Driving>()) weigh(*driving, driving->born);
  if (auto* const task = in<Tasking>(); task && task->spoke) weigh(*task, senses_.base_at());
}

void ControlDesk::forward(Admitted const& admitted, CapReason before) {
  effects_.emplace_back(control::ForwardDrive{admitted.twist, admitted.until});
  if (admitted.reason != before) changed();
}

// ---- the link ----------------------------------------------------------------------------

Contact ControlDesk::contact() const {
  auto const* const holder = desk_.holder();
  if (holder == nullptr) return Contact::gone;
  auto const found = contacts_.find(holder->station);
  return found == contacts_.end() ? Contact::up : found->second;
}

void ControlDesk::on_contact(StationId station, Contact contact, Time heard, Time now) {
  settle(now);
  if (contact > Contact::ended) return;
  auto const holders = desk_.held_by(station);
  auto const before = contacts_.contains(station) ? contacts_[station] : Contact::up;
  if (contact == Contact::up || contact >= Contact::gone)
    contacts_.erase(station);
  else
    contacts_[station] = contact;
  if (!holders) {
    if (contact >= Contact::gone) desk_.on_station_gone(station);
    return;
  }
  if (contact == Contact::ended) return ended(station);
  if (contact >= Contact::lost && before < Contact::lost) lost(heard, now);
  if (contact == Contact::gone) return gone(station, now);
  if (contact < Contact::lost && before == Contact::lost) {
    owed_.reset();
    // It drove back to be heard again, and it is.
    if (auto const* task = in<Tasking>();
        task && task->by_policy() && task->policy.kind == Policy::Kind::retrace)
      disarm(DisarmReason::policy, "the link is back: arm again");
  }
  if (contact != before) changed();
}

void ControlDesk::lost(Time heard, Time now) {
  owed_.reset();
  auto const* const disarmed = in<Disarmed>();
  auto const was_driven = disarmed && disarmed->ran_out && heard < *disarmed->ran_out;
  if (!active() && !was_driven) return;
  owed_ = desk_.bequeath();
  if (auto authority = desk_.bequeath())
    run_policy(options_.on_lost, DisarmReason::link_lost, std::move(*authority), now);
}

void ControlDesk::gone(StationId station, Time now) {
  auto const before = desk_.id();
  if (owed_) {
    auto authority = std::move(*owed_);
    owed_.reset();
    run_policy(options_.on_gone, DisarmReason::link_gone, std::move(authority), now);
  }
  desk_.on_station_gone(station);
  // What goes on without an operator goes on as the robot's policy.
  if (auto* const task = in<Tasking>(); task && task->authority.source() == Authority::Source::task) {
    if (options_.on_gone.kind == Policy::Kind::go_on) {
      task->authority = LeaseDesk::as_policy(std::move(task->authority));
      task->policy = options_.on_gone;
    }
  }
  lease_changed(before, "the operator's station is gone");
}

void ControlDesk::ended(StationId station) {
  auto const before = desk_.id();
  auto const why = "the operator's station has ended the session";
  disarm(DisarmReason::link_gone, why);
  desk_.on_station_gone(station);
  lease_changed(before, why);
}

void ControlDesk::run_policy(Policy const& policy, DisarmReason reason, Authority&& authority, Time now) {
  auto const words = reason == DisarmReason::link_gone ? "the link is gone" : "the link was lost: arm again";
  switch (policy.kind) {
    case Policy::Kind::hold:
      return disarm(reason, words);
    case Policy::Kind::go_on:
      if (!in<Tasking>()) disarm(reason, words);
      return;
    case Policy::Kind::retrace:
    case Policy::Kind::task:
      break;
  }
  if (!ready_ || !senses_.base_fresh(now, options_.gate.data_too_old) || senses_.stalled() ||
      senses_.bumped())
    return disarm(reason, words);
  // Begun when the link was lost, it goes on when the link is gone.
  if (auto const* task = in<Tasking>(); task && task->by_policy() && task->policy == policy) return;
  last_run_.value += 1;
  auto starts = policy.starts();
  control::BeginTask begin{last_run_, std::move(starts.name), std::move(starts.settings), true};
  become(Tasking{last_run_,
                 begin.name,
                 std::move(authority),
                 policy,
                 std::nullopt,
                 {},
                 now + options_.task_patience,
                 {},
                 false},
         words);
  effects_.emplace_back(std::move(begin));
}

// ---- persons -----------------------------------------------------------------------------

void ControlDesk::on_person(Person const& person, Time now) {
  settle(now);
  auto const before = desk_.id();
  desk_.on_person(person);
  if (desk_.id() == before) return changed();
  lease_changed(before, "the person may not drive any more");
}

void ControlDesk::on_person_left(StationId station, PersonId person, Time now) {
  settle(now);
  auto const before = desk_.id();
  desk_.on_left(station, person);
  lease_changed(before, "the person has left");
}

void ControlDesk::lease_changed(LeaseId before, std::string_view why) {
  if (desk_.id() == before) return;
  input_ = {};
  disarmed_by_ = {};
  owed_.reset();
  auto const* const task = in<Tasking>();
  if (in<Armed>() || in<Driving>()) {
    disarm(DisarmReason::lease_lost, why);
  } else if (task && task->authority.source() == Authority::Source::task && !desk_.held()) {
    disarm(DisarmReason::lease_lost, why);
  }
  changed();
}

}  // namespace cy
