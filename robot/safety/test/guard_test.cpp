// The sonar guard.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bench.hpp"
#include <deque>
#include <limits>

namespace cy {
namespace {

using rig::Bench;

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();
constexpr auto infinite = std::numeric_limits<double>::infinity();

TEST(Guard, StopsBeforeAWall) {
  Bench b;
  b.wall_ahead(0.12f);
  auto const admitted = b.ask({0.3, 0});
  ASSERT_TRUE(admitted);
  EXPECT_EQ(admitted->twist.linear, 0);
  EXPECT_EQ(admitted->reason, CapReason::sonar_guard);
  EXPECT_LT(admitted->guard_distance, 0.1);
}

TEST(Guard, SlowsInTimeAndMoreTheNearer) {
  auto last = 1.0;
  for (auto const range : {1.5f, 1.0f, 0.7f, 0.5f, 0.3f, 0.17f}) {
    Bench b;
    b.wall_ahead(range);
    auto const v = b.ask({0.5, 0})->twist.linear;
    EXPECT_LE(v, last) << range;
    last = v;
  }
  EXPECT_LT(last, 0.05);
}

TEST(Guard, LetsItBackAway) {
  Bench b;
  b.wall_ahead(0.12f);
  EXPECT_NEAR(b.ask({-0.3, 0})->twist.linear, -0.3, 1e-9);
}

TEST(Guard, LetsItPassAlongAWall) {
  Bench b;
  auto sonar = rig::open_floor();
  sonar.discs[0] = sonar.discs[15] = {0.15f, 0, true};
  b.see(rig::sonar_part, sonar);
  EXPECT_NEAR(b.ask({0.3, 0})->twist.linear, 0.3, 1e-9);
}

TEST(Guard, DoesNotTurnItsTailIntoAWall) {
  Bench b;
  auto sonar = rig::open_floor();
  sonar.discs[15] = {0.10f, 0, true};  // left of the tail: turning clockwise swings it there
  b.see(rig::sonar_part, sonar);
  EXPECT_LT(std::abs(b.ask({0, -0.8})->twist.angular), 0.2);
}

TEST(Guard, BlockedAheadItMayStillTurn) {
  Bench b;
  b.wall_ahead(0.15f);
  auto const admitted = b.ask({0.3, 0.5});
  ASSERT_TRUE(admitted);
  EXPECT_EQ(admitted->twist.linear, 0);
  EXPECT_GT(admitted->twist.angular, 0.2);
}

// A wall heard at 1.2 m, once; what counts afterwards is where it is, not where it was heard.
struct Came {
  Bench b;
  BaseState base{rig::resting()};
  Came() {
    b.see(rig::base_part, base);
    b.wall_ahead(1.2f);
  }
  void drive(Twist twist, Duration how_long) {
    for (auto t = 0ms; t < how_long; t += 50ms) {
      b.now += 50ms;
      base.pose = advance(base.pose, twist, 0.05);
      base.twist = twist;
      b.see(rig::base_part, base);
    }
    base.twist = {};
    b.see(rig::base_part, base);
  }
  double ahead() { return b.ask({0.5, 0})->twist.linear; }
};

TEST(Guard, EchoesStayWhereTheyWereHeard) {
  Came drove;
  drove.drive({0.5, 0}, 800ms);
  Bench fresh;
  fresh.wall_ahead(0.8f);
  EXPECT_NEAR(drove.ahead(), fresh.ask({0.5, 0})->twist.linear, 1e-6);
  Came waited;
  auto const before = waited.ahead();
  waited.drive({}, 800ms);
  EXPECT_NEAR(waited.ahead(), before, 1e-9);
  // Turned away from, it is at the side; turned towards, ahead.
  Came turned;
  turned.drive({1.6, 0}, 500ms);
  auto const near = turned.ahead();
  turned.drive({0, 2.5 * pi}, 400ms);
  EXPECT_LT(near, 0.4);
  EXPECT_GT(turned.ahead(), 0.49);
}

TEST(Guard, EchoesOutliveAJumpOfTheOdometry) {
  for (auto const lost : {false, true}) {
    Came drove;
    drove.drive({0.5, 0}, 400ms);
    // Reset while it drives: the numbers jump, the robot and the wall do not.
    drove.base.pose = {lost ? nan : 7, 0, 2};
    drove.base.odometry_epoch += 1;
    drove.drive({}, 50ms);
    drove.base.pose = {7, 0, 2};
    drove.drive({0.5, 0}, 400ms);
    Bench fresh;
    fresh.wall_ahead(0.8f);
    EXPECT_NEAR(drove.ahead(), fresh.ask({0.5, 0})->twist.linear, 0.01) << lost;
  }
}

TEST(Guard, BetweenReportsTheRobotGoesOnAsItSaid) {
  Came drove;
  drove.drive({1.0, 0}, 600ms);
  drove.base.twist = {0.5, 0};
  drove.b.see(rig::base_part, drove.base);
  auto const then = drove.ahead();
  drove.b.now += 200ms;
  EXPECT_LT(drove.ahead(), then - 0.02);
}

TEST(Guard, BlindItCreeps) {
  struct Row {
    char const* name;
    SonarState sonar;
  };
  auto off = rig::open_floor();
  off.enabled = false;
  auto silent = rig::open_floor();
  silent.silent = true;
  auto one_deaf = rig::open_floor();
  one_deaf.discs[4].age_ms = SonarDisc::never;
  auto one_mad = rig::open_floor();
  one_mad.discs[4].range = std::numeric_limits<float>::quiet_NaN();
  auto few = rig::open_floor();
  few.discs.resize(3);
  for (auto const& row : std::vector<Row>{
           {"off", off}, {"silent", silent}, {"one deaf", one_deaf}, {"one mad", one_mad}, {"few", few}}) {
    Bench b;
    b.see(rig::sonar_part, row.sonar);
    auto const admitted = b.ask({0.5, 0});
    ASSERT_TRUE(admitted) << row.name;
    EXPECT_NEAR(admitted->twist.linear, 0.25, 1e-9) << row.name;
    EXPECT_EQ(admitted->reason, CapReason::sonar_silent) << row.name;
  }
  // So it does where no disc looks at all: half a ring, or none.
  for (auto const discs : {8u, 0u}) {
    auto half = rig::p3dx();
    half.parts[1].elements.resize(discs);
    if (discs == 0) half.parts.erase(half.parts.begin() + 1);
    Bench b;
    b.senses.on_robot(half);
    auto sonar = rig::open_floor();
    sonar.discs.resize(discs);
    b.see(rig::sonar_part, sonar);
    EXPECT_EQ(b.ask({-0.5, 0})->reason, CapReason::sonar_silent) << discs;
    EXPECT_NEAR(b.ask({-0.5, 0})->twist.linear, -0.25, 1e-9) << discs;
    EXPECT_NEAR(b.ask({0.5, 0})->twist.linear, discs == 0 ? 0.25 : 0.5, 1e-9);
    EXPECT_NEAR(b.ask({0, 1.0})->twist.angular, discs == 0 ? 0.5 : 1.0, 1e-9);
  }
  // A deaf disc in front does not slow the way back.
  Bench b;
  b.see(rig::sonar_part, one_deaf);
  EXPECT_NEAR(b.ask({-0.5, 0})->twist.linear, -0.5, 1e-9);
}

TEST(Guard, APressedBumperBlocksItsOwnDirectionOnly) {
  Bench b;
  b.see(rig::bumper_part, BumperState{1});
  EXPECT_EQ(b.ask({0.2, 0})->twist.linear, 0);
  EXPECT_NEAR(b.ask({-0.2, 0})->twist.linear, -0.2, 1e-9);
}

TEST(Guard, BlockedAheadAndDeafItTurnsSlowly) {
  Bench b;
  auto sonar = rig::open_floor();
  sonar.discs[3] = sonar.discs[4] = {0.13f, 0, true};
  sonar.discs[12].age_ms = SonarDisc::never;  // behind: the way ahead is not blind, the turn is
  b.see(rig::sonar_part, sonar);
  auto const admitted = b.ask({0.05, 1.0});
  ASSERT_TRUE(admitted);
  EXPECT_EQ(admitted->twist.linear, 0);
  EXPECT_GT(admitted->twist.angular, 0.2);
  EXPECT_LE(admitted->twist.angular, 0.5);
}

TEST(Guard, ARobotWithoutSonarsCreepsUnlessItIsToldThatItNeedNot) {
  GateOptions options;
  options.guard.blind_linear = 0.4;
  Bench b(options);
  auto bare = rig::p3dx();
  bare.parts.resize(1);
  bare.footprint = {nan, -1, 0, infinite};
  bare.limits = {nan, infinite, -1, nan, 0, 0};
  b.senses.on_robot(bare);
  EXPECT_NEAR(b.ask({0.5, 0})->twist.linear, 0.4, 1e-9);
  EXPECT_EQ(b.ask({0.5, 0})->reason, CapReason::sonar_silent);
  options.guard.on = false;
  Bench unguarded(options);
  unguarded.senses.on_robot(bare);
  EXPECT_NEAR(unguarded.ask({0.5, 0})->twist.linear, 0.5, 1e-9);
}

// ---- properties --------------------------------------------------------------------------

// An obstacle straight ahead that was heard a while ago, and the robot has come nearer since. It
// does not get there in the reaction time at the admitted speed and on the brakes.
RC_GTEST_PROP(GateProperty, ItStopsShortOfWhatItHears, ()) {
  Bench b;
  auto const range = *rc::gen::inRange(0, 4000) / 1000.0;
  auto const age_ms = *rc::gen::inRange(0, 1000);
  auto const backwards = *rc::gen::arbitrary<bool>();
  // The echo is at most this far ahead of the outline.
  auto const disc = backwards ? 0.255 - 0.301 : 0.166 - 0.210;
  auto const came = std::clamp(*rc::gen::inRange(0, 1000) / 1e6 * age_ms, 0.0, std::max(0.0, disc + range));
  auto sonar = rig::open_floor();
  sonar.discs[backwards ? 11 : 3] = {static_cast<float>(range), 0, true};
  b.see(rig::sonar_part, sonar);
  b.now += std::chrono::milliseconds(age_ms);
  auto base = rig::resting();
  base.pose.x = backwards ? -came : came;
  b.see(rig::base_part, base);
  auto const wish = *rc::gen::inRange(1, 2000) / 1000.0 * (backwards ? -1 : 1);
  auto const admitted = b.ask({wish, 0});
  RC_ASSERT(admitted.has_value());
  auto const v = std::abs(admitted->twist.linear);
  auto const t = seconds(b.gate.options().guard.reaction);
  auto const room = disc + range - came;
  if (v > 1e-6) RC_ASSERT(v * t + v * v / (2 * 0.3) <= room);
}

// A robot in a world with one long wall. It obeys a controller's cycle late and on its ramps, its
// discs fire at their own pace, each hears the nearest of the wall in its beam.
struct Hall {
  Bench b;
  RobotInfo const info{rig::p3dx()};
  Pose2 pose;
  Twist twist;
  double wall;  // the plane x = wall
  int cycle;    // ms, of each disc
  std::deque<Twist> ordered;
  SonarState sonar{rig::open_floor()};
  std::vector<int> fired;

