#include "rig.hpp"

namespace cy::station {
namespace {

constexpr LeaseId lease{0x1234};

TEST(ViewerDesk, TheFirstWordsAreTheHelloAndThenWhatIsKnown) {
  Rig rig;
  rig.up();
  Inventory inventory;
  inventory.revision = 3;
  inventory.robots.emplace_back().id = RobotId{1};
  rig.on([&] { rig.desk.on_inventory(inventory); });
  rig.control_is(rig.control(1));
  auto const page = rig.page("  Mia\n ");
  auto const hello = rig.told<StationHello>(page);
  ASSERT_EQ(hello.size(), 1U);
  EXPECT_EQ(load_le<std::uint16_t>(rig.heard[page.value].data()), StationHello::head.type);
  EXPECT_EQ(hello[0].person, PersonId{1});
  EXPECT_EQ(hello[0].drive_lifetime_ms, 300.0F);
  EXPECT_EQ(rig.introduced.at(0).name, "Mia");
  EXPECT_EQ(rig.told<Inventory>(page).at(0).revision, 3U);
  EXPECT_EQ(rig.told<ControlState>(page).size(), 1U);
  EXPECT_EQ(rig.told<Holding>(page).at(0).holds, false);
  EXPECT_EQ(rig.told<LinkReport>(page).at(0).state, AgentLink::up);
  EXPECT_EQ(rig.told<Viewers>(page).back().viewers.at(0).person, "Mia");
}

TEST(ViewerDesk, NothingIsHeardBeforeTheHello) {
  Rig rig;
  rig.up();
  ConnectionId const id{50};
  rig.desk.on_opened(id, rig.now);
  rig.command(id, 1, Stop{});
  rig.drive(id, 1);
  EXPECT_TRUE(rig.done.empty());
  rig.pass(6s);
  EXPECT_EQ(rig.closed.at(50), "the page did not say hello");
}

TEST(ViewerDesk, TwoOfOneNameAreToldApart) {
  Rig rig;
  rig.page("Mia");
  rig.page("Mia");
  EXPECT_EQ(rig.introduced.at(1).name, "Mia (2)");
}

TEST(ViewerDesk, PongsAtOnceWithTheAgentsNewestStamp) {
  Rig rig;
  rig.link.agent_stamp = 4711;
  rig.link.agent_clock = 4800;
  auto const page = rig.page("Mia");
  rig.say(page, PagePing{12.5});
  auto const pong = rig.told<PagePong>(page);
  ASSERT_EQ(pong.size(), 1U);
  EXPECT_EQ(pong[0].stamp, 12.5);
  EXPECT_EQ(pong[0].echo_us, 4711U);
  EXPECT_EQ(pong[0].agent_clock_us, 4800U);
}

TEST(ViewerDesk, ReportsTheLinkFiveTimesASecond) {
  Rig rig;
  rig.up();
  auto const page = rig.page("Mia");
  auto const before = rig.told<LinkReport>(page).size();
  rig.pass(2s);
  EXPECT_EQ(rig.told<LinkReport>(page).size() - before, 10U);
}

TEST(ViewerDesk, DropsSetPointsThatNobodyCanVouchFor) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia");
  rig.take_control(mia, lease);
  rig.drive(mia, 7);
  rig.drive(mia, 7);
  rig.drive(mia, 6);
  rig.drive(mia, 8, std::nan(""));
  rig.drive(mia, 9, 0.1, std::nanf(""));
  PageDrive blind;
  blind.robot = RobotId{1};
  blind.number = 10;
  rig.say(mia, blind);
  EXPECT_EQ(rig.effects<desk::SendSetPoint>().size(), 1U);
  // An age that would lie in the future counts from now.
  rig.drive(mia, 11, 0.1, -500.0F);
  EXPECT_EQ(rig.effects<desk::SendSetPoint>().at(0).input, rig.now);
}

// A page forgets what an older agent said when it hears of a new session: not a word of the new one
// may come before that.
TEST(ViewerDesk, ANewSessionIsToldBeforeAllThatItsAgentSays) {
  Rig rig;
  rig.up();
  auto const page = rig.page("Mia");
  rig.slow.insert(page.value);
  RobotStatus status;
  status.robot = RobotId{1};
  status.number = 900;
  rig.on([&] { rig.desk.on_status(status); });
  rig.control_is(rig.control(70));
  rig.heard[page.value].clear();
  rig.on([&] { rig.desk.on_link(session::LinkState::gone, "silent", rig.now); });
  rig.on([&] { rig.desk.on_link(session::LinkState::up, "welcomed by agent", rig.now); });
  status.number = 1;
  rig.on([&] { rig.desk.on_status(status); });
  rig.control_is(rig.control(1));
  auto const pieces = rig.desk.take(page, rig.now);
  auto session = 0U, after = 0U;
  for (auto const& piece : pieces) {
    wire::Walk walk(*piece);
    while (auto const raw = walk.next()) {
      if (auto const report = wire::as<LinkReport>(*raw)) session = report->session;
      if (auto const told = wire::as<RobotStatus>(*raw); told && told->number == 1 && session == 2) ++after;
      if (auto const told = wire::as<ControlState>(*raw); told && told->revision == 1 && session == 2)
        ++after;
    }
  }
  EXPECT_EQ(session, 2U);
  EXPECT_EQ(after, 2U);
}

TEST(ViewerDesk, RefusalsSayWhatToDo) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia");
  rig.control_is(rig.control(5, LeaseId{7}, PersonId{3}, "Ada"));
  rig.command(mia, 3, Arm{});
  rig.end(Ending::refused, Refusal::no_lease);
  auto const ended = rig.told<PageEnded>(mia).back();
  EXPECT_EQ(ended.token, 3U);
  EXPECT_EQ(ended.text, "Ada has control of this robot: ask for it, or wait until it is given up");
}

