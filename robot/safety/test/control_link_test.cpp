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
  d.link(Contact::late);
  d.set_point(olga, {0.5, 0});
  EXPECT_EQ(d.state().cap_reason, CapReason::link_late);
  EXPECT_NEAR(d.state().permitted.linear, 0.25, 1e-9);
  d.link(Contact::lost);
  d.take();
  EXPECT_EQ(d.state().reason, DisarmReason::link_lost);
  EXPECT_TRUE(d.state().lease);
  EXPECT_EQ(d.why(d.arm(olga)), Refusal::link_lost);
  d.link(Contact::up);
  EXPECT_EQ(d.why(d.set_point(olga, {0.1, 0})), Refusal::not_armed);
}

TEST(ControlLink, GoneTakesTheLease) {
  Desk d;
  d.driving_for(olga);
  d.link(Contact::gone);
  d.take();
  EXPECT_EQ(d.state().mode, Mode::disarmed);
  EXPECT_FALSE(d.state().lease);
}

TEST(ControlLink, AnObserversLinkMattersToNobody) {
  Desk d;
  d.driving_for(olga);
  d.link(Contact::gone, ian.station);
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
  parked.link(Contact::lost);
  parked.take();
  EXPECT_TRUE(parked.all<BeginTask>().empty());

  Desk d(retrace_when_lost());
  d.driving_for(olga);
  d.link(Contact::lost);
  d.take();
  ASSERT_EQ(d.all<BeginTask>().size(), 1u);
  auto const begin = d.all<BeginTask>()[0];
  EXPECT_TRUE(begin.policy);
  EXPECT_EQ(begin.name, "retrace");
  ASSERT_EQ(begin.settings.size(), 1u);
  EXPECT_EQ(begin.settings[0].value, "2.5");
  EXPECT_EQ(d.state().mode, Mode::policy);
  d.desk.on_task_began(begin.run, false, d.now);
  d.desk.on_intent(begin.run, {-0.2, 0}, d.now);
  d.take();
  EXPECT_EQ(d.all<ForwardDrive>().back().twist, (Twist{-0.2, 0}));
  // It goes on when the link is gone, and anybody can stop it.
  d.link(Contact::gone);
  EXPECT_EQ(d.state().mode, Mode::policy);
  EXPECT_FALSE(d.state().lease);
  d.tell(ian, Stop{});
  EXPECT_EQ(d.all<EndTask>().size(), 1u);
  EXPECT_EQ(d.state().mode, Mode::stopping);
}

TEST(ControlLink, RetracingEndsWhenItIsHeardAgain) {
  Desk d(retrace_when_lost());
  d.driving_for(olga);
  d.link(Contact::lost);
  d.link(Contact::up);
  d.take();
  EXPECT_EQ(d.state().mode, Mode::disarmed);
  EXPECT_EQ(d.state().reason, DisarmReason::policy);
}

TEST(ControlLink, ANamedTaskStartsWhenGone) {
  ControlOptions options;
  options.on_gone = {Policy::Kind::task, 0, "wander", {{"speed", "0.1"}}};
  Desk d(options);
  d.driving_for(olga);
  d.link(Contact::lost);
  d.pass(2500ms);
  d.link(Contact::gone);
  d.take();
  ASSERT_EQ(d.all<BeginTask>().size(), 1u);
  EXPECT_EQ(d.all<BeginTask>()[0].name, "wander");
  // What anybody does in between settles what was owed.
  Desk stopped(options);
  stopped.driving_for(olga);
  stopped.link(Contact::lost);
  stopped.tell(ian, Stop{});
  stopped.link(Contact::gone);
  stopped.take();
  EXPECT_TRUE(stopped.all<BeginTask>().empty());
}

// Not by their kinds alone: another task, another distance, other settings are another policy.
TEST(ControlLink, WhenGoneAnotherPolicyTakesOver) {
  struct Row {
    Policy lost, gone;
    bool another;
  };
  Policy const a{Policy::Kind::task, 0, "wander", {}}, b{Policy::Kind::task, 0, "retrace", {}};
  Policy const slow{Policy::Kind::task, 0, "wander", {{"speed", "0.1"}}};
  Policy const near{Policy::Kind::retrace, 1, {}, {}}, far{Policy::Kind::retrace, 9, {}, {}};
  for (auto const& row : std::vector<Row>{{a, a, false},
                                          {a, b, true},
                                          {a, slow, true},
                                          {near, near, false},
                                          {near, far, true},
                                          {near, a, true}}) {
    ControlOptions options;
    options.on_lost = row.lost;
    options.on_gone = row.gone;
    Desk d(options);
    d.driving_for(olga);
    d.link(Contact::lost);
    d.link(Contact::gone);
    EXPECT_EQ(d.all<BeginTask>().size(), row.another ? 2u : 1u);
    EXPECT_EQ(d.all<EndTask>().size(), row.another ? 1u : 0u);
    EXPECT_EQ(d.state().mode, Mode::policy);
  }
}

