#include <gtest/gtest.h>

#include "rig.hpp"

namespace cy {
namespace {

using control::BeginTask;
using control::EndTask;
using control::ForwardDrive;
using control::StopDevice;
using control::SwitchMotors;
using rig::Desk, rig::ian, rig::mia, rig::olga, rig::otto, rig::station;

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

// ---- the stop ----------------------------------------------------------------------------

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

// ---- leases and events -------------------------------------------------------------------

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

// ---- the link ----------------------------------------------------------------------------

TEST(ControlLink, LateCapsLostStopsAndComingBackStaysDisarmed) {
  Desk d;
  d.driving_for(olga, {0.5, 0});
  d.desk.on_contact(station, Contact::late, d.now);
  d.set_point(olga, {0.5, 0});
  EXPECT_EQ(d.state().cap_reason, CapReason::link_late);
  EXPECT_NEAR(d.state().permitted.linear, 0.25, 1e-9);
  d.desk.on_contact(station, Contact::lost, d.now);
  d.take();
  EXPECT_EQ(d.state().reason, DisarmReason::link_lost);
  EXPECT_TRUE(d.state().lease);
  EXPECT_EQ(d.why(d.arm(olga)), Refusal::link_lost);
  d.desk.on_contact(station, Contact::up, d.now);
  EXPECT_EQ(d.why(d.set_point(olga, {0.1, 0})), Refusal::not_armed);
}

TEST(ControlLink, GoneTakesTheLease) {
  Desk d;
  d.driving_for(olga);
  d.desk.on_contact(station, Contact::gone, d.now);
  d.take();
  EXPECT_EQ(d.state().mode, Mode::disarmed);
  EXPECT_FALSE(d.state().lease);
}

TEST(ControlLink, AnObserversLinkMattersToNobody) {
  Desk d;
  d.driving_for(olga);
  d.desk.on_contact(ian.station, Contact::gone, d.now);
  EXPECT_EQ(d.state().mode, Mode::driving);
}

ControlOptions retrace_when_lost() {
  ControlOptions options;
  options.on_lost = {Policy::Kind::retrace, 2.5, {}, {}};
  options.on_gone = {Policy::Kind::go_on, 0, {}, {}};
  return options;
}

TEST(ControlLink, RetracesOnlyWhatWasInAHand) {
  Desk parked(retrace_when_lost());
  parked.lease_to(olga);
  parked.desk.on_contact(station, Contact::lost, parked.now);
  parked.take();
  EXPECT_TRUE(parked.all<BeginTask>().empty());

  Desk d(retrace_when_lost());
  d.driving_for(olga);
  d.desk.on_contact(station, Contact::lost, d.now);
  d.take();
  ASSERT_EQ(d.all<BeginTask>().size(), 1u);
  auto const begin = d.all<BeginTask>()[0];
  EXPECT_TRUE(begin.policy);
  EXPECT_EQ(begin.name, "retrace");
  ASSERT_EQ(begin.settings.size(), 1u);
  EXPECT_EQ(begin.settings[0].value, "2.5");
  EXPECT_EQ(d.state().mode, Mode::policy);
  d.desk.on_task_began(begin.run, d.now);
  d.desk.on_intent(begin.run, {-0.2, 0}, d.now);
  d.take();
  EXPECT_EQ(d.all<ForwardDrive>().back().twist, (Twist{-0.2, 0}));
  // It goes on when the link is gone, and anybody can stop it.
  d.desk.on_contact(station, Contact::gone, d.now);
  EXPECT_EQ(d.state().mode, Mode::policy);
  EXPECT_FALSE(d.state().lease);
  d.tell(ian, Stop{});
  EXPECT_EQ(d.all<EndTask>().size(), 1u);
  EXPECT_EQ(d.state().mode, Mode::stopping);
}

TEST(ControlLink, RetracingEndsWhenItIsHeardAgain) {
  Desk d(retrace_when_lost());
  d.driving_for(olga);
  d.desk.on_contact(station, Contact::lost, d.now);
  d.desk.on_contact(station, Contact::up, d.now);
  d.take();
  EXPECT_EQ(d.state().mode, Mode::disarmed);
  EXPECT_EQ(d.state().reason, DisarmReason::policy);
}

TEST(ControlLink, ANamedTaskStartsWhenGone) {
  ControlOptions options;
  options.on_gone = {Policy::Kind::task, 0, "wander", {{"speed", "0.1"}}};
  Desk d(options);
  d.driving_for(olga);
  d.desk.on_contact(station, Contact::lost, d.now);
  d.pass(2500ms);
  d.desk.on_contact(station, Contact::gone, d.now);
  d.take();
  ASSERT_EQ(d.all<BeginTask>().size(), 1u);
  EXPECT_EQ(d.all<BeginTask>()[0].name, "wander");
  // A stop in between settles what was owed.
  Desk stopped(options);
  stopped.driving_for(olga);
  stopped.desk.on_contact(station, Contact::lost, stopped.now);
  stopped.tell(ian, Stop{});
  stopped.desk.on_contact(station, Contact::gone, stopped.now);
  stopped.take();
  EXPECT_TRUE(stopped.all<BeginTask>().empty());
}

// ---- tasks -------------------------------------------------------------------------------

struct ControlTask : testing::Test {
  Desk d;
  CommandId id;
  TaskRun run;
  void begin() {
    d.armed_for(olga);
    id = d.tell(olga, StartTask{"wander", {}}, d.lease);
    if (!d.all<BeginTask>().empty()) run = d.all<BeginTask>().back().run;
  }
  void intent(Twist twist) {
    d.desk.on_intent(run, twist, d.now);
    d.take();
  }
};

TEST_F(ControlTask, NeedsAnArmedRobotAndEndsOnItsFirstWord) {
  d.lease_to(olga);
  EXPECT_EQ(d.why(d.tell(olga, StartTask{"wander", {}}, d.lease)), Refusal::not_armed);
  begin();
  EXPECT_EQ(d.state().mode, Mode::task);
  EXPECT_EQ(d.ending(id), nullptr);
  d.desk.on_task_began(run, d.now);
  d.take();
  EXPECT_TRUE(d.applied(id));
  intent({0.2, 0.1});
  EXPECT_EQ(d.all<ForwardDrive>().back().twist, (Twist{0.2, 0.1}));
  EXPECT_EQ(d.why(d.set_point(olga, {0.1, 0})), Refusal::busy);
}

TEST_F(ControlTask, BlurEndsHandDrivingButNeverATask) {
  begin();
  d.desk.on_task_began(run, d.now);
  d.tell(olga, Disarm{DisarmReason::focus_lost, ""}, d.lease);
  EXPECT_EQ(d.state().mode, Mode::task);
}

TEST_F(ControlTask, AStopBeforeItsFirstWordEndsTheCommandOnce) {
  begin();
  d.tell(ian, Stop{});
  d.desk.on_task_began(run, d.now);
  d.desk.on_task_refused(run, Refusal::bad_value, "", d.now);
  d.take();
  auto count = 0;
  for (auto const& e : d.all<control::Ended>()) count += e.id == id;
  EXPECT_EQ(count, 1);
  EXPECT_EQ(d.why(id), Refusal::stop_latched);
}

TEST_F(ControlTask, SilenceNonsenseAndItsOwnEndStandItDown) {
  for (auto const how : {0, 1, 2, 3}) {
    d = Desk();
    begin();
    d.desk.on_task_began(run, d.now);
    intent({0.2, 0});
    if (how == 0) d.pass(400ms);
    if (how == 1) intent({std::numeric_limits<double>::quiet_NaN(), 0});
    if (how == 2) d.desk.on_task_ended(run, TaskPhase::finished, "there", d.now);
    if (how == 3) d.tell(otto, StopTask{});
    d.take();
    EXPECT_EQ(d.state().mode, Mode::disarmed) << how;
    EXPECT_EQ(d.state().reason, DisarmReason::task_ended) << how;
    EXPECT_EQ(d.all<EndTask>().size(), 1u) << how;
    auto const moved = d.all<ForwardDrive>().size();
    intent({0.2, 0});
    EXPECT_EQ(d.all<ForwardDrive>().size(), moved) << how;
  }
}

TEST_F(ControlTask, ObserversCannotEndItButCanStop) {
  begin();
  EXPECT_EQ(d.why(d.tell(ian, StopTask{})), Refusal::role);
  EXPECT_EQ(d.state().mode, Mode::task);
}

TEST_F(ControlTask, EndsWithTheLeaseButOutlivesAHandOver) {
  begin();
  d.desk.on_task_began(run, d.now);
  d.tell(otto, RequestLease{});
  EXPECT_TRUE(d.applied(d.tell(olga, GrantLease{otto.station, otto.id}, d.lease)));
  EXPECT_EQ(d.state().mode, Mode::task);
  d.tell(otto, ReleaseLease{}, d.state().lease);
  EXPECT_EQ(d.state().mode, Mode::disarmed);
}

}  // namespace
}  // namespace cy
