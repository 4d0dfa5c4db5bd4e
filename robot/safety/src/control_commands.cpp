// What persons and tasks ask of a robot.
#include <cy/safety/control.hpp>

#include <algorithm>

namespace cy {
namespace {

// Device commands that cannot make anything move, and so may pass a latched stop.
bool harmless(wire::Type type) {
  return type == SonarPower::head.type || type == ResetOdometry::head.type || type == Probe::head.type;
}

// Commands of the house that this machine does not know, or that go elsewhere.
bool of_the_house(wire::Type type) {
  return type >= 0x2000 && type < 0x3000;
}

bool standing(Twist const& twist) {
  return twist.linear == 0 && twist.angular == 0;
}

}  // namespace

// ---- set-points --------------------------------------------------------------------------

void ControlDesk::on_set_point(Person const& person, SetPoint const& set_point, Duration picture_age,
                               Time now) {
  settle(now);
  auto const refuse = [&](Refusal why) { end(person.station, set_point.id, Ending::refused, why); };
  auto authority = desk_.authorise(person, set_point.lease, now);
  if (!authority) return refuse(authority.error());
  if (set_point.id <= input_.newest) return end(person.station, set_point.id, Ending::superseded);
  input_.newest = set_point.id;
  input_.at = now;
  input_.neutral = false;
  auto const echo_age = since_stamp(now, set_point.echo_us);
  input_.loop_age = echo_age < 0ns ? echo_age : std::max(echo_age, picture_age);
  input_.lifetime_ms = set_point.lifetime_ms;
  if (set_point.what.type != Drive::head.type) return refuse(Refusal::unknown_command);
  auto const wish = wire::as<Drive>(wire::view(set_point.what));
  if (!wish) return refuse(Refusal::bad_value);
  input_.neutral = standing(wish->twist);
  if (auto const why = drive(std::move(*authority), set_point, wish->twist, now); why != Refusal::none)
    return refuse(why);
  end(person.station, set_point.id, Ending::applied);
}

Refusal ControlDesk::drive(Authority&& authority, SetPoint const& set_point, Twist const& wish, Time now) {
  if (in<Latched>()) return Refusal::stop_latched;
  if (in<Disarmed>()) return Refusal::not_armed;
  if (in<Tasking>()) return Refusal::busy;
  auto* driving = in<Driving>();
  auto const armed_by = driving ? driving->armed_by : in<Armed>()->by;
  if (set_point.id <= armed_by) return Refusal::too_old;
  if (!senses_.base()->motors) return Refusal::not_ready;
  auto const admitted =
      gate_.admit(authority, {wish, input_.loop_age, std::chrono::milliseconds(set_point.lifetime_ms)},
                  senses_, contact(), now);
  if (!admitted) return admitted.error();

  auto const before = driving ? driving->admitted.reason : CapReason::none;
  auto const born = now - input_.loop_age;
  if (standing(wish)) {
    if (driving) become(Armed{armed_by, now, now, true}, "");
  } else if (driving) {
    *driving = {armed_by, std::move(authority), wish, born, admitted->until, *admitted};
  } else {
    become(Driving{armed_by, std::move(authority), wish, born, admitted->until, *admitted}, "");
  }
  forward(*admitted, before);
  return Refusal::none;
}

bool ControlDesk::input_neutral(Time now) const {
  return input_.neutral || !input_.at || now - *input_.at >= options_.neutral_after;
}

// ---- events ------------------------------------------------------------------------------

ControlDesk::Routed ControlDesk::on_command(Person const& person, CommandId id, LeaseId lease, wire::Raw what,
                                            Time now) {
  settle(now);
  auto const answer = [&](Refusal why) {
    end(person.station, id, why == Refusal::none ? Ending::applied : Ending::refused, why);
    return Routed::handled;
  };
  // What stops needs no lease, and is obeyed even when its details cannot be read.
  if (what.type == Stop::head.type) {
    auto const how = wire::as<Stop>(what).value_or(Stop{});
    stop(how.kind, person.name, how.why.empty() ? "stopped by a person" : clipped(how.why, longest_words),
         now);
    return answer(Refusal::none);
  }
  if (what.type == StopTask::head.type) return answer(stop_task(person));
  if (what.type == ReleaseStop::head.type) {
    auto const how = wire::as<ReleaseStop>(what);
    return answer(how ? release(person, *how) : Refusal::bad_value);
  }
  if (what.type == RequestLease::head.type) {
    auto const how = wire::as<RequestLease>(what);
    if (!how) return answer(Refusal::bad_value);
    request_lease(person, id, *how, now);
    return Routed::handled;
  }
  if (what.type == ReleaseLease::head.type) {
    auto const why = desk_.release(person, lease);
    if (why == Refusal::none) lease_changed(lease, "the driver gave control back");
    return answer(why);
  }
  if (what.type == GrantLease::head.type) {
    auto const to = wire::as<GrantLease>(what);
    if (!to) return answer(Refusal::bad_value);
    auto const why = desk_.grant(person, lease, to->station, to->person, now);
    if (why == Refusal::none) lease_changed(lease, "the driver handed control over");
    return answer(why);
  }

  auto authority = desk_.authorise(person, lease, now);
  if (!authority) return answer(authority.error());
  if (what.type == Arm::head.type) {
    auto const how = wire::as<Arm>(what);
    return answer(how ? arm(*authority, id, *how, now) : Refusal::bad_value);
  }
  if (what.type == Disarm::head.type) {
    disarm_by_hand(id, wire::as<Disarm>(what).value_or(Disarm{}));
    return answer(Refusal::none);
  }
  if (what.type == StartTask::head.type) {
    auto const how = wire::as<StartTask>(what);
    if (!how) return answer(Refusal::bad_value);
    auto const why = start_task(std::move(*authority), {person.station, id}, *how, now);
    // Begun: its ending comes with the task's own first word.
    return why == Refusal::none ? Routed::handled : answer(why);
  }
  if (what.type == Drive::head.type) return answer(Refusal::bad_value);  // only as a set-point
  if (of_the_house(what.type)) return answer(Refusal::unknown_command);
  if (in<Latched>() && !harmless(what.type)) return answer(Refusal::stop_latched);
  return Routed::forward;
}

// The only way into Armed out of rest.
Refusal ControlDesk::arm(Authority const&, CommandId id, Arm const& how, Time now) {
  if (in<Latched>()) return Refusal::stop_latched;
  if (in<Tasking>()) return Refusal::busy;
  if (active()) return Refusal::none;
  if (!ready_) return Refusal::not_ready;
  if (!senses_.base_fresh(now, options_.gate.data_too_old)) return Refusal::stale_data;
  if (senses_.base()->stop_button) return Refusal::not_ready;
  if (contact() >= Contact::lost) return Refusal::link_lost;
  if (how.revision > revision_) return Refusal::bad_value;
  if (how.revision < quiet_revision_ || id <= disarmed_by_) return Refusal::too_old;
  if (!input_neutral(now)) return Refusal::not_ready;
  auto const on = senses_.base()->motors;
  become(Armed{std::max(id, input_.newest), now, now + options_.motors_patience, on}, "");
  if (!on) effects_.emplace_back(control::SwitchMotors{true});
  return Refusal::none;
}

void ControlDesk::disarm_by_hand(CommandId id, Disarm const& how) {
  disarmed_by_ = std::max(disarmed_by_, id);
  owed_.reset();
  if (!in<Armed>() && !in<Driving>()) return;
  auto reason = how.reason;
  if (reason != DisarmReason::focus_lost && reason != DisarmReason::page_hidden &&
      reason != DisarmReason::pad_lost)
    reason = DisarmReason::person;
  disarm(reason, how.why.empty() ? wire::name_of(reason) : clipped(how.why, longest_words));
}

Refusal ControlDesk::release(Person const& person, ReleaseStop const& how) {
  if (!person.may_drive()) return Refusal::role;
  auto const* const latched = in<Latched>();
  if (latched == nullptr) return Refusal::none;
  if (how.revision > revision_) return Refusal::bad_value;
  if (how.revision < quiet_revision_) return Refusal::too_old;
  if (!latched->latch.confirmed()) return Refusal::not_ready;
  become(Disarmed{DisarmReason::stop, "the stop was released: take control, then arm"}, "");
  return Refusal::none;
}

void ControlDesk::request_lease(Person const& person, CommandId id, RequestLease const& what, Time now) {
  auto const before = desk_.id();
  auto const again = desk_.held() && desk_.holder()->same_as(person);
  auto const granted = desk_.request(person, what.takeover, what.why, now);
  if (!granted) {
    if (granted.error() == Refusal::busy) changed();  // the holder sees the wish
    return end(person.station, id, Ending::refused, granted.error());
  }
  lease_changed(before, again ? "the driver took control afresh" : "somebody else took control");
  end(person.station, id, Ending::applied, Refusal::none, wire::body_of(*granted));
}

// ---- tasks -------------------------------------------------------------------------------

Refusal ControlDesk::start_task(Authority&& authority, Pending who, StartTask const& what, Time now) {
  if (in<Latched>()) return Refusal::stop_latched;
  if (in<Tasking>()) return Refusal::busy;
  if (in<Disarmed>()) return Refusal::not_armed;
  if (what.name.size() > longest_words) return Refusal::bad_value;
  if (!senses_.base()->motors) return Refusal::not_ready;
  last_run_.value += 1;
  control::BeginTask begin{last_run_, what.name, what.settings, false};
  become(Tasking{last_run_,
                 what.name,
                 LeaseDesk::as_task(std::move(authority)),
                 {},
                 who,
                 {},
                 now + options_.task_patience,
                 {},
                 false},
         "a task takes over");
  effects_.emplace_back(std::move(begin));
  return Refusal::none;
}

Refusal ControlDesk::stop_task(Person const& person) {
  if (!person.may_drive()) return Refusal::role;
  owed_.reset();
  if (in<Tasking>()) disarm(DisarmReason::task_ended, "ended by " + person.name);
  return Refusal::none;
}

void ControlDesk::on_task_began(TaskRun run, bool handles_touch, Time now) {
  settle(now);
  if (!runs(run)) return;
  auto* const task = in<Tasking>();
  task->handles_touch = handles_touch;
  if (!task->begin) return;
  end(task->begin->station, task->begin->id, Ending::applied);
  task->begin.reset();
}

void ControlDesk::on_task_refused(TaskRun run, Refusal why, std::string_view words, Time now) {
  settle(now);
  if (!runs(run)) return;
  auto* const task = in<Tasking>();
  if (task->begin)
    end(task->begin->station, task->begin->id, Ending::refused,
        why == Refusal::none ? Refusal::not_ready : why);
  task->begin.reset();
  disarm(DisarmReason::task_ended, words);
}

void ControlDesk::on_intent(TaskRun run, Twist const& twist, Time now) {
  settle(now);
  if (!runs(run) || in<Tasking>()->begin) return;
  auto* const task = in<Tasking>();
  auto const admitted = gate_.admit(
      task->authority, {twist, now - senses_.base_at(), options_.gate.max_lifetime}, senses_, contact(), now);
  if (!admitted)
    return disarm(DisarmReason::task_ended,
                  fmt::format("the task's intent was refused: {}", wire::name_of(admitted.error())));
  auto const before = task->admitted.reason;
  task->wish = twist;
  task->until = admitted->until;
  task->admitted = *admitted;
  task->spoke = true;
  forward(*admitted, before);
}

void ControlDesk::on_task_ended(TaskRun run, TaskPhase phase, std::string_view words, Time now) {
  settle(now);
  if (!runs(run)) return;
  auto const policy = in<Tasking>()->by_policy();
  disarm(policy ? DisarmReason::policy : DisarmReason::task_ended,
         words.empty() ? wire::name_of(phase) : words);
}

// ---- what is seen ------------------------------------------------------------------------

Mode ControlDesk::mode() const {
  if (in<Armed>()) return Mode::armed;
  if (in<Driving>()) return Mode::driving;
  if (auto const* task = in<Tasking>()) return task->by_policy() ? Mode::policy : Mode::task;
  if (auto const* latched = in<Latched>()) return latched->latch.confirmed() ? Mode::stopped : Mode::stopping;
  return Mode::disarmed;
}

ControlState ControlDesk::state(Time now) const {
  ControlState s;
  s.resource = resource_;
  s.revision = revision_;
  s.mode = mode();
  s.cap_reason = CapReason::stop;
  s.guard_distance = -1.0;
  auto const moving = [&](Admitted const& admitted) {
    if (now < admitted.until) s.permitted = admitted.twist;
    s.cap_linear = admitted.cap_linear;
    s.cap_angular = admitted.cap_angular;
    s.cap_reason = admitted.reason;
    s.guard_distance = admitted.guard_distance;
  };
  if (auto const* disarmed = in<Disarmed>()) {
    s.reason = disarmed->reason;
    s.why = disarmed->why;
  } else if (auto const* latched = in<Latched>()) {
    s.reason = DisarmReason::stop;
    s.why = latched->latch.why();
    s.stop_latched = true;
    s.stop_confirmed = latched->latch.confirmed();
    s.stop_kind = latched->latch.kind();
    s.stopped_by = latched->latch.by();
  } else if (auto const* driving = in<Driving>()) {
    moving(driving->admitted);
  } else if (auto const* task = in<Tasking>()) {
    s.reason = DisarmReason::task;
    s.why = task->name;
    moving(task->admitted);
  } else {
    auto const& limits = senses_.limits();
    auto const least = [](double told, double cap) { return told > 0 ? std::min(told, cap) : cap; };
    s.cap_linear = least(limits.linear, options_.gate.max_linear);
    s.cap_angular = least(limits.angular, options_.gate.max_angular);
    s.cap_reason = CapReason::configuration;
  }
  if (auto const* holder = desk_.holder()) {
    s.lease = desk_.id();
    s.holder_station = holder->station;
    s.holder_person = holder->id;
    s.holder_name = holder->name;
    s.holder_role = holder->role;
  }
  s.wishes = desk_.wishes();
  s.loop_age_us = static_cast<std::uint32_t>(std::max<std::int64_t>(
      0, std::chrono::duration_cast<std::chrono::microseconds>(input_.loop_age).count()));
  s.lifetime_ms = input_.lifetime_ms;
  s.neutral_seen = input_neutral(now);
  return s;
}

}  // namespace cy
