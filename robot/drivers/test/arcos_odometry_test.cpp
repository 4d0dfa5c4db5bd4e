// However a robot goes, what comes out of its rolling counts is where it went.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "arcos/odometry.hpp"

namespace cy::arcos {
namespace {

Sip at(double x, double y, double yaw, Generation const& g, bool positive_heading) {
  Sip sip;
  auto const units = [&](double metres) {
    return static_cast<std::uint16_t>(static_cast<std::int64_t>(std::llround(metres / g.metres)));
  };
  sip.x = units(x);
  sip.y = units(y);
  auto heading = static_cast<int>(std::lround(normalised(yaw) / radians_per_unit));
  if (positive_heading && heading < 0) heading += 4096;
  sip.heading = static_cast<std::int16_t>(heading);
  return sip;
}

RC_GTEST_PROP(ArcosOdometry, FollowsAnyPathThroughAnyNumberOfWraps, ()) {
  auto const& g = generations[*rc::gen::inRange<std::size_t>(0, 2)];
  auto const positive = *rc::gen::arbitrary<bool>();
  // High bits that some firmware leaves set must not count.
  auto const high = static_cast<std::uint16_t>(*rc::gen::arbitrary<bool>() ? 0x8000 : 0);
  Odometry odometry;
  auto now = Time{} + 5s;
  auto x = *rc::gen::inRange(-40, 40) * 1.0, y = *rc::gen::inRange(-40, 40) * 1.0, yaw = 0.0;
  auto const x0 = std::round(x / g.metres) * g.metres, y0 = std::round(y / g.metres) * g.metres;
  odometry.update(at(x, y, yaw, g, positive), g, now);
  auto const steps = *rc::gen::inRange(1, 400);
  auto const speed = *rc::gen::inRange(-220, 221) / 100.0, turn = *rc::gen::inRange(-40, 41) / 10.0;
  for (auto i = 0; i < steps; ++i) {
    auto const dt = std::chrono::milliseconds(*rc::gen::inRange(20, 400));
    now += dt;
    yaw += turn * seconds(dt);
    x += speed * std::cos(turn == 0.0 ? 1.0 : yaw) * seconds(dt);
    y += speed * std::sin(turn == 0.0 ? 1.0 : yaw) * seconds(dt);
    auto sip = at(x, y, yaw, g, positive);
    sip.x ^= high;
    odometry.update(sip, g, now);
  }
  RC_ASSERT(odometry.epoch() == 1u);
  RC_ASSERT(std::abs(odometry.pose().x - (x - x0)) < 0.002);
  RC_ASSERT(std::abs(odometry.pose().y - (y - y0)) < 0.002);
  RC_ASSERT(std::abs(normalised(odometry.pose().yaw - yaw)) < radians_per_unit);
}

RC_GTEST_PROP(ArcosOdometry, DifferencesAreTheShorterWay, (std::uint16_t before, std::uint16_t now)) {
  auto const d = difference_15(now, before);
  RC_ASSERT(d >= -0x4000 && d < 0x4000);
  RC_ASSERT(((before + d) & 0x7fff) == (now & 0x7fff));
}

TEST(ArcosOdometry, AnImpossibleStepIsANewEpochNotAMove) {
  auto const& g = generations[1];
  Odometry odometry;
  auto now = Time{} + 5s;
  odometry.update(at(0, 0, 0, g, false), g, now);
  odometry.update(at(0.1, 0, 0, g, false), g, now += 100ms);
  odometry.update(at(9.0, 0, 0, g, false), g, now += 100ms);
  EXPECT_NEAR(odometry.pose().x, 0.1, 1e-9);
  EXPECT_EQ(odometry.epoch(), 2u);
  odometry.update(at(9.1, 0, 0, g, false), g, now += 100ms);
  EXPECT_NEAR(odometry.pose().x, 0.2, 1e-9);
  EXPECT_EQ(odometry.jumps(), 1u);
}

TEST(ArcosOdometry, ALongGapIsANewEpoch) {
  auto const& g = generations[0];
  Odometry odometry;
  auto now = Time{} + 5s;
  odometry.update(at(0, 0, 0, g, false), g, now);
  odometry.update(at(0.1, 0, 0, g, false), g, now += 1500ms);
  EXPECT_EQ(odometry.epoch(), 2u);
  EXPECT_DOUBLE_EQ(odometry.pose().x, 0.0);
}

TEST(ArcosOdometry, ZeroingWhileMovingKeepsTheMove) {
  auto const& g = generations[1];
  Odometry odometry;
  auto now = Time{} + 5s;
  odometry.update(at(0, 0, 0, g, false), g, now);
  odometry.update(at(0.3, 0, 0, g, false), g, now += 300ms);
  odometry.zeroed(now + 10ms);
  odometry.update(at(0.04, 0, 0, g, false), g, now += 100ms);
  EXPECT_NEAR(odometry.pose().x, 0.04, 1e-9);
  EXPECT_EQ(odometry.epoch(), 2u);
}

}  // namespace
}  // namespace cy::arcos
