#include <gtest/gtest.h>

#include "rig.hpp"

namespace cy {
namespace {

using control::ForwardDrive;
using control::StopDevice;
using control::SwitchMotors;
using rig::Desk, rig::ian, rig::mia, rig::olga, rig::otto;

TEST(Control, StartsDisarmedAndSaysWhy) {
  Desk d;
  EXPECT_EQ(d.state().mode, Mode::disarmed);
  EXPECT_EQ(d.state().reason, DisarmReason::start);
  d.lease_to(olga);
  EXPECT_EQ(d.why(d.set_point(olga, {0.2, 0})), Refusal::not_armed);
  EXPECT_TRUE(d.all<ForwardDrive>().empty());
}

TEST(Control, ALeaseAnArmAndASetPointMoveIt) {
  Desk d;
  d.driving_for(olga);
  EXPECT_EQ(d.state().mode, Mode::driving);
  ASSERT_EQ(d.all<ForwardDrive>().size(), 1u);
  EXPECT_EQ(d.all<ForwardDrive>()[0].twist, (Twist{0.3, 0}));
  EXPECT_EQ(d.all<ForwardDrive>()[0].until, d.now + 300ms);
  EXPECT_EQ(d.state().permitted, (Twist{0.3, 0}));
  EXPECT_EQ(d.state().holder_name, "Olga");
}

TEST(Control, WithoutTheLeaseNothingMoves) {
  Desk d;
  d.driving_for(olga);
  auto const moved = d.all<ForwardDrive>().size();
  EXPECT_EQ(d.why(d.set_point(otto, {0.2, 0})), Refusal::no_lease);
  d.lease.value += 1;
  EXPECT_EQ(d.why(d.set_point(olga, {0.2, 0})), Refusal::no_lease);
  EXPECT_EQ(d.why(d.tell(otto, Motors{true}, d.lease)), Refusal::no_lease);
  EXPECT_EQ(d.all<ForwardDrive>().size(), moved);
}

TEST(Control, StaleSetPointsEndDrivingWithinTheirLifetime) {
  Desk d;
  d.driving_for(olga);
  auto const last = d.now;
  d.pass(1s);
  EXPECT_EQ(d.state().mode, Mode::disarmed);
  EXPECT_EQ(d.state().reason, DisarmReason::set_points_stale);
  EXPECT_EQ(d.all<StopDevice>().size(), 1u);
  EXPECT_EQ(d.why(d.set_point(olga, {0.2, 0})), Refusal::not_armed);
  EXPECT_LE(d.all<ForwardDrive>().back().until, last + 300ms);
}

TEST(Control, TheMachineIsCalledExactlyWhenTheLifetimeEnds) {
  Desk d;
  d.driving_for(olga);
  EXPECT_LE(*d.desk.deadline(), d.now + 300ms);
  d.now += 100ms;
  d.report();
  d.now += 200ms - 1ns;
  d.desk.on_time(d.now);
  d.take();
  EXPECT_EQ(d.all<StopDevice>().size(), 0u);
  d.now += 1ns;
  d.desk.on_time(d.now);
  d.take();
  EXPECT_EQ(d.all<StopDevice>().size(), 1u);
}

TEST(Control, LettingGoKeepsItArmed) {
  Desk d;
  d.driving_for(olga);
  d.set_point(olga, {});
  EXPECT_EQ(d.state().mode, Mode::armed);
  EXPECT_EQ(d.all<ForwardDrive>().back().twist, (Twist{}));
  d.pass(2s);
  EXPECT_EQ(d.state().mode, Mode::armed);
  d.set_point(olga, {0.1, 0});
  EXPECT_EQ(d.state().mode, Mode::driving);
}

TEST(Control, AForgottenArmEnds) {
  Desk d;
  d.armed_for(olga);
  d.pass(121s);
  EXPECT_EQ(d.state().mode, Mode::disarmed);
}

TEST(Control, ArmingWaitsForNeutralInput) {
  Desk d;
  d.lease_to(olga);
  d.set_point(olga, {0.3, 0});  // a held key
  EXPECT_FALSE(d.state().neutral_seen);
  EXPECT_EQ(d.why(d.arm(olga)), Refusal::not_ready);
  d.set_point(olga, {});
  EXPECT_TRUE(d.applied(d.arm(olga)));
}

TEST(Control, HandsOffIsNeutralToo) {
  Desk d;
  d.lease_to(olga);
  d.set_point(olga, {0.3, 0});
  d.pass(600ms);
  EXPECT_TRUE(d.applied(d.arm(olga)));
}

TEST(Control, AnArmGivenBeforeTheDisarmArmsNothing) {
  Desk d;
  d.driving_for(olga);
  auto const seen = d.state().revision;
  d.pass(1s);
  EXPECT_EQ(d.why(d.tell(olga, Arm{seen}, d.lease)), Refusal::too_old);
  EXPECT_EQ(d.why(d.tell(olga, Arm{d.state().revision + 1}, d.lease)), Refusal::bad_value);
  EXPECT_TRUE(d.applied(d.arm(olga)));
}

TEST(Control, AnArmThatWasOvertakenByADisarmArmsNothing) {
  Desk d;
  d.lease_to(olga);
  d.last_id = 50;
  d.tell(olga, Disarm{DisarmReason::focus_lost, ""}, d.lease);
  d.last_id = 40;
  EXPECT_EQ(d.why(d.arm(olga)), Refusal::too_old);
}

TEST(Control, ASetPointFromBeforeTheArmDoesNotCount) {
  Desk d;
  d.lease_to(olga);
  d.last_id = 100;
  d.arm(olga);
  d.last_id = 50;
  EXPECT_EQ(d.why(d.set_point(olga, {0.3, 0})), Refusal::too_old);
  EXPECT_EQ(d.state().mode, Mode::armed);
}

TEST(Control, TheNewestSetPointWins) {
  Desk d;
  d.armed_for(olga);
  d.last_id = 20;
  d.set_point(olga, {0.1, 0});
  d.last_id = 10;
  auto const late = d.set_point(olga, {0.3, 0});
  EXPECT_EQ(d.ending(late)->ending, Ending::superseded);
  EXPECT_EQ(d.all<ForwardDrive>().back().twist, (Twist{0.1, 0}));
}

TEST(Control, LosingFocusDisarms) {
  Desk d;
  d.driving_for(olga);
  d.tell(olga, Disarm{DisarmReason::focus_lost, ""}, d.lease);
  EXPECT_EQ(d.state().reason, DisarmReason::focus_lost);
  EXPECT_EQ(d.all<StopDevice>().size(), 1u);
  d.pass(600ms);
  // Somebody else's page may lose its focus as it likes.
  EXPECT_TRUE(d.applied(d.arm(olga)));
  EXPECT_EQ(d.why(d.tell(otto, Disarm{DisarmReason::focus_lost, ""}, d.lease)), Refusal::no_lease);
  EXPECT_EQ(d.state().mode, Mode::armed);
}

TEST(Control, ArmingSwitchesTheMotorsOn) {
  Desk d;
  d.base.motors = false;
  d.report();
  d.armed_for(olga);
  ASSERT_EQ(d.all<SwitchMotors>().size(), 1u);
  EXPECT_EQ(d.why(d.set_point(olga, {0.2, 0})), Refusal::not_ready);
  d.base.motors = true;
  d.report();
  EXPECT_TRUE(d.applied(d.set_point(olga, {0.2, 0})));
}

TEST(Control, MotorsThatDoNotComeOnDisarm) {
  Desk d;
  d.base.motors = false;
  d.report();
  d.armed_for(olga);
  d.pass(3s);
  EXPECT_EQ(d.state().reason, DisarmReason::motors_off);
}

TEST(Control, SilentReportsStopMotionAfter300ms) {
  Desk d;
  d.driving_for(olga);
  for (auto i = 0; i < 5; ++i) {
    d.pass(60ms, false);
    d.set_point(olga, {0.3, 0});
  }
  EXPECT_EQ(d.state().reason, DisarmReason::data_stale);
  EXPECT_EQ(d.all<StopDevice>().size(), 1u);
  EXPECT_EQ(d.why(d.arm(olga)), Refusal::stale_data);
  d.report();
  EXPECT_EQ(d.state().mode, Mode::disarmed);
}

TEST(Control, AFrozenAgentFindsItsRobotStopped) {
  Desk d;
  d.driving_for(olga);
  d.now += 5s;  // nothing ran; then what was queued comes first
  EXPECT_EQ(d.why(d.set_point(olga, {0.3, 0}, 5s)), Refusal::not_armed);
  EXPECT_EQ(d.all<StopDevice>().size(), 1u);
  EXPECT_EQ(d.all<ForwardDrive>().size(), 1u);
}

TEST(Control, DeviceStallBumperAndButtonEachDisarm) {
  struct Row {
    DisarmReason reason;
    void (*happens)(Desk&);
  };
  for (auto const& row : std::vector<Row>{
           {DisarmReason::device_not_ready, [](Desk& d) { d.desk.on_device(DevicePhase::waiting, d.now); }},
           {DisarmReason::stall, [](Desk& d) { d.base.stall_left = true; }},
           {DisarmReason::stop_button, [](Desk& d) { d.base.stop_button = true; }},
           {DisarmReason::motors_off, [](Desk& d) { d.base.motors = false; }},
           {DisarmReason::bumper, [](Desk& d) { d.see(rig::bumper_part, BumperState{1}); }}}) {
    Desk d;
    d.driving_for(olga);
    row.happens(d);
    d.report();
    EXPECT_EQ(d.state().mode, Mode::disarmed) << wire::name_of(row.reason);
    EXPECT_EQ(d.state().reason, row.reason);
    EXPECT_EQ(d.all<StopDevice>().size(), 1u) << wire::name_of(row.reason);
    EXPECT_EQ(d.why(d.set_point(olga, {0.1, 0})), Refusal::not_armed);
  }
}

TEST(Control, AControllerThatIsBackIsNoLongerSaidToBeAway) {
  Desk d;
  d.driving_for(olga);
  d.desk.on_device(DevicePhase::waiting, d.now);
  EXPECT_EQ(d.state().why, "the robot's controller is not connected");
  d.desk.on_device(DevicePhase::ready, d.now);
  EXPECT_EQ(d.state().why, "the robot's controller was away and is back: arm again");
  EXPECT_EQ(d.state().mode, Mode::disarmed);
}

TEST(Control, ATakeoverDisarms) {
  Desk d;
  d.driving_for(olga);
  auto const olgas = d.lease;
  EXPECT_TRUE(d.applied(d.tell(mia, RequestLease{true, "training"})));
  EXPECT_EQ(d.state().mode, Mode::disarmed);
  EXPECT_EQ(d.state().reason, DisarmReason::lease_lost);
  EXPECT_EQ(d.all<StopDevice>().size(), 1u);
  EXPECT_EQ(d.why(d.tell(olga, Arm{d.state().revision}, olgas)), Refusal::no_lease);
}

TEST(Control, TheHolderWhoTakesItAfreshIsToldSo) {
  Desk d;
  d.driving_for(olga);
  auto const old = d.lease;
  d.lease_to(olga);
  EXPECT_NE(d.lease, old);
  EXPECT_EQ(d.state().reason, DisarmReason::lease_lost);
  EXPECT_EQ(d.state().why, "the driver took control afresh");
}

TEST(Control, LeaseExpiresInIdleHands) {
  Desk d;
  d.lease_to(olga);
  d.pass(601s);
  EXPECT_FALSE(d.state().lease);
}

TEST(Control, EventsForTheDriverNeedTheLeaseOnly) {
  Desk d;
  d.lease_to(olga);
  auto const id = d.tell(olga, Probe{}, d.lease);
  EXPECT_EQ(d.routed, ControlDesk::Routed::forward);
  EXPECT_EQ(d.ending(id), nullptr);
  EXPECT_EQ(d.why(d.tell(olga, Drive{{0.1, 0}}, d.lease)), Refusal::bad_value);
  EXPECT_EQ(d.why(d.tell(olga, Introduce{}, d.lease)), Refusal::unknown_command);
  EXPECT_EQ(d.why(d.tell(ian, Probe{}, d.lease)), Refusal::no_lease);
}

TEST(Control, TheOlderOfEchoAndPictureCounts) {
  struct Row {
    Duration echo, picture;
    Refusal why;
  };
  for (auto const& row : std::vector<Row>{{20ms, 450ms, Refusal::none},
                                          {450ms, 20ms, Refusal::none},
                                          {20ms, 500ms, Refusal::too_old},
                                          {-1ms, 450ms, Refusal::bad_value}}) {
    Desk d;
    d.armed_for(olga);
    auto const id = d.set_point(olga, {0.7, 0}, row.echo, 300, row.picture);
    EXPECT_EQ(d.why(id), row.why);
    if (row.why != Refusal::none) continue;
    EXPECT_EQ(d.all<ForwardDrive>().back().until, d.now + 50ms);
    EXPECT_EQ(d.state().loop_age_us, 450'000u);
    EXPECT_EQ(d.state().cap_reason, CapReason::loop_age);
  }
}

TEST(Control, SonarsHeardAnewSlowTheDriveAtOnce) {
  Desk d;
  d.driving_for(olga, {0.5, 0});
  auto const before = d.all<ForwardDrive>().back();
  d.sonar.discs[3] = {0.25f, 0, true};
  d.now += 50ms;
  d.see(rig::sonar_part, d.sonar);
  auto const after = d.all<ForwardDrive>().back();
  EXPECT_LT(after.twist.linear, before.twist.linear / 2);
  EXPECT_EQ(after.until, before.until);
  EXPECT_EQ(d.state().cap_reason, CapReason::sonar_guard);
}

TEST(Control, WhatAPersonSaysIsKeptShort) {
  std::string const words(200'000, 'x');
  Desk d;
  d.armed_for(olga);
  EXPECT_EQ(d.why(d.tell(olga, StartTask{words, {}}, d.lease)), Refusal::bad_value);
  d.tell(otto, RequestLease{false, words});
  d.tell(olga, Disarm{DisarmReason::person, words}, d.lease);
  EXPECT_EQ(d.state().why.size(), longest_words);
  EXPECT_LT(wire::size_of(d.state()), 1000u);
  d.tell(ian, Stop{StopKind::category_2, words});
  EXPECT_EQ(d.state().why.size(), longest_words);
  EXPECT_LT(wire::size_of(d.state()), 1000u);
}

}  // namespace
}  // namespace cy