  Hall(double wall_at, int disc_cycle, double yaw) : pose{0, 0, yaw}, wall(wall_at), cycle(disc_cycle) {
    ordered.assign(100, Twist{});
  }
  double nearest() const {  // m, from the outline's corners to the wall
    auto const& f = info.footprint;
    auto least = 1e9;
    for (auto const x : {f.front, -f.rear})
      for (auto const y : {f.half_width, -f.half_width})
        least = std::min(least, wall - pose.to_outer({x, y}).x);
    return least;
  }
  void fire(std::size_t i) {
    auto const& mount = info.parts[1].elements[i];
    auto const at = pose.to_outer({mount.x, mount.y});
    sonar.discs[i] = {5.0f, 0, false};
    for (auto degree = -15; degree <= 15; ++degree) {
      auto const towards = std::cos(pose.yaw + mount.yaw + radians(degree));
      if (towards < 1e-3) continue;
      auto const range = static_cast<float>((wall - at.x) / towards);
      if (range < sonar.discs[i].range) sonar.discs[i] = {range, 0, true};
    }
    fired[i] = 0;
  }
  void run(Twist const& wish, int ms) {
    fired.assign(16, 0);
    auto const to = [](double v, double target, double step) {
      return v < target ? std::min(target, v + step) : std::max(target, v - step);
    };
    for (auto t = 0; t < ms; ++t, b.now += 1ms) {
      for (std::size_t i = 0; i < 16; ++i)
        if (t == 0 || t % cycle == static_cast<int>(i) * cycle / 16) fire(i);
      if (t % 100 == 0) {
        auto base = rig::resting();
        base.pose = pose;
        base.twist = twist;
        b.see(rig::base_part, base);
        for (std::size_t i = 0; i < 16; ++i) sonar.discs[i].age_ms = static_cast<std::uint32_t>(fired[i]);
        b.see(rig::sonar_part, sonar);
      }
      for (auto& age : fired) ++age;
      if (t % 50 == 0)
        ordered.push_back(b.ask(wish)->twist);
      else
        ordered.push_back(ordered.back());
      auto const target = ordered.front();
      ordered.pop_front();
      twist = {to(twist.linear, target.linear, 0.3e-3), to(twist.angular, target.angular, radians(0.1))};
      pose = advance(pose, twist, 1e-3);
      RC_ASSERT(nearest() > 0.0);
    }
  }
};

// Over and over straight at a wall, up to discs that are all but too old: it comes to rest before.
RC_GTEST_PROP(GateProperty, DrivenAtAWallItComesToRestBeforeIt, ()) {
  Hall hall(*rc::gen::inRange(500, 3000) / 1000.0, *rc::gen::inRange(40, 1000), 0);
  hall.run({*rc::gen::inRange(50, 1000) / 1000.0, 0}, 40'000);
  RC_ASSERT(hall.twist.linear < 0.02);
}

// And on any arc, ahead or tail first, from any heading.
RC_GTEST_PROP(GateProperty, OnAnyArcItComesToNoWall, ()) {
  Hall hall(*rc::gen::inRange(600, 2000) / 1000.0, *rc::gen::inRange(40, 1000),
            radians(*rc::gen::inRange(-180, 180)));
  for (auto i = 0; i < 4; ++i)
    hall.run({*rc::gen::inRange(-1000, 1000) / 1000.0, *rc::gen::inRange(-1500, 1500) / 1000.0}, 5'000);
}

}  // namespace
}  // namespace cy
