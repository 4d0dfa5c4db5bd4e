// Back along the way it came.
#include "walk.hpp"

namespace cy::test {
namespace {

TEST(Retrace, GoesBackRoundTheCornersItCameBy) {
  Walk walk;
  walk.trail.on_base(walk.base);
  walk.drive({0.3, 0}, 5);
  walk.drive({0.3, 0.4}, 4);
  walk.drive({0, 0.6}, 2.5);  // a turn in place
  walk.drive({0.3, 0}, 5);
  walk.drive({0.3, -0.4}, 4);
  std::vector<Pose2> const way(walk.trail.poses().begin(), walk.trail.poses().end());
  auto const task = made("retrace", {{"distance", "20"}});
  double worst = 0;
  auto const end = walk.run(*task, way, worst);
  EXPECT_EQ(end.finished, TaskPhase::finished) << end.why;
  EXPECT_LT(worst, 0.15);
  EXPECT_LT(norm(walk.base.pose.position()), 0.15);
}

TEST(Retrace, GoesNoFartherThanTold) {
  Walk walk;
  walk.trail.on_base(walk.base);
  walk.drive({0.3, 0}, 20);
  auto const task = made("retrace", {{"distance", "2"}});
  auto const from = walk.base.pose.x;
  double worst = 0;
  EXPECT_EQ(walk.run(*task, {{}}, worst).finished, TaskPhase::finished);
  EXPECT_NEAR(from - walk.base.pose.x, 2.0, 0.2);
}

TEST(Retrace, GivesUpWhenBlockedLostOrWithoutAWay) {
  {
    Walk walk;
    walk.trail.on_base(walk.base);
    walk.drive({0.3, 0}, 5);
    double worst = 0;
    auto const end = walk.run(*made("retrace"), {{}}, worst, false);
    EXPECT_EQ(end.finished, TaskPhase::failed);
    EXPECT_NE(end.why.find("in the way"), std::string::npos);
  }
  {
    Walk walk;
    walk.drive({0.3, 0}, 5);
    auto const task = made("retrace");
    EXPECT_FALSE(task->step(walk.seen()).finished);
    walk.base.odometry_epoch += 1;
    EXPECT_EQ(task->step(walk.seen()).finished, TaskPhase::failed);
  }
  Walk nowhere;
  EXPECT_EQ(made("retrace")->step(nowhere.seen()).finished, TaskPhase::finished);
}

}  // namespace
}  // namespace cy::test
