#include <gtest/gtest.h>

#include "rig.hpp"

namespace cy {
namespace {

using control::BeginTask;
using control::EndTask;
using control::ForwardDrive;
using rig::Desk, rig::ian, rig::olga, rig::station;

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

}  // namespace
}  // namespace cy
