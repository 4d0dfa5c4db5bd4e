#include <gtest/gtest.h>

#include "rig.hpp"

namespace cy {
namespace {

using control::StopDevice;
using rig::Desk, rig::ian, rig::mia, rig::olga, rig::otto;

TEST(ControlStop, IsOpenToAnObserverAndTakesTheLease) {
  Desk d;
  d.driving_for(olga);
  EXPECT_TRUE(d.applied(d.tell(ian, Stop{StopKind::category_2, "child"})));
  auto const s = d.state();
  EXPECT_EQ(s.mode, Mode::stopping);
  EXPECT_TRUE(s.stop_latched);
  EXPECT_FALSE(s.stop_confirmed);
  EXPECT_EQ(s.stopped_by, "Ian");
  EXPECT_EQ(s.why, "child");
  EXPECT_FALSE(s.lease);
  ASSERT_EQ(d.all<StopDevice>().size(), 1u);
  EXPECT_EQ(d.why(d.set_point(olga, {0.3, 0})), Refusal::no_lease);
}

TEST(ControlStop, IsRepeatedUntilTheRobotItselfSaysThatItStands) {
  Desk d;
  d.driving_for(olga);
  d.base.twist = {0.3, 0};
  d.report();
  d.tell(olga, Stop{});
  d.pass(1s);
  EXPECT_GE(d.all<StopDevice>().size(), 4u);
  EXPECT_FALSE(d.state().stop_confirmed);
  d.base.twist = {0.004, 0};
  d.pass(400ms);
  EXPECT_TRUE(d.state().stop_confirmed);
  EXPECT_EQ(d.state().mode, Mode::stopped);
  auto const told = d.all<StopDevice>().size();
  d.pass(2s);
  EXPECT_EQ(d.all<StopDevice>().size(), told);
  // It resumes by itself, as controllers do after their watchdog: told again, at once.
  d.base.twist = {0.3, 0};
  d.pass(100ms);
  EXPECT_FALSE(d.state().stop_confirmed);
  EXPECT_GT(d.all<StopDevice>().size(), told);
}

TEST(ControlStop, WithPowerOffIsConfirmedByMotorsOffOnly) {
  for (auto const kind : {StopKind::category_0, StopKind::category_1}) {
    Desk d;
    d.driving_for(olga);
    d.tell(olga, Stop{kind, ""});
    d.pass(1s);
    EXPECT_FALSE(d.state().stop_confirmed);
    d.base.motors = false;
    d.pass(500ms);
    EXPECT_TRUE(d.state().stop_confirmed);
  }
}

TEST(ControlStop, IsNotConfirmedBySilence) {
  Desk d;
  d.driving_for(olga);
  d.tell(olga, Stop{});
  d.pass(1s);
  EXPECT_TRUE(d.state().stop_confirmed);
  d.pass(400ms, false);
  EXPECT_FALSE(d.state().stop_confirmed);
}

TEST(ControlStop, ThenDrivingNeedsReleaseLeaseNeutralInputAndArm) {
  Desk d;
  d.driving_for(olga);
  d.tell(ian, Stop{});
  d.lease_to(olga);
  EXPECT_EQ(d.why(d.arm(olga)), Refusal::stop_latched);
  EXPECT_EQ(d.why(d.set_point(olga, {0.3, 0})), Refusal::stop_latched);
  EXPECT_EQ(d.why(d.tell(olga, Motors{true}, d.lease)), Refusal::stop_latched);
  EXPECT_EQ(d.why(d.tell(ian, ReleaseStop{d.state().revision})), Refusal::role);
  EXPECT_EQ(d.why(d.tell(otto, ReleaseStop{d.state().revision})), Refusal::not_ready);
  d.pass(400ms);
  EXPECT_EQ(d.why(d.tell(otto, ReleaseStop{1})), Refusal::too_old);
  EXPECT_TRUE(d.applied(d.tell(otto, ReleaseStop{d.state().revision})));
  EXPECT_EQ(d.state().mode, Mode::disarmed);
  EXPECT_EQ(d.why(d.set_point(olga, {0.3, 0})), Refusal::not_armed);
  EXPECT_EQ(d.why(d.arm(olga)), Refusal::not_ready);  // the stick is not neutral
  d.set_point(olga, {});
  EXPECT_TRUE(d.applied(d.arm(olga)));
  EXPECT_TRUE(d.applied(d.set_point(olga, {0.3, 0})));
}

TEST(ControlStop, AStrongerOneCountsAndAWeakerOneDoesNotSoften) {
  Desk d;
  d.tell(ian, Stop{StopKind::category_2, "first"});
  d.tell(ian, Stop{StopKind::category_0, ""});
  d.tell(ian, Stop{StopKind::category_2, ""});
  EXPECT_EQ(d.state().stop_kind, StopKind::category_0);
  EXPECT_EQ(d.state().why, "first");
  EXPECT_EQ(d.all<StopDevice>().size(), 3u);
}

TEST(ControlStop, ASecondStopIsNotReleasedUnseen) {
  Desk d;
  d.tell(ian, Stop{});
  d.pass(400ms);
  auto const seen = d.state().revision;
  d.tell(mia, Stop{});
  d.pass(400ms);
  EXPECT_EQ(d.why(d.tell(otto, ReleaseStop{seen})), Refusal::too_old);
}

TEST(ControlStop, IsObeyedEvenWhenItCannotBeRead) {
  Desk d;
  d.driving_for(olga);
  std::uint8_t const rubbish[] = {250, 255, 255, 255, 255};
  d.desk.on_command(ian, CommandId{99}, {}, wire::Raw{Stop::head.type, Bytes{rubbish, 5}}, d.now);
  d.take();
  EXPECT_TRUE(d.state().stop_latched);
  EXPECT_TRUE(d.applied(CommandId{99}));
}

TEST(ControlStop, TheAgentStopsByItself) {
  Desk d;
  d.driving_for(olga);
  d.desk.stop(StopKind::category_1, "agent", "an invariant broke", d.now);
  d.take();
  EXPECT_EQ(d.state().stopped_by, "agent");
  EXPECT_EQ(d.all<StopDevice>().back().kind, StopKind::category_1);
}

}  // namespace
}  // namespace cy
