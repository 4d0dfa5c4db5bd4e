// Gaps in what it says, and what it says.
#include "arcos_rig.hpp"

namespace cy::test {
namespace {

TEST_F(ArcosDriver, SilenceStopsAndSoDoesItsEnd) {
  become_drivable();
  host().command(Drive{{0.5, 0}}, 60s);
  host().run_for(200ms);
  peer_.sips = false;
  auto mark = host().sent.size();
  host().run_until([&] { return !trouble().empty(); }, 1s);
  auto const all = said(mark);
  EXPECT_EQ(
      host()
          .sent[mark + static_cast<std::size_t>(std::find(all.begin(), all.end(), order(stop)) - all.begin())]
          .at,
      host().now());
  EXPECT_NE(trouble().find("no report"), std::string::npos);
  EXPECT_EQ(host().ending(host().command(Drive{{0.1, 0}})), Refusal::stale_data);
  // While nothing is heard only the stop is kept alive.
  host().run_for(20ms);
  mark = host().sent.size();
  host().run_for(3s);
  for (auto const& one : said(mark)) EXPECT_EQ(one, order(stop));
  EXPECT_EQ(said(mark).size(), 6u);
  // The first bytes after it are a stop.
  mark = host().sent.size();
  peer_.sips = true;
  host().run_until([&] { return trouble().empty(); }, 1s);
  EXPECT_EQ(said(mark).at(0), order(stop));
  EXPECT_EQ(counted("report gaps"), 1u);
  EXPECT_EQ(peer_.velocity, 0);
}

TEST_F(ArcosDriver, LongSilenceReconnects) {
  become_ready();
  peer_.sips = false;
  host().run_for(7900ms);
  EXPECT_TRUE(host().ready());
  host().run_for(300ms);
  EXPECT_EQ(host().phase(), DevicePhase::waiting);
  EXPECT_NE(trouble().find("no report for 8 s"), std::string::npos);
  peer_.sips = true;
  EXPECT_TRUE(host().run_until([&] { return host().ready(); }, 10s));
}

TEST_F(ArcosDriver, ItsOwnSleepEndsInAStop) {
  become_drivable();
  host().command(Drive{{0.5, 0}}, 60s);
  host().run_for(300ms);
  auto const mark = host().sent.size();
  host().oversleep(1700ms);
  host().run_for(1ms);
  EXPECT_EQ(said(mark).at(0), order(stop));
  EXPECT_TRUE(host().noted("not called"));
  host().run_for(200ms);
  EXPECT_EQ(peer_.velocity, 0);
}

TEST_F(ArcosDriver, ALineThatEndsRefusesWhatWaited) {
  become_ready();
  peer_.never_heard = {enable};
  auto const id = host().command(Motors{true});
  host().run_for(10ms);
  host().drop_lines("reset by peer");
  EXPECT_EQ(host().ending(id), Refusal::link_lost);
  EXPECT_NE(trouble().find("reset by peer"), std::string::npos);
}

TEST_F(ArcosDriver, AHalfFrameDoesNotBlockTheNext) {
  become_ready();
  auto const reports = host().reports;
  host().feed(Buffer{0xfa, 0xfb, 0xf0, 0x32});
  host().run_for(250ms);
  EXPECT_GE(host().reports, reports + 1);
  host().run_for(1s);
  EXPECT_EQ(counted("frames given up") + counted("bad checksum"), 1u);
}

// A charge of 0 means "does not say" in the battery packet as it does in the SIP.
TEST_F(ArcosDriver, AChargeThatIsNotSaidIsUnknown) {
  become_ready();
  host().feed(arcos::encode(arcos::Battery{{Buffer{0, 0, 0, 0, 0}}}));
  host().run_for(250ms);
  EXPECT_FALSE(host().part<PowerState>(6)->fraction);
  host().feed(arcos::encode(arcos::Battery{{Buffer{0, 0, 0, 60, 58}}}));
  host().run_for(250ms);
  EXPECT_DOUBLE_EQ(host().part<PowerState>(6)->fraction.value_or(0.0), 0.6);
}

TEST_F(ArcosDriver, SonarsHaveAges) {
  peer_.sonars = {0, 9};
  become_ready();
  host().run_for(1s);
  auto sonar = *host().part<SonarState>(2);
  EXPECT_EQ(sonar.discs[0].age_ms, 0u);
  EXPECT_NEAR(sonar.discs[9].range, 1.0, 1e-6);
  EXPECT_EQ(sonar.discs[1].age_ms, SonarDisc::never);
  EXPECT_FALSE(sonar.silent);
  peer_.sonars = {9, 200};
  host().run_for(1s);
  sonar = *host().part<SonarState>(2);
  EXPECT_NEAR(sonar.discs[0].age_ms, 1000u, 110u);
  EXPECT_GT(counted("readings of sonars that a P3-DX lacks"), 0u);
}

TEST_F(ArcosDriver, SonarsThatAreOnButSilentAreNoticed) {
  peer_.sonars = {-1};
  become_ready();
  host().run_for(1s);
  EXPECT_FALSE(host().part<SonarState>(2)->silent);
  host().run_for(2s);
  EXPECT_TRUE(host().part<SonarState>(2)->enabled);
  EXPECT_TRUE(host().part<SonarState>(2)->silent);
  EXPECT_TRUE(host().noted("none has reported"));
}

TEST_F(ArcosDriver, ResetOdometryBeginsANewEpochAtZero) {
  become_drivable();
  host().command(Drive{{0.5, 0}}, 2s);
  host().run_for(3s);
  auto const before = *host().part<BaseState>(1);
  EXPECT_NEAR(before.pose.x, 1.0, 0.11);
  auto const id = host().command(ResetOdometry{});
  host().run_for(300ms);
  EXPECT_EQ(host().ending(id), Refusal::none);
  EXPECT_EQ(peer_.count(seto), 1u);
  auto const after = *host().part<BaseState>(1);
  EXPECT_DOUBLE_EQ(after.pose.x, 0.0);
  EXPECT_EQ(after.odometry_epoch, before.odometry_epoch + 1);
  host().run_for(2s);
  EXPECT_EQ(host().part<BaseState>(1)->odometry_epoch, before.odometry_epoch + 1);
}

TEST_F(ArcosDriver, CountersGoOutAtMostOnceASecond) {
  become_ready();
  host().run_for(1s);
  auto const before = host().devices.size();
  host().run_for(10s);
  EXPECT_LE(host().devices.size() - before, 10u);
  EXPECT_GE(host().devices.size() - before, 9u);
  EXPECT_GT(counted("packets"), 90u);
}

TEST_F(ArcosDriver, RefusesAnAddressThatItCannotUse) {
  address_ = "udp:1.2.3.4:5";
  EXPECT_THROW(host(), std::runtime_error);
}

}  // namespace
}  // namespace cy::test