// A station that says goodbye has decided to leave: nobody lost anything.
TEST(ControlLink, AnOrderlyEndHolds) {
  for (auto const kind : {Policy::Kind::go_on, Policy::Kind::retrace}) {
    for (auto const task : {false, true}) {
      ControlOptions options;
      options.on_lost = options.on_gone = {kind, 2.0, {}, {}};
      Desk d(options);
      d.armed_for(olga);
      if (task) d.tell(olga, StartTask{"wander", {}}, d.lease);
      auto const begun = d.all<BeginTask>().size();
      d.link(Contact::ended);
      EXPECT_EQ(d.all<BeginTask>().size(), begun);
      EXPECT_EQ(d.state().mode, Mode::disarmed);
      EXPECT_EQ(d.state().reason, DisarmReason::link_gone);
      EXPECT_FALSE(d.state().lease);
      EXPECT_EQ(d.all<control::StopDevice>().size(), task ? 2u : 1u);
    }
  }
}

// However slow a link may be before it counts as late: set-points run out long before it is lost.
TEST(ControlLink, PoliciesRunHoweverLateLostIs) {
  for (auto const warned : {false, true}) {
    Desk d(retrace_when_lost());
    d.driving_for(olga);
    d.pass(warned ? 100ms : 400ms);
    if (warned) d.link(Contact::late);
    d.pass(60s);
    EXPECT_EQ(d.state().reason, DisarmReason::set_points_stale);
    d.link(Contact::lost);
    EXPECT_EQ(d.all<BeginTask>().size(), 1u) << warned;
  }
}

TEST(ControlLink, HandsThatLetGoOfALivingLinkLeaveNothingToAPolicy) {
  Desk d(retrace_when_lost());
  d.driving_for(olga);
  d.pass(400ms);
  EXPECT_EQ(d.state().reason, DisarmReason::set_points_stale);
  d.heard = d.now;  // heartbeats
  d.pass(500ms);
  d.link(Contact::lost);
  EXPECT_TRUE(d.all<BeginTask>().empty());
}

TEST(ControlLink, APolicyIsOwedAsLongAsTheLinkIsLost) {
  ControlOptions options;
  options.on_gone = {Policy::Kind::retrace, 2.0, {}, {}};
  Desk d(options);
  d.driving_for(olga);
  d.link(Contact::lost);
  d.pass(20min);
  d.link(Contact::gone);
  EXPECT_EQ(d.all<BeginTask>().size(), 1u);
}

// Nobody watches: a policy drives nothing that touches, and none follows one that did.
TEST(ControlLink, ATouchEndsEveryPolicy) {
  for (auto const bump : {false, true})
    for (auto const when : {"before", "while", "gone"}) {
      ControlOptions options;
      options.on_lost = {Policy::Kind::task, 0, "wander", {}};
      options.on_gone = {Policy::Kind::retrace, 2.0, {}, {}};
      Desk d(options);
      auto const touch = [&] {
        d.base.stall_left = !bump;
        d.see(rig::bumper_part, BumperState{bump ? 1u : 0u});
        d.report();
      };
      if (when == std::string_view("before")) touch();
      d.driving_for(olga);
      d.link(Contact::lost);
      if (when != std::string_view("before")) {
        ASSERT_EQ(d.state().mode, Mode::policy);
        d.desk.on_task_began(d.all<BeginTask>().back().run, true, d.now);
        if (when == std::string_view("gone")) d.link(Contact::gone);
        ASSERT_EQ(d.state().mode, Mode::policy);
        touch();
      }
      auto const begun = d.all<BeginTask>().size();
      EXPECT_EQ(d.state().mode, Mode::disarmed) << bump << when;
      EXPECT_EQ(d.all<EndTask>().size(), begun) << bump << when;
      d.base.stall_left = false;
      d.see(rig::bumper_part, BumperState{});
      d.report();
      if (when == std::string_view("while")) {
        d.link(Contact::gone);
        EXPECT_EQ(d.all<BeginTask>().size(), begun) << bump;
      }
    }
}

}  // namespace
}  // namespace cy
