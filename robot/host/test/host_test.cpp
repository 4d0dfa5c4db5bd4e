// The agent end to end in virtual time: from an operator's hand to a controller's orders.
#include <cy/wire/print.hpp>

#include <gtest/gtest.h>

#include "site.hpp"

namespace cy::host {
namespace {

constexpr Twist ahead{0.5, 0.0};

std::string why(command::Ended const& e) {
  return fmt::format("{}: {}", wire::name_of(e.ending), wire::name_of(e.why));
}

// ---- with every kind of robot --------------------------------------------------------------

class WithRobot : public testing::TestWithParam<char const*> {
 protected:
  Site site{{Site::robot(GetParam())}};
  Operator& op{site.join()};
};

TEST_P(WithRobot, LeaseArmDrive) {
  ASSERT_TRUE(site.take_off(op, ahead, 10s));
  auto const from = op.x();
  EXPECT_TRUE(site.run_until([&] { return op.x() > from + 1.0; }, 10s)) << op.x();
  EXPECT_EQ(op.control().mode, Mode::driving);
  EXPECT_EQ(op.control().holder_name, "person");
}

// The network dies at half a metre a second: the last set-point's 300 ms run out, and that is all.
TEST_P(WithRobot, StandsInTimeWhenTheNetworkIsCut) {
  ASSERT_TRUE(site.take_off(op, ahead, 1min));
  ASSERT_TRUE(site.run_until([&] { return op.speed() > 0.45; }, 10s)) << op.speed();
  site.run(500ms);
  auto const cut = site.now;
  site.cut(op);
  auto& watcher = site.join(Role::observer, Role::observer);
  site.run(3s);  // a Pioneer's ramp of 0.3 m/s² needs 1.7 s of it
  EXPECT_EQ(watcher.speed(), 0.0);
  EXPECT_NE(watcher.control().mode, Mode::driving);
  if (auto const c = site.controllers.find(1); c != site.controllers.end()) {
    auto const stood = c->second->told_to_stand(cut);
    ASSERT_TRUE(stood);
    EXPECT_LE(*stood - cut, 350ms);
  }
}

TEST_P(WithRobot, AnObserversStopLatches) {
  ASSERT_TRUE(site.take_off(op, ahead, 1min));
  ASSERT_TRUE(site.run_until([&] { return op.speed() > 0.4; }, 10s));
  auto& watcher = site.join(Role::observer, Role::observer);
  ASSERT_EQ(why(site.tell(watcher, Stop{})), "applied: none");
  ASSERT_TRUE(site.run_until([&] { return op.control().stop_confirmed; }, 6s));
  EXPECT_EQ(op.control().mode, Mode::stopped);
  EXPECT_EQ(op.control().stopped_by, "person");
  EXPECT_FALSE(op.control().lease);
  // The hand that still pushes, a second later: refused, and nothing moves.
  auto const stood = op.x();
  auto const pushed = site.drive_once(op, ahead);
  EXPECT_EQ(pushed.ending, Ending::refused) << why(pushed);
  site.run(1s);
  EXPECT_NEAR(op.x(), stood, 0.01);
  EXPECT_NE(site.tell(op, RequestLease{}).why, Refusal::role);
  EXPECT_EQ(site.arm(op).why, Refusal::stop_latched);
  // The watcher may not release it; the operator may.
  EXPECT_EQ(site.tell(watcher, ReleaseStop{watcher.control().revision}).why, Refusal::role);
  op.core.release(Resource{1});
  site.run(1s);
  EXPECT_EQ(why(site.tell(op, ReleaseStop{op.control().revision})), "applied: none");
  site.run(100ms);
  EXPECT_EQ(why(site.arm(op)), "applied: none");
}

TEST_P(WithRobot, AReconnectIsDisarmed) {
  ASSERT_TRUE(site.take_off(op, ahead, 1min));
  ASSERT_TRUE(site.run_until([&] { return op.speed() > 0.4; }, 10s));
  site.cut(op);
  site.run(5s);
  EXPECT_EQ(op.core.state(), session::LinkState::connecting);
  site.mend(op);
  ASSERT_TRUE(site.run_until([&] { return op.core.state() == session::LinkState::up; }, 10s));
  site.run(1s);
  EXPECT_EQ(op.control().mode, Mode::disarmed);
  EXPECT_FALSE(op.control().lease);
  EXPECT_EQ(op.speed(), 0.0);
  auto const old_lease = site.drive_once(op, ahead);
  EXPECT_EQ(why(old_lease), "refused: no lease");
  // The person was introduced again by itself.
  ASSERT_TRUE(site.take_off(op, ahead, 3s));
  EXPECT_TRUE(site.run_until([&] { return op.speed() > 0.4; }, 10s));
}

TEST_P(WithRobot, OfTwoClientsOneDrives) {
  auto& other = site.join();
  ASSERT_TRUE(site.take_off(op, ahead, 1min));
  EXPECT_EQ(why(site.tell(other, RequestLease{})), "refused: busy");
  EXPECT_EQ(why(site.drive_once(other, {-0.5, 0.0})), "refused: no lease");
  other.lease = op.lease;  // stolen
  EXPECT_EQ(why(site.drive_once(other, {-0.5, 0.0})), "refused: no lease");
  EXPECT_EQ(why(site.arm(other)), "refused: no lease");
  site.run(100ms);
  EXPECT_EQ(op.control().wishes.size(), 1u);
  auto const from = op.x();
  EXPECT_TRUE(site.run_until([&] { return op.x() > from + 0.2; }, 5s));
}

TEST_P(WithRobot, TheAgentsEndStopsItAndSaysGoodbye) {
  ASSERT_TRUE(site.take_off(op, ahead, 1min));
  ASSERT_TRUE(site.run_until([&] { return op.speed() > 0.4; }, 10s));
  auto const ended = site.now;
  site.host->close(site.now);
  site.turn();
  ASSERT_TRUE(site.run_until([&] { return site.host->closed(); }, 5s));
  EXPECT_TRUE(site.run_until([&] { return op.core.state() != session::LinkState::up; }, 200ms));
  auto const said = std::any_of(op.changes.begin(), op.changes.end(), [](auto const& c) {
    return c.why == "the other side ended it: the agent ends";
  });
  EXPECT_TRUE(said);
  if (auto const c = site.controllers.find(1); c != site.controllers.end()) {
    EXPECT_EQ(c->second->told_to_stand(ended), ended);
  }
}

INSTANTIATE_TEST_SUITE_P(Drivers, WithRobot, testing::Values("null", "arcos"),
                         [](auto const& param) { return std::string(param.param); });

// ---- who may what --------------------------------------------------------------------------

struct Allowed {
  char const* name;
  Role trusted, claimed;
  bool drives;
};
class Roles : public testing::TestWithParam<Allowed> {};

TEST_P(Roles, TheAgentsTrustBoundsWhatAStationVouchesFor) {
  auto const& p = GetParam();
  Site site{{Site::robot("null")}};
  auto& op = site.join(p.trusted, p.claimed);
  EXPECT_EQ(why(site.tell(op, RequestLease{})), p.drives ? "applied: none" : "refused: role");
  EXPECT_EQ(why(site.tell(op, Stop{})), "applied: none");
}
INSTANTIATE_TEST_SUITE_P(
    All, Roles,
    testing::Values(Allowed{"OperatorTrusted", Role::operator_, Role::operator_, true},
                    Allowed{"ObserverClaimsManager", Role::observer, Role::manager, false},
                    Allowed{"ManagerStationObserver", Role::manager, Role::observer, false},
                    Allowed{"OperatorClaimsManager", Role::operator_, Role::manager, true}),
    [](auto const& param) { return std::string(param.param.name); });

TEST(Host, AnUnknownPersonMayLookAndStop) {
  Site site{{Site::robot("null")}};
  auto& op = site.join();
  PersonId const nobody{77};
  EXPECT_EQ(why(site.tell_as(op, nobody, RequestLease{})), "refused: role");
  EXPECT_EQ(why(site.tell_as(op, nobody, Motors{true})), "refused: no lease");
  EXPECT_GT(op.bases.size(), 0u);
  EXPECT_EQ(why(site.tell_as(op, nobody, Stop{})), "applied: none");
  site.run(500ms);
  EXPECT_EQ(op.control().stopped_by, "somebody");
}

TEST(Host, StopAtTheAgentStopsEveryRobot) {
  for (auto const readable : {true, false}) {
    Site site{{Site::robot("null", "ada"), Site::robot("null", "bob")}};
    auto& op = site.join();
    if (readable) {
      EXPECT_EQ(why(site.tell(op, Stop{}, 0)), "applied: none");
    } else {
      // Of a later version, or damaged by its sender: a stop all the same.
      auto const id =
          op.core.event({Resource{}, op.person, {}}, {Stop::head.type, Buffer{2, 0xff, 0xff}}, 2s, site.now);
      site.run(300ms);
      ASSERT_TRUE(op.endings.contains(id.value));
      EXPECT_EQ(why(op.endings[id.value].front()), "applied: none");
    }
    site.run(500ms);
    EXPECT_TRUE(op.control(1).stop_latched);
    EXPECT_TRUE(op.control(2).stop_latched);
  }
}

TEST(Host, ARobotThatIsNotThereIsRefused) {
  Site site{{Site::robot("null")}};
  auto& op = site.join();
  EXPECT_EQ(why(site.tell(op, RequestLease{}, 9)), "refused: unknown robot");
  EXPECT_EQ(why(site.drive_once(op, ahead, 9)), "refused: unknown robot");
}

// What a trusted but broken station sends must not bring the agent down.
TEST(Host, IdsThatAreUsedTwiceHarmNobody) {
  Site site{{Site::robot("null")}};
  auto& op = site.join(Role::observer, Role::observer);
  SetPoint set_point;
  Event event;
  set_point.id = event.id = CommandId{1000};
  set_point.resource = event.resource = Resource{1};
  set_point.lifetime_ms = 300;
  event.deadline_ms = 1000;
  set_point.what = wire::body_of(Drive{ahead});
  event.what = wire::body_of(RequestLease{});
  for (auto i = 0; i < 3; ++i) {
    auto const a = wire::body_of(set_point), b = wire::body_of(event);
    op.core.post(wire::view(a));
    op.core.post(wire::view(b));
    op.core.post(wire::view(a));
    site.run(100ms);
    set_point.id = event.id = CommandId{1001u + static_cast<unsigned>(i)};
  }
  EXPECT_TRUE(op.up());
}

TEST(Host, WhatIsNotItsOwnIsHandedToTheOwnerOfTheHost) {
  Site site{{Site::robot("null")}};
  auto& op = site.join();
  site.foreign.clear();
  Buffer const payload{1, 2, 3};
  op.core.post({0xc777, payload});
  auto const id = op.core.event({Resource{}, op.person, {}}, {0xc778, payload}, 2s, site.now);
  site.run(100ms);
  ASSERT_EQ(site.foreign.size(), 2u);
  EXPECT_FALSE(site.foreign[0].event);
  EXPECT_EQ(site.foreign[0].role, Role::manager) << "the station's own";
  EXPECT_EQ(site.foreign[1].role, Role::operator_) << "the person's";
  EXPECT_EQ(site.foreign[0].message, (wire::Body{0xc777, payload}));
  ASSERT_TRUE(site.foreign[1].event);
  site.host->end_foreign(site.foreign[1].session, *site.foreign[1].event, Ending::applied, Refusal::none,
                         site.now);
  site.run(100ms);
  ASSERT_TRUE(op.endings.contains(id.value));
  EXPECT_EQ(op.endings[id.value].front().ending, Ending::applied);
}

TEST(Host, TwoRobotsOfOneNameAreRefused) {
  HostOptions options;
  options.robots = {Site::robot("null"), Site::robot("null")};
  auto const own = key_pair(1);
  auto const made = Host::make(
      own, [](auto const&) { return Trusted{}; }, options, seeded_entropy(Seed{1}), Seed{1}, Time{});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "two robots are called 'ada'");
}

// ---- with an odd driver (odd_driver.cpp) -----------------------------------------------------

TEST(Host, HoldsOneRobotOfADriver) {
  Site site{{Site::robot("odd")}};
  auto& op = site.join();
  site.run(500ms);
  EXPECT_EQ(op.x(), 0.0) << "another robot's base is taken for this one's";
  ASSERT_EQ(op.inventory->robots.size(), 1u);
  EXPECT_EQ(op.inventory->robots.front().name, "ada");
  EXPECT_TRUE(site.warned("ada: its driver tells of more robots than one"));
}

TEST(Host, SaysThatADriverRefusesToSwitchTheMotors) {
  Site site{{Site::robot("odd")}};
  auto& op = site.join();
  ASSERT_EQ(why(site.tell(op, RequestLease{})), "applied: none");
  site.run(200ms);
  EXPECT_EQ(why(site.arm(op)), "applied: none");
  site.run(100ms);
  EXPECT_TRUE(site.warned("ada: its driver refuses to switch the motors: blocked"));
}

// ---- what the robot does by itself ---------------------------------------------------------

TEST(Host, DrivesBackWhenItsOperatorIsGoneAndThatIsItsPolicy) {
  auto robot = Site::robot("null");
  robot.control.on_gone = {Policy::Kind::retrace, 1.0, {}, {}};
  Site site{{robot}};
  auto& op = site.join();
  auto& watcher = site.join(Role::observer, Role::observer);
  ASSERT_TRUE(site.take_off(op, ahead, 1min));
  ASSERT_TRUE(site.run_until([&] { return watcher.x() > 3.0; }, 20s));
  site.cut(op);
  site.run(2s);
  EXPECT_EQ(watcher.speed(), 0.0);
  auto const farthest = watcher.x();
  ASSERT_TRUE(site.run_until([&] { return watcher.control().mode == Mode::policy; }, 2s))
      << wire::print(watcher.control());
  ASSERT_TRUE(site.run_until([&] { return watcher.control().mode == Mode::disarmed; }, 30s));
  EXPECT_NEAR(watcher.x(), farthest - 1.0, 0.2);
  site.run(300ms);
  EXPECT_EQ(watcher.speed(), 0.0);
}

TEST(Host, HoldsWhenItsOperatorLeavesInOrder) {
  auto robot = Site::robot("null");
  robot.control.on_lost = robot.control.on_gone = {Policy::Kind::retrace, 1.0, {}, {}};
  Site site{{robot}};
  auto& op = site.join();
  auto& watcher = site.join(Role::observer, Role::observer);
  ASSERT_TRUE(site.take_off(op, ahead, 1min));
  ASSERT_TRUE(site.run_until([&] { return watcher.x() > 1.0; }, 20s));
  site.leave(op);
  site.run(200ms);
  auto const stood = watcher.x();
  EXPECT_EQ(watcher.control().mode, Mode::disarmed);
  EXPECT_EQ(watcher.control().reason, DisarmReason::link_gone);
  site.run(10s);
  EXPECT_EQ(watcher.x(), stood);
}

TEST(Host, ThePictureCounts) {
  Site site{{Site::robot("null")}};
  auto& op = site.join();
  ASSERT_TRUE(site.take_off(op, {}, 0ms));
  site.pictures = {{7, site.now - 300ms}, {8, site.now - 600ms}};
  EXPECT_EQ(why(site.drive_once(op, ahead, 1, 7)), "applied: none");
  site.run(50ms);
  EXPECT_GE(op.control().loop_age_us, 300'000u);
  EXPECT_EQ(why(site.drive_once(op, ahead, 1, 8)), "refused: too old");
  EXPECT_EQ(why(site.drive_once(op, ahead, 1, 9)), "refused: too old");  // nobody knows it
}

// Both in one datagram: what the first of them ends, ends before the second is told.
TEST(Host, AStopGoesBeforeWhatFollowsIt) {
  Site site{{Site::robot("arcos")}};
  auto& op = site.join();
  ASSERT_TRUE(site.take_off(op, ahead, 1min));
  ASSERT_TRUE(site.run_until([&] { return op.speed() > 0.4; }, 10s));
  auto const since = site.now;
  auto const body = [](auto const& what) { return wire::body_of(what); };
  op.core.release(Resource{1});
  op.core.event({Resource{1}, op.person, op.lease}, body(Disarm{DisarmReason::person, ""}), 2s, site.now);
  op.core.event({Resource{1}, op.person, op.lease}, body(SonarPower{true}), 2s, site.now);
  site.run(100ms);
  std::vector<std::string> orders;
  for (auto const& entry : site.controllers.at(1)->trace)
    if (auto const* o = std::get_if<sim::Ordered>(&entry.what); o && entry.at >= since)
      orders.push_back(o->name);
  auto const stop = std::find(orders.begin(), orders.end(), "STOP");
  auto const sonar = std::find(orders.begin(), orders.end(), "SONAR");
  ASSERT_NE(sonar, orders.end());
  EXPECT_LT(stop, sonar);
}

// The agent was frozen while its robot drove; the first thing that it hears is no reason to do
// anything before the stop that fell due.
TEST(Host, AfterAFreezeTheStopComesFirst) {
  Site site{{Site::robot("arcos")}};
  auto& op = site.join();
  ASSERT_TRUE(site.take_off(op, ahead, 1min));
  ASSERT_TRUE(site.run_until([&] { return op.speed() > 0.4; }, 10s));
  op.core.event({Resource{1}, op.person, op.lease}, wire::body_of(SonarPower{true}), 2s, site.now);
  site.now += 700ms;
  auto const woke = site.now;
  site.turn();
  site.run(100ms);
  for (auto const& entry : site.controllers.at(1)->trace)
    if (auto const* o = std::get_if<sim::Ordered>(&entry.what); o && entry.at >= woke) {
      EXPECT_EQ(o->name, "STOP");
      return;
    }
  FAIL() << "nothing was told";
}

TEST(Host, HoldsWhenItsOperatorIsGoneByDefault) {
  Site site{{Site::robot("null")}};
  auto& op = site.join();
  auto& watcher = site.join(Role::observer, Role::observer);
  ASSERT_TRUE(site.take_off(op, ahead, 1min));
  ASSERT_TRUE(site.run_until([&] { return watcher.x() > 1.0; }, 20s));
  site.cut(op);
  site.run(1s);
  auto const stood = watcher.x();
  site.run(10s);
  EXPECT_EQ(watcher.x(), stood);
  EXPECT_EQ(watcher.control().mode, Mode::disarmed);
}

TEST(Host, StopsARobotThatSaysNothingMore) {
  Site site{{Site::robot("arcos")}};
  auto& op = site.join();
  ASSERT_TRUE(site.take_off(op, ahead, 1min));
  ASSERT_TRUE(site.run_until([&] { return op.speed() > 0.4; }, 10s));
  auto& c = *site.controllers.at(1);
  auto const silent = site.now;
  c.robot.order({sim::FaultKind::silent, {}, std::nullopt, 0.0, {}}, site.now);
  site.run(1s);
  auto const stood = c.told_to_stand(silent);
  ASSERT_TRUE(stood);
  EXPECT_LE(*stood - silent, 400ms);  // a report's 100 ms, and the 300 ms that data may be old
  EXPECT_EQ(op.control().mode, Mode::disarmed);
  EXPECT_NEAR(c.robot.speed().linear, 0.0, 0.3);
}

}  // namespace
}  // namespace cy::host
