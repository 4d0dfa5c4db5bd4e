#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bench.hpp"
#include <limits>

namespace cy {
namespace {

using rig::Bench;

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
constexpr auto infinite = std::numeric_limits<double>::infinity();

TEST(Gate, PassesAGentleWishWhole) {
  Bench b;
  auto const admitted = b.ask({0.3, 0.2});
  ASSERT_TRUE(admitted);
  EXPECT_EQ(admitted->twist, (Twist{0.3, 0.2}));
  EXPECT_EQ(admitted->reason, CapReason::none);
  EXPECT_EQ(admitted->until, b.now + 300ms);
  EXPECT_LT(admitted->guard_distance, 0);
}

TEST(Gate, RefusesByTable) {
  struct Row {
    char const* name;
    Twist twist;
    Duration loop_age, lifetime;
    Contact contact;
    Refusal why;
  };
  for (auto const& row : std::vector<Row>{
           {"nan speed", {nan, 0}, 40ms, 300ms, Contact::up, Refusal::not_finite},
           {"nan turn", {0, nan}, 40ms, 300ms, Contact::up, Refusal::not_finite},
           {"infinite", {infinite, 0}, 40ms, 300ms, Contact::up, Refusal::not_finite},
           {"minus infinite", {0, -infinite}, 40ms, 300ms, Contact::up, Refusal::not_finite},
           {"absurd speed", {500, 0}, 40ms, 300ms, Contact::up, Refusal::limits},
           {"absurd turn", {0, -500}, 40ms, 300ms, Contact::up, Refusal::limits},
           {"loop locked", {0.1, 0}, 500ms, 300ms, Contact::up, Refusal::too_old},
           {"loop long locked", {0.1, 0}, 20min, 300ms, Contact::up, Refusal::too_old},
           {"from the future", {0.1, 0}, -1us, 300ms, Contact::up, Refusal::bad_value},
           {"no life left", {0.1, 0}, 40ms, 0ms, Contact::up, Refusal::too_old},
           {"link lost", {0.1, 0}, 40ms, 300ms, Contact::lost, Refusal::link_lost},
           {"link gone", {0.1, 0}, 40ms, 300ms, Contact::gone, Refusal::link_lost},
       }) {
    Bench b;
    auto const admitted = b.ask(row.twist, row.loop_age, row.lifetime, row.contact);
    ASSERT_FALSE(admitted) << row.name;
    EXPECT_EQ(admitted.error(), row.why) << row.name;
  }
}

TEST(Gate, CapsByTable) {
  struct Row {
    char const* name;
    Twist twist;
    Duration loop_age;
    Contact contact;
    CapReason reason;
    double linear, angular;  // at most
  };
  for (auto const& row : std::vector<Row>{
           {"configured", {0.9, 0}, 0ms, Contact::up, CapReason::loop_age, 0.7, 0},
           {"backwards too", {-0.9, 0}, 0ms, Contact::up, CapReason::loop_age, 0.7, 0},
           {"old loop", {0.6, 0}, 450ms, Contact::up, CapReason::loop_age, 0.6, 0},
           {"fast turn", {0, 1.7}, 100ms, Contact::up, CapReason::loop_age, 0, 1.2},
           {"late link", {0.6, 0}, 40ms, Contact::late, CapReason::link_late, 0.25, 0},
           {"late link, turning", {0, -1.0}, 40ms, Contact::late, CapReason::link_late, 0, 0.5},
       }) {
    Bench b;
    auto const admitted = b.ask(row.twist, row.loop_age, 300ms, row.contact);
    ASSERT_TRUE(admitted) << row.name;
    EXPECT_EQ(admitted->reason, row.reason) << row.name;
    EXPECT_LE(std::abs(admitted->twist.linear), row.linear) << row.name;
    EXPECT_LE(std::abs(admitted->twist.angular), row.angular) << row.name;
    EXPECT_GT(std::abs(admitted->twist.linear) + std::abs(admitted->twist.angular), 0.1) << row.name;
  }
}

TEST(Gate, TheRobotsOwnLimitsAndTheConfiguredOnesHold) {
  GateOptions far_sighted;
  far_sighted.blind_distance = far_sighted.blind_angle = 1000;
  Bench b(far_sighted);
  EXPECT_EQ(b.ask({2, 0})->reason, CapReason::configuration);
  EXPECT_NEAR(b.ask({2, 0})->twist.linear, far_sighted.max_linear, 1e-9);
  auto slow = rig::p3dx();
  slow.limits.linear = 0.2;
  b.senses.on_robot(slow);
  b.see(rig::sonar_part, rig::open_floor());
  EXPECT_EQ(b.ask({2, 0})->reason, CapReason::robot_limits);
  EXPECT_NEAR(b.ask({2, 0})->twist.linear, 0.2, 1e-9);
}

TEST(Gate, KeepsTheArcWhenItCaps) {
  Bench b;
  auto const admitted = b.ask({0.6, 0.6}, 40ms, 300ms, Contact::late);
  ASSERT_TRUE(admitted);
  EXPECT_NEAR(admitted->twist.linear, admitted->twist.angular, 1e-9);
}

TEST(Gate, ATaskIsNotSlowedByTheLink) {
  Bench b;
  EXPECT_NEAR(b.ask_as_task({0.4, 0}, Contact::late)->twist.linear, 0.4, 1e-9);
  EXPECT_NEAR(b.ask_as_task({0.4, 0}, Contact::gone)->twist.linear, 0.4, 1e-9);
}

TEST(Gate, DataOlderThan300msRefuses) {
  Bench b;
  b.now += 299ms;
  EXPECT_TRUE(b.ask({0.1, 0}));
  b.now += 1ms;
  EXPECT_EQ(b.ask({0.1, 0}).error(), Refusal::stale_data);
  b.senses.forget();
  EXPECT_EQ(b.ask({0.1, 0}).error(), Refusal::stale_data);
}

TEST(Gate, NoSetPointOutlivesItsPicture) {
  Bench b;
  EXPECT_EQ(b.ask({0.1, 0}, 40ms, 10s)->until, b.now + 300ms);
  EXPECT_EQ(b.ask({0.1, 0}, 40ms, 120ms)->until, b.now + 120ms);
  EXPECT_EQ(b.ask({0.1, 0}, 450ms, 300ms)->until, b.now + 50ms);
}

// ---- properties --------------------------------------------------------------------------

double any_double() {
  return *rc::gen::oneOf(rc::gen::arbitrary<double>(),
                         rc::gen::map(rc::gen::inRange(-3000, 3000), [](int mm) { return mm / 1000.0; }),
                         rc::gen::element(nan, infinite, -infinite, -0.0, 1e-320, 19.9, 59.0));
}

void any_surroundings(Bench& b) {
  auto sonar = rig::open_floor();
  sonar.enabled = *rc::gen::weightedElement<bool>({{9, true}, {1, false}});
  for (auto& disc : sonar.discs)
    disc = {static_cast<float>(*rc::gen::inRange(0, 5000)) / 1000.0f,
            static_cast<std::uint32_t>(*rc::gen::inRange(0, 1500)), *rc::gen::arbitrary<bool>()};
  b.see(rig::sonar_part, sonar);
  b.see(rig::bumper_part, BumperState{*rc::gen::inRange<std::uint32_t>(0, 4)});
}

RC_GTEST_PROP(GateProperty, WhatPassesIsFiniteAndUnderEveryCap, ()) {
  Bench b;
  any_surroundings(b);
  Twist const wish{any_double(), any_double()};
  auto const loop_age = std::chrono::milliseconds(*rc::gen::inRange(-10, 600));
  auto const lifetime = std::chrono::milliseconds(*rc::gen::inRange(-10, 600));
  auto const contact = static_cast<Contact>(*rc::gen::inRange(0, 4));
  auto const admitted = b.ask(wish, loop_age, lifetime, contact);
  if (!admitted) return;
  auto const& o = b.gate.options();
  auto const v = std::abs(admitted->twist.linear), w = std::abs(admitted->twist.angular);
  RC_ASSERT(finite(wish) && finite(admitted->twist));
  RC_ASSERT(v <= std::abs(wish.linear) && w <= std::abs(wish.angular));
  RC_ASSERT(admitted->twist.linear * wish.linear >= 0 && admitted->twist.angular * wish.angular >= 0);
  RC_ASSERT(v <= o.max_linear && w <= o.max_angular && v <= 1.0 && w <= radians(150));
  RC_ASSERT(v <= admitted->cap_linear && w <= admitted->cap_angular);
  RC_ASSERT(contact <= Contact::late);
  if (contact == Contact::late) RC_ASSERT(v <= o.late_linear && w <= o.late_angular);
  RC_ASSERT(admitted->until > b.now && admitted->until <= b.now + lifetime);
  RC_ASSERT(admitted->until <= b.now + o.max_lifetime);
  RC_ASSERT(admitted->until - b.now + loop_age <= o.loop_too_old);
  // v·T + v²/2a ≤ blind distance, and likewise turning.
  auto const t = seconds(loop_age + (admitted->until - b.now));
  RC_ASSERT(v * t + v * v / (2 * 0.3) <= o.blind_distance + 1e-9);
  RC_ASSERT(w * t + w * w / (2 * radians(100)) <= o.blind_angle + 1e-9);
}

}  // namespace
}  // namespace cy
