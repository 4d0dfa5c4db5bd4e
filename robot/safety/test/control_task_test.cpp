#include <gtest/gtest.h>

#include "rig.hpp"

namespace cy {
namespace {

using control::BeginTask;
using control::EndTask;
using control::ForwardDrive;
using rig::Desk, rig::ian, rig::olga, rig::otto, rig::station;

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
  d.desk.on_task_began(run, false, d.now);
  d.take();
  EXPECT_TRUE(d.applied(id));
  intent({0.2, 0.1});
  EXPECT_EQ(d.all<ForwardDrive>().back().twist, (Twist{0.2, 0.1}));
  EXPECT_EQ(d.why(d.set_point(olga, {0.1, 0})), Refusal::busy);
}

TEST_F(ControlTask, BlurEndsHandDrivingButNeverATask) {
  begin();
  d.desk.on_task_began(run, false, d.now);
  d.tell(olga, Disarm{DisarmReason::focus_lost, ""}, d.lease);
  EXPECT_EQ(d.state().mode, Mode::task);
}

TEST_F(ControlTask, AStopBeforeItsFirstWordEndsTheCommandOnce) {
  begin();
  d.tell(ian, Stop{});
  d.desk.on_task_began(run, false, d.now);
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
    d.desk.on_task_began(run, false, d.now);
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
  d.desk.on_task_began(run, false, d.now);
  d.tell(otto, RequestLease{});
  EXPECT_TRUE(d.applied(d.tell(olga, GrantLease{otto.station, otto.id}, d.lease)));
  EXPECT_EQ(d.state().mode, Mode::task);
  d.tell(otto, ReleaseLease{}, d.state().lease);
  EXPECT_EQ(d.state().mode, Mode::disarmed);
}

TEST_F(ControlTask, ATouchEndsItUnlessItHandlesThat) {
  for (auto const bump : {false, true})
    for (auto const handles : {false, true}) {
      d = Desk();
      begin();
      d.desk.on_task_began(run, handles, d.now);
      intent({0.2, 0});
      d.base.stall_left = !bump;
      d.see(rig::bumper_part, BumperState{bump ? 1u : 0u});
      d.report();
      EXPECT_EQ(d.state().mode, handles ? Mode::task : Mode::disarmed) << bump;
      if (handles) continue;
      EXPECT_EQ(d.state().reason, bump ? DisarmReason::bumper : DisarmReason::stall);
    }
}

}  // namespace
}  // namespace cy
