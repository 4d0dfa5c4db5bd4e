// Any sequence of what can happen to a control desk, made from bytes, with the invariants
// checked after every step. The fuzzer and the property tests share it.
#pragma once

#include <cy/base/check.hpp>

#include "../test/rig.hpp"
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace cy::rig {

class Storm {
 public:
  Storm(std::uint8_t const* data, std::size_t size)
      : data_(data), size_(size), desk_(Resource{1}, options(), Seed{byte()}, now_) {
    desk_.on_robot(p3dx(), now_);
    desk_.on_device(DevicePhase::ready, now_);
    report();
    settle();
  }

  void run() {
    while (at_ < size_) step();
    for (auto const& [id, endings] : commands_) CY_CHECK(endings <= 1);
    // Nothing stays open but a task that has not begun; a stop closes that too.
    desk_.stop(StopKind::category_2, "end", "", now_);
    settle();
    for (auto const& [id, endings] : commands_) CY_CHECK(endings == 1);
  }
  std::size_t moved() const { return moved_; }

 private:
  std::uint8_t byte() { return at_ < size_ ? data_[at_++] : 0; }
  Person const& person() {
    static Person const* const all[] = {&olga, &otto, &mia, &ian};
    return *all[byte() % 4];
  }
  StationId any_station() { return byte() % 2 ? station : other_station; }
  LeaseId any_lease() {
    auto const b = byte();
    if (b % 8 == 7) return LeaseId{b};
    return b % 8 == 6 ? old_lease_ : desk_.state(now_).lease;
  }
  double any_number() {
    static constexpr double odd[] = {0, 0, 0.3, -0.3, 1, 1e9, -1e300};
    auto const b = byte();
    if (b == 255) return std::numeric_limits<double>::quiet_NaN();
    if (b == 254) return std::numeric_limits<double>::infinity();
    return odd[b % 7];
  }
  ControlOptions options() {
    auto const b = byte();
    ControlOptions o;
    o.on_lost.kind = static_cast<Policy::Kind>(b % 4);
    o.on_gone.kind = static_cast<Policy::Kind>(b / 4 % 4);
    o.on_lost.distance = o.on_gone.distance = 2;
    o.on_lost.task = o.on_gone.task = "wander";
    return o;
  }

  template <wire::Message M>
  void tell(M const& what) {
    auto const& who = person();
    // Ids may come late and out of order, but each once.
    auto const id = CommandId{byte() % 16 == 0 ? 1'000'000 - ++odd_id_ : ++id_};
    auto const body = wire::body_of(what);
    auto const before = desk_.mode();
    commands_[id] = 0;
    auto const lease = any_lease();
    if (desk_.on_command(who, id, lease, wire::view(body), now_) == ControlDesk::Routed::forward)
      commands_[id] += 1;  // ends at the driver
    if constexpr (std::is_same_v<M, Arm>) {
      // Only here may a resting robot become armed.
      person_armed_ = before == Mode::disarmed && desk_.mode() == Mode::armed;
      CY_CHECK(!person_armed_ || who.may_drive());
    }
    if constexpr (std::is_same_v<M, Stop>) {
      CY_CHECK(desk_.mode() == Mode::stopping || desk_.mode() == Mode::stopped);
      CY_CHECK(!desk_.state(now_).lease);
    }
  }
  void set_point() {
    SetPoint sp;
    auto const& who = person();
    sp.id = CommandId{++id_};
    sp.lease = any_lease();
    auto const age = std::chrono::milliseconds(byte() * 3);
    sp.echo_us = stamp_us(now_ - age);
    sp.lifetime_ms = static_cast<std::uint16_t>(byte() * 2);
    Twist const twist{any_number(), any_number()};
    sp.what = wire::body_of(Drive{twist});
    commands_[sp.id] = 0;
    life_ends_ = now_ + std::chrono::milliseconds(sp.lifetime_ms);
    desk_.on_set_point(who, sp, 0ms, now_);
  }
  void report() {
    auto const b = byte();
    base_.motors = b % 16 != 15;
    base_.stall_left = b % 32 == 30;
    base_.stop_button = b % 64 == 29;
    base_.twist = b % 4 == 3 ? Twist{0.2, 0} : Twist{};
    auto const body = wire::body_of(base_);
    desk_.on_observed(base_part, wire::view(body), now_);
    reported_ = now_;
  }
  void hear() {
    auto sonar = open_floor();
    auto const b = byte();
    sonar.discs[b % 16] = {static_cast<float>(byte()) / 50.0f, byte() * 5u, true};
    auto const body = wire::body_of(sonar);
    desk_.on_observed(sonar_part, wire::view(body), now_);
  }

  void step() {
    auto const before = desk_.mode();
    person_armed_ = false;
    policy_may_begin_ = false;
    life_ends_.reset();
    switch (byte() % 24) {
      case 0:
        tell(RequestLease{byte() % 2 == 0, "mine"});
        break;
      case 1:
        tell(ReleaseLease{});
        break;
      case 2:
        tell(GrantLease{any_station(), PersonId{1}});
        break;
      case 3:
      case 4:
        tell(Arm{desk_.state(now_).revision - byte() % 3});
        break;
      case 5:
        tell(Disarm{static_cast<DisarmReason>(byte()), ""});
        break;
      case 6:
        tell(Stop{static_cast<StopKind>(byte() % 4), ""});
        break;
      case 7:
        tell(ReleaseStop{desk_.state(now_).revision});
        break;
      case 8:
        tell(StartTask{"wander", {}});
        break;
      case 9:
        tell(StopTask{});
        break;
      case 10:
        tell(Motors{true});
        break;
      case 11:
        tell(Probe{});
        break;
      case 12:
      case 13:
      case 14:
        set_point();
        break;
      case 15:
      case 16:
        report();
        break;
      case 17:
        hear();
        break;
      case 18:
        desk_.on_device(byte() % 4 == 0 ? DevicePhase::waiting : DevicePhase::ready, now_);
        break;
      case 19: {
        policy_may_begin_ = before == Mode::armed || before == Mode::driving || before == Mode::task || lost_;
        lost_ = true;
        auto const who = any_station();
        auto const b = byte();
        desk_.on_contact(who, static_cast<Contact>(b % 5), now_ - 20ms * (b / 5), now_);
        break;
      }
      case 20: {
        auto who = person();
        who.role = static_cast<Role>(byte() % 5);
        desk_.on_person(who, now_);
        break;
      }
      case 21: {
        auto const run = TaskRun{run_.value - byte() % 2};
        auto const b = byte();
        if (b % 4 == 0) desk_.on_task_began(run, b % 8 == 0, now_);
        if (b % 4 == 1) desk_.on_task_refused(run, Refusal::bad_value, "no", now_);
        if (b % 4 == 2) desk_.on_task_ended(run, TaskPhase::finished, "", now_);
        if (b % 4 == 3) {
          life_ends_ = now_ + 300ms;
          desk_.on_intent(run, {any_number(), any_number()}, now_);
        }
        break;
      }
      case 22:
        now_ += std::chrono::milliseconds(byte());
        break;  // unseen: the process was frozen
      case 23:
        now_ += std::chrono::milliseconds(byte());
        desk_.on_time(now_);
        break;
    }
    settle();
    auto const after = desk_.mode();
    // Driving begins at rest by an Arm and nothing else; no stop ends but by its release.
    auto const rest = [](Mode m) { return m == Mode::disarmed || m == Mode::stopping || m == Mode::stopped; };
    if (rest(before)) {
      CY_CHECK(after != Mode::driving && after != Mode::task);
      CY_CHECK(after != Mode::armed || person_armed_);
      CY_CHECK(after != Mode::policy || policy_may_begin_);
    }
  }

  void settle() {
    std::vector<control::Effect> effects;
    desk_.drain(effects);
    auto const mode = desk_.mode();
    auto const state = desk_.state(now_);
    for (auto const& effect : effects) {
      if (auto const* ended = std::get_if<control::Ended>(&effect)) commands_.at(ended->id) += 1;
      if (auto const* begin = std::get_if<control::BeginTask>(&effect)) run_ = begin->run;
      if (auto const* drive = std::get_if<control::ForwardDrive>(&effect)) {
        CY_CHECK(finite(drive->twist));
        CY_CHECK(std::abs(drive->twist.linear) <= 0.75 && std::abs(drive->twist.angular) <= 1.75);
        CY_CHECK(drive->until > now_ && drive->until <= now_ + 300ms);
        if (life_ends_) CY_CHECK(drive->until <= *life_ends_);
        CY_CHECK(now_ - reported_ < 300ms);
        CY_CHECK(!state.stop_latched);
        auto const moves = drive->twist.linear != 0 || drive->twist.angular != 0;
        CY_CHECK(!moves || mode == Mode::driving || mode == Mode::task || mode == Mode::policy);
        moved_ += moves;
      }
    }
    // Whatever stands at rest has been told to stop since it last moved.
    for (auto const& effect : effects) {
      if (std::get_if<control::StopDevice>(&effect)) stopped_ = true;
      if (auto const* drive = std::get_if<control::ForwardDrive>(&effect))
        stopped_ = drive->twist == Twist{} && stopped_;
    }
    CY_CHECK(mode != Mode::policy || !(base_.stall_left && desk_.senses().stalled()));
    if (mode == Mode::disarmed || mode == Mode::stopping || mode == Mode::stopped) CY_CHECK(stopped_);
    if (state.lease) {
      if (state.lease != lease_) old_lease_ = lease_;
      lease_ = state.lease;
    }
  }

  std::uint8_t const* data_;
  std::size_t size_;
  std::size_t at_{};
  Time now_{start};
  Time reported_{start};
  BaseState base_{resting()};
  ControlDesk desk_;
  std::map<CommandId, int> commands_;
  std::uint64_t id_{}, odd_id_{};
  LeaseId lease_, old_lease_;
  TaskRun run_;
  std::optional<Time> life_ends_;
  std::size_t moved_{};
  bool person_armed_{}, policy_may_begin_{}, lost_{}, stopped_{true};
};

}  // namespace cy::rig
