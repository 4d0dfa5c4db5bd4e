// The way that a robot came by.
#include <cy/tasks/trail.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace cy {
namespace {

TEST(Trail, ThinsOutAndBeginsAnewAfterAJump) {
  Trail trail;
  BaseState base;
  for (auto i = 0; i <= 1000; ++i) {
    base.pose.x = i * 0.001;
    trail.on_base(base);
  }
  EXPECT_LE(trail.poses().size(), 22u);
  EXPECT_NEAR(trail.length(), 1.0, 0.06);
  base.pose.x = std::numeric_limits<double>::quiet_NaN();
  trail.on_base(base);
  EXPECT_NEAR(trail.length(), 1.0, 0.06);
  base.odometry_epoch = 1;
  base.pose = {};
  trail.on_base(base);
  EXPECT_EQ(trail.poses().size(), 1u);
  base.pose.x = 50;
  trail.on_base(base);
  EXPECT_EQ(trail.poses().size(), 1u);
}

TEST(Trail, ForgetsTheOldestFirst) {
  TrailOptions options;
  options.longest = 10;
  Trail trail(options);
  BaseState base;
  for (auto i = 0; i < 100; ++i) {
    base.pose.x = i * 0.1;
    trail.on_base(base);
  }
  EXPECT_EQ(trail.poses().size(), 10u);
  EXPECT_NEAR(trail.poses().back().x, 9.9, 1e-9);
}

}  // namespace
}  // namespace cy