TEST(ViewerDesk, NothingIsKeptForWhenTheLinkComesBack) {
  Rig rig;
  auto const mia = rig.page("Mia");
  rig.command(mia, 1, RequestLease{});
  EXPECT_TRUE(rig.effects<desk::SendEvent>().empty());
  auto const ended = rig.told<PageEnded>(mia).at(0);
  EXPECT_EQ(ended.ending, Ending::expired_unsent);
  EXPECT_EQ(ended.text, "control was not sent: there is no link to the agent; try again");
}

TEST(ViewerDesk, APageMaySpeakForNobodyElse) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia");
  rig.command(mia, 1, Introduce{PersonId{1}, "Mia", Role::manager}, 0);
  rig.command(mia, 2, Dismiss{PersonId{2}}, 0);
  rig.command(mia, 3, media::Subscribe{media::StreamId{1}, true});
  rig.command(mia, 4, Drive{{1.0, 0.0}});  // only as a set-point
  EXPECT_TRUE(rig.effects<desk::SendEvent>().empty());
  auto const ended = rig.told<PageEnded>(mia);
  ASSERT_EQ(ended.size(), 4U);
  for (auto const& one : ended) EXPECT_EQ(one.refusal, Refusal::unknown_command);
}

TEST(ViewerDesk, OneSubscriptionHoweverManyLookOn) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia"), tom = rig.page("Tom");
  rig.view(mia);
  rig.view(tom);
  auto on = rig.effects<desk::Subscribe>();
  ASSERT_EQ(on.size(), 1U);
  EXPECT_TRUE(on[0].on);
  rig.view(mia, true);
  EXPECT_TRUE(rig.effects<desk::Subscribe>().empty());
  rig.on([&] { rig.desk.on_closed(tom, "", rig.now); });
  EXPECT_TRUE(rig.effects<desk::Subscribe>().empty());
  rig.pass(DeskOptions{}.linger);
  auto off = rig.effects<desk::Subscribe>();
  ASSERT_EQ(off.size(), 1U);
  EXPECT_FALSE(off[0].on);
}

