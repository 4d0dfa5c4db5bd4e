// About, and away from what is near.
#include "walk.hpp"

namespace cy::test {
namespace {

struct Roam {
  BaseState base;
  SonarState sonar;
  PartInfo part{ring()};
  Time now{1h};
  std::unique_ptr<Task> task{made("wander")};
  Roam() {
    sonar.enabled = true;
    sonar.discs.assign(8, {5, 0, false});
  }
  Intent step() {
    Observation o;
    o.now = now;
    o.base = &base;
    o.sonar = &sonar;
    o.sonar_part = &part;
    now += 100ms;
    return task->step(o);
  }
};

TEST(Wander, DrivesAheadInTheOpenAndTurnsFromAWall) {
  Roam roam;
  EXPECT_GT(roam.step().twist.linear, 0.2);
  roam.sonar.discs[3] = roam.sonar.discs[4] = {0.4f, 0, true};
  auto const first = roam.step().twist;
  EXPECT_EQ(first.linear, 0);
  EXPECT_NE(first.angular, 0);
  // It keeps to the side that it chose.
  roam.sonar.discs[1] = {first.angular > 0 ? 0.3f : 5.0f, 0, first.angular > 0};
  EXPECT_EQ(roam.step().twist.angular, first.angular);
}

TEST(Wander, BendsAwayFromTheNearerSide) {
  Roam roam;
  roam.sonar.discs[0] = roam.sonar.discs[1] = {0.5f, 0, true};
  EXPECT_LT(roam.step().twist.angular, 0);
}

TEST(Wander, BacksOffAndTurnsAfterAStallOrWhenStuck) {
  Roam stalled;
  stalled.step();
  stalled.base.stall_left = true;
  EXPECT_LT(stalled.step().twist.linear, 0);
  stalled.base.stall_left = false;
  stalled.now += 1600ms;
  auto const turning = stalled.step().twist;
  EXPECT_EQ(turning.linear, 0);
  EXPECT_NE(turning.angular, 0);
  stalled.base.pose.yaw = 1.0;
  stalled.now += 2500ms;
  EXPECT_GT(stalled.step().twist.linear, 0);

  Roam stuck;
  auto backed = false;
  for (auto i = 0; i < 50; ++i) backed = backed || stuck.step().twist.linear < 0;
  EXPECT_TRUE(backed);
}

TEST(Wander, DeafItStands) {
  Roam roam;
  roam.sonar.silent = true;
  EXPECT_EQ(roam.step().twist, Twist{});
}

}  // namespace
}  // namespace cy::test
