// Control and stops through the desk: whose they are, and that none is lost.
#include "rig.hpp"

namespace cy::station {
namespace {

constexpr LeaseId lease{0x1234};

TEST(ViewerDesk, TheGrantedLeaseRidesOnThisPersonsCommandsOnly) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia"), tom = rig.page("Tom");
  rig.take_control(mia, lease);
  EXPECT_TRUE(rig.told<Holding>(mia).back().holds);
  EXPECT_EQ(rig.told<PageEnded>(mia).back().ending, Ending::applied);

  rig.drive(mia, 1);
  auto const sent = rig.effects<desk::SendSetPoint>();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].target.lease, lease);
  EXPECT_EQ(sent[0].target.person, PersonId{1});
  EXPECT_EQ(sent[0].input, rig.now - 10ms);
  EXPECT_EQ(sent[0].echo_us, 77U);

  rig.drive(tom, 1);
  EXPECT_TRUE(rig.effects<desk::SendSetPoint>().empty());
  rig.command(tom, 5, Arm{});
  EXPECT_EQ(rig.effects<desk::SendEvent>().at(0).target.lease, LeaseId{});
}

TEST(ViewerDesk, APageThatGoesGivesControlBackAtOnce) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia"), tom = rig.page("Tom");
  rig.take_control(mia, lease);
  rig.on([&] { rig.desk.on_closed(mia, "closed by the browser", rig.now); });
  auto const events = rig.effects<desk::SendEvent>();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].what.type, Disarm::head.type);
  EXPECT_EQ(events[0].target.lease, lease);
  EXPECT_EQ(events[1].what.type, ReleaseLease::head.type);
  EXPECT_EQ(rig.effects<desk::Dismiss>().at(0).person, PersonId{1});
  EXPECT_EQ(rig.told<Viewers>(tom).back().viewers.size(), 1U);
}

TEST(ViewerDesk, APageThatGoesSilentWhileItHoldsControlLosesIt) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia"), tom = rig.page("Tom");
  rig.take_control(mia, lease);
  for (auto i = 0; i < 8; ++i) {
    rig.pass(500ms);
    rig.say(mia, PagePing{1.0});
  }
  EXPECT_TRUE(rig.effects<desk::SendEvent>().empty());
  rig.pass(1400ms);
  EXPECT_TRUE(rig.effects<desk::SendEvent>().empty());
  rig.pass(100ms);
  EXPECT_EQ(rig.effects<desk::SendEvent>().size(), 2U);
  EXPECT_FALSE(rig.told<Holding>(mia).back().holds);
  EXPECT_EQ(rig.told<Notice>(mia).size(), 1U);
  EXPECT_TRUE(rig.closed.empty());  // a silent looker-on is no matter: Tom said nothing at all
  rig.drive(mia, 5);
  EXPECT_TRUE(rig.effects<desk::SendSetPoint>().empty());
  static_cast<void>(tom);
}

TEST(ViewerDesk, ControlTakenByOthersIsSeenInTheAgentsState) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia");
  rig.take_control(mia, lease);
  // Sent before the grant, and late: not believed.
  rig.control_is(rig.control(4));
  EXPECT_TRUE(rig.told<Holding>(mia).back().holds);
  rig.control_is(rig.control(5, lease, PersonId{1}, "Mia"));
  rig.control_is(rig.control(4));  // older than what is known
  EXPECT_TRUE(rig.told<Holding>(mia).back().holds);
  rig.control_is(rig.control(6, LeaseId{99}, PersonId{1}, "Boss", StationId{2}));
  EXPECT_FALSE(rig.told<Holding>(mia).back().holds);
  EXPECT_EQ(rig.told<Viewers>(mia).back().driver, "Boss");
}

TEST(ViewerDesk, AHandedOverLeaseReachesOnlyWhoHadAskedForIt) {
  Rig rig;
  rig.up();
  auto const tom = rig.page("Tom");
  rig.page("Eve");
  rig.command(tom, 1, RequestLease{});
  rig.end(Ending::refused, Refusal::busy);
  // Another station's first person, of another name.
  rig.control_is(rig.control(5, LeaseId{7}, PersonId{1}, "Mia", StationId{2}));
  EXPECT_FALSE(rig.told<Holding>(tom).back().holds);
  rig.control_is(rig.control(6, LeaseId{8}, PersonId{1}, "Tom", StationId{9}));
  EXPECT_TRUE(rig.told<Holding>(tom).back().holds);
  rig.drive(tom, 1);
  EXPECT_EQ(rig.effects<desk::SendSetPoint>().at(0).target.lease, LeaseId{8});
}

TEST(ViewerDesk, ANewSessionForgetsEveryLease) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia");
  rig.take_control(mia, lease);
  rig.on([&] { rig.desk.on_link(session::LinkState::lost, "silence", rig.now); });
  EXPECT_TRUE(rig.told<Holding>(mia).back().holds);  // the session may yet come back
  rig.on([&] { rig.desk.on_link(session::LinkState::gone, "silence", rig.now); });
  EXPECT_FALSE(rig.told<Holding>(mia).back().holds);
  rig.up();
  rig.drive(mia, 1);
  EXPECT_TRUE(rig.effects<desk::SendSetPoint>().empty());
  EXPECT_NE(rig.told<Notice>(mia).back().text.find("Take control again"), std::string::npos);
}

TEST(ViewerDesk, AStopIsSentUntilTheAgentHasIt) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia"), tom = rig.page("Tom");
  rig.command(mia, 1, Stop{});
  rig.command(tom, 1, Stop{});  // joins the one under way
  rig.on([&] { rig.desk.on_link(session::LinkState::gone, "silence", rig.now); });
  rig.end(Ending::expired_maybe_applied);
  EXPECT_TRUE(rig.told<PageEnded>(mia).empty());
  rig.pass(4s);  // told that it is not confirmed, and it is kept
  EXPECT_EQ(rig.told<PageEnded>(mia).at(0).ending, Ending::expired_maybe_applied);
  EXPECT_TRUE(rig.effects<desk::SendEvent>().empty());
  rig.command(mia, 2, Stop{});
  rig.effects<desk::SendEvent>();
  rig.up();
  rig.pass(1s);
  rig.command(tom, 2, Stop{});
  EXPECT_TRUE(rig.effects<desk::SendEvent>().empty());
}

TEST(ViewerDesk, AStopSurvivesTheLinkAndEndsOnceForEachPress) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia");
  rig.command(mia, 1, Stop{});
  rig.on([&] { rig.desk.on_link(session::LinkState::gone, "silence", rig.now); });
  rig.end(Ending::expired_maybe_applied);
  rig.up();
  rig.command(mia, 2, Stop{});
  rig.end(Ending::applied);
  auto const ended = rig.told<PageEnded>(mia);
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[0].ending, Ending::applied);
  EXPECT_EQ(ended[1].ending, Ending::applied);
  rig.pass(5s);
  EXPECT_TRUE(rig.effects<desk::SendEvent>().empty());
}

}  // namespace
}  // namespace cy::station