TEST(ViewerDesk, ASlowPageDelaysNobodyAndGetsTheNewest) {
  Rig rig;
  rig.up();
  auto const fast = rig.page("Mia"), slow = rig.page("Tom");
  rig.view(fast);
  rig.view(slow);
  rig.slow.insert(slow.value);
  rig.on([&] { rig.desk.on_picture(rig.picture(1, true), rig.now); });
  for (std::uint32_t n = 2; n <= 40; ++n) {
    rig.pass(33ms);
    rig.on([&] { rig.desk.on_picture(rig.picture(n, false), rig.now); });
    RobotStatus status;
    status.robot = RobotId{1};
    status.number = n;
    rig.on([&] { rig.desk.on_status(status); });
  }
  EXPECT_EQ(rig.told<media::Picture>(fast).size(), 40U);
  // One key frame is asked for at once, and then not more than the budget gives.
  auto const wanted = rig.effects<desk::WantKeyframe>().size();
  EXPECT_GE(wanted, 1U);
  EXPECT_LE(wanted, 5U);
  rig.on([&] { rig.desk.on_picture(rig.picture(41, true), rig.now); });
  rig.slow.clear();
  for (auto const& piece : rig.desk.take(slow, rig.now)) rig.append(slow, *piece);
  auto const pictures = rig.told<media::Picture>(slow);
  ASSERT_EQ(pictures.size(), 1U);
  EXPECT_EQ(pictures[0].number, 41U);
  auto const statuses = rig.told<RobotStatus>(slow);
  ASSERT_EQ(statuses.size(), 1U);
  EXPECT_EQ(statuses[0].number, 40U);
}

TEST(ViewerDesk, APageThatTakesNothingIsGivenUp) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia");
  rig.take_control(mia, lease);
  rig.slow.insert(mia.value);
  rig.say(mia, PagePing{1.0});
  static_cast<void>(rig.desk.take(mia, rig.now));
  for (auto i = 0; i < 12; ++i) {
    rig.pass(500ms);
    rig.say(mia, PagePing{1.0});
  }
  EXPECT_TRUE(rig.closed.contains(mia.value));
  EXPECT_EQ(rig.effects<desk::SendEvent>().size(), 2U);
}

TEST(ViewerDesk, AReconnectKeepsTheNumberAndNeverTheLease) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia");
  auto const first = rig.told<StationHello>(mia).at(0);
  rig.take_control(mia, lease);
  auto const again = rig.page("Mia", first.resume);
  EXPECT_TRUE(rig.closed.contains(mia.value));
  auto const second = rig.told<StationHello>(again).at(0);
  EXPECT_EQ(second.viewer, first.viewer);
  EXPECT_NE(second.resume, first.resume);
  EXPECT_EQ(rig.effects<desk::SendEvent>().size(), 2U);
  rig.drive(again, 1);
  EXPECT_TRUE(rig.effects<desk::SendSetPoint>().empty());
}

TEST(ViewerDesk, ViewersAreBounded) {
  DeskOptions options;
  options.most_viewers = 2;
  Rig rig(options);
  rig.page("a");
  rig.page("b");
  auto const third = rig.page("c");
  EXPECT_EQ(rig.closed.at(third.value), "2 pages look on already: close one");
  EXPECT_EQ(rig.introduced.size(), 2U);
}

TEST(ViewerDesk, AnyBytesAreCountedAndNothingMore) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia");
  Random random(Seed{3});
  for (auto i = 0; i < 2000; ++i) {
    Buffer bytes(random.below(40));
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
    if (bytes.size() > 1 && random.chance(0.7)) bytes[1] = 0x30, bytes[0] &= 0x07;
    rig.on([&] { rig.desk.on_data(mia, bytes, rig.now); });
  }
  EXPECT_TRUE(rig.effects<desk::SendSetPoint>().empty());
  EXPECT_FALSE(rig.desk.counters().empty());
}

}  // namespace
}  // namespace cy::station
