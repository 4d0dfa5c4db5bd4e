// The arcos driver against a controller of recorded bytes, in virtual time.
#include <cy/codec/arcos.hpp>
#include <cy/drivers/drivers.hpp>

#include "arcos_peer.hpp"

namespace cy {
namespace {

using second::Said;

constexpr int pulse = 0, open_ = 1, close_ = 2, enable = 4, seto = 7, vel = 11, config = 18, rvel = 21,
              stop = 29, digout = 30, hostbaud = 50, e_stop = 55, revcount = 88;

class ArcosDriver : public testing::Test {
 protected:
  std::vector<std::pair<std::string, std::string>> options_;
  std::string address_{"tcp:127.0.0.1:8101"};
  unsigned baud_{};
  test::ArcosPeer peer_;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<test::Host> host_;

  test::Host& host() {
    if (!host_) {
      DriverConfig made;
      made.device = DeviceId{1};
      made.first_robot = RobotId{1};
      made.name = "ada";
      made.address = address_;
      made.baud = baud_;
      made.options = options_;
      auto driver = make_driver("arcos", made);
      if (!driver) throw std::runtime_error(driver.error().what);
      driver_ = std::move(*driver);
      host_ = std::make_unique<test::Host>(*driver_, &peer_);
    }
    return *host_;
  }
  void become_ready() {
    host().start();
    ASSERT_TRUE(host().run_until([&] { return host().ready(); }, 20s)) << host().devices.back().trouble;
  }
  void become_drivable() {
    become_ready();
    motors(true);
    ASSERT_TRUE(host().part<BaseState>(1)->motors);
  }
  std::optional<Refusal> motors(bool on) {
    auto const id = host().command(Motors{on});
    host().run_until([&] { return host().ending(id).has_value(); }, 3s);
    host().run_for(100ms);
    return host().ending(id);
  }
  // What the driver said since the mark.
  std::vector<Said> said(std::size_t mark = 0) { return second::conversation(host().stream(mark)); }
  std::string trouble() { return host().devices.back().trouble; }
  std::uint64_t counted(std::string_view reason) {
    for (auto const& counter : host().devices.back().counters)
      if (counter.reason == reason) return counter.count;
    return 0;
  }
  static Said order(int number) { return {number, false, false, 0, {}}; }
  static Said order(int number, long value) { return {number, true, false, value, {}}; }
};

// ---- connecting ----------------------------------------------------------------------------

TEST_F(ArcosDriver, GreetsWithAStopAndTheHandshake) {
  become_ready();
  auto const all = said();
  ASSERT_GE(all.size(), 9u);
  EXPECT_EQ(all[0], order(stop));
  EXPECT_EQ(all[1], order(pulse));
  EXPECT_EQ(all[2], order(open_));
  EXPECT_EQ(all[3], order(close_));
  EXPECT_EQ(all[4], order(open_, 1));
  EXPECT_EQ(all[5], order(stop));
  EXPECT_EQ(all[6], order(config, 1));
  EXPECT_EQ(all[7], order(vel, 0));
  EXPECT_EQ(all[8], order(rvel, 0));
  EXPECT_EQ(host().devices.back().watchdog, 2.0);
  EXPECT_EQ(host().robots[0].model, "Pioneer P3-DX (p3dx-sh)");
  EXPECT_DOUBLE_EQ(host().robots[0].limits.linear, 2.2);  // CONFIGpac says 3, the robot cannot
  EXPECT_DOUBLE_EQ(host().robots[0].limits.linear_deceleration, 0.3);
  EXPECT_EQ(host().robots[0].find(PartKind::sonar)->elements.size(), 16u);
}

// The recorded robot's bytes alone, without a peer that reacts.
TEST_F(ArcosDriver, TheRecordedRobotMakesItReady) {
  peer_.mute = true;
  host().start();
  host().run_for(5ms);
  auto last = 0.0;
  for (auto const& r : test::recorded_session()) {
    if (r.from_client || r.run != 1 || r.at > 1.1) continue;
    // OPEN goes out 100 ms after SYNC2 was answered; the recorded client was a little faster.
    auto const at = r.at + (r.bytes[3] == 0x20 || r.bytes[3] == 0x32 ? 0.1 : 0.0);
    host().run_for(from_seconds(at - last));
    last = at;
    for (auto const byte : r.bytes) host().feed(Bytes(&byte, 1));
  }
  EXPECT_TRUE(host().ready()) << trouble();
  auto const all = said();
  ASSERT_GE(all.size(), 5u);
  EXPECT_EQ(std::vector<Said>(all.begin(), all.begin() + 5),
            (std::vector<Said>{order(stop), order(pulse), order(open_), order(close_), order(open_, 1)}));
  auto const sonar = *host().part<SonarState>(2);
  ASSERT_EQ(sonar.discs.size(), 16u);
  EXPECT_NEAR(sonar.discs[0].range, 3.008, 1e-6);
  EXPECT_TRUE(sonar.discs[0].heard);
  EXPECT_FALSE(sonar.discs[8].heard);
  EXPECT_DOUBLE_EQ(*host().part<PowerState>(6)->voltage, 13.0);
  EXPECT_FALSE(host().part<PowerState>(6)->fraction);
  EXPECT_FALSE(host().part<PowerState>(6)->temperature);
  EXPECT_EQ(host().part<PowerState>(6)->charge, Charge::not_charging);
  EXPECT_TRUE(host().part<BaseState>(1)->motors);
}

TEST_F(ArcosDriver, TakesOverASessionThatIsStillOpen) {
  for (auto const moving : {false, true}) {
    peer_ = {};
    host_.reset();
    peer_.streaming = true;
    peer_.motors = true;
    peer_.velocity = 300;
    peer_.moving_id = moving;
    become_ready();
    EXPECT_EQ(peer_.heard[0], order(stop));  // before anything else
    EXPECT_TRUE(host().noted("still open"));
    EXPECT_EQ(peer_.count(close_), 2u);  // CLOSE, and SYNC2
    EXPECT_FALSE(host().part<BaseState>(1)->motors);
  }
}

TEST_F(ArcosDriver, SaysWhichStepGotNoAnswer) {
  peer_.mute = true;
  host().start();
  EXPECT_TRUE(host().run_until([&] { return host().phase() == DevicePhase::waiting; }, 10s));
  EXPECT_EQ(host().devices.back().step, "SYNC0");
  EXPECT_NE(trouble().find("no answer"), std::string::npos);
  EXPECT_NE(trouble().find("switched on"), std::string::npos);
  EXPECT_EQ(peer_.heard[0], order(stop));
  EXPECT_TRUE(std::count(peer_.heard.begin(), peer_.heard.end(), order(open_, 1)) == 1);
  peer_.mute = false;
  EXPECT_TRUE(host().run_until([&] { return host().ready(); }, 10s));
  EXPECT_EQ(trouble(), "");
  EXPECT_EQ(host().devices.back().attempt, 0u);
}

TEST_F(ArcosDriver, RetriesALineThatIsNotThereMoreAndMoreSlowly) {
  host().refuse_to_open = true;
  host().start();
  host().run_for(200s);
  ASSERT_GE(host().opens.size(), 8u);
  auto const wait = [&](std::size_t i) { return host().opens[i + 1] - host().opens[i] - 1ms; };
  EXPECT_EQ(wait(0), 1s);
  EXPECT_EQ(wait(1), 2s);
  EXPECT_EQ(wait(2), 4s);
  EXPECT_EQ(wait(5), 30s);
  EXPECT_EQ(wait(6), 30s);
  EXPECT_EQ(host().devices.back().step, "channel");
  EXPECT_NE(trouble().find("connection refused"), std::string::npos);
  EXPECT_GE(host().devices.back().attempt, 8u);
}

TEST_F(ArcosDriver, RefusesARobotThatItHasNoNumbersFor) {
  peer_.sub_type = "seekur";
  host().start();
  EXPECT_TRUE(host().run_until([&] { return host().phase() == DevicePhase::waiting; }, 5s));
  EXPECT_EQ(host().devices.back().step, "SYNC2");
  EXPECT_NE(trouble().find("seekur"), std::string::npos);
  EXPECT_NE(trouble().find("parameters = p3dx"), std::string::npos);
}

TEST_F(ArcosDriver, TakesConfiguredNumbersForAnUnknownRobotOnly) {
  options_ = {{"parameters", "p3dx"}};
  peer_.sub_type = "seekur";
  become_ready();
  EXPECT_EQ(host().robots[0].model, "Pioneer P3-DX (p3dx)");
  peer_ = {};
  host_.reset();
  peer_.sub_type = "P3DX-SH";
  become_ready();
  EXPECT_EQ(host().robots[0].model, "Pioneer P3-DX (p3dx-sh)");
  EXPECT_TRUE(host().noted("that counts"));
}

TEST_F(ArcosDriver, GoesOnWithoutAConfigPacket) {
  peer_.answers_config = false;
  become_ready();
  EXPECT_EQ(peer_.count(config), 5u);
  EXPECT_EQ(host().devices.back().watchdog, 0.0);
  EXPECT_DOUBLE_EQ(host().robots[0].limits.linear_acceleration, 1.0);
}

TEST_F(ArcosDriver, FindsTheBaud) {
  for (auto const baud : {9600u, 19200u, 38400u, 57600u, 115200u}) {
    peer_ = {};
    host_.reset();
    address_ = "serial:/dev/ttyUSB0";
    options_ = {{"switch_baud", "false"}};
    baud_ = 9600;
    peer_.baud = baud;
    become_ready();
    EXPECT_EQ(host().baud(), baud);
    EXPECT_EQ(host().noted("answers at"), baud != 9600);
  }
}

TEST_F(ArcosDriver, GoesTo38400BaudWhereTheControllerDoes) {
  address_ = "serial:/dev/ttyUSB0";
  peer_.baud = 9600;
  become_ready();
  EXPECT_EQ(host().baud(), 38400u);
  EXPECT_EQ(peer_.count(hostbaud), 1u);
  host().run_for(2s);
  EXPECT_TRUE(host().ready());
}

TEST_F(ArcosDriver, ComesBackFromABaudThatDoesNotWork) {
  address_ = "serial:/dev/ttyUSB0";
  peer_.baud = 9600;
  peer_.follows_hostbaud = false;
  peer_.sips = false;
  host().start();
  host().run_for(3s);
  peer_.sips = true;
  EXPECT_TRUE(host().run_until([&] { return host().ready(); }, 5s));
  EXPECT_EQ(host().baud(), 9600u);
  EXPECT_TRUE(host().noted("back to 9600"));
}

TEST_F(ArcosDriver, AResetOfTheControllerBeginsAnew) {
  become_drivable();
  auto const epoch = host().part<BaseState>(1)->odometry_epoch;
  peer_.answer({0xff}, host().now());
  EXPECT_TRUE(host().run_until([&] { return host().phase() == DevicePhase::waiting; }, 1s));
  EXPECT_NE(trouble().find("reset"), std::string::npos);
  EXPECT_TRUE(host().run_until([&] { return host().ready(); }, 5s));
  host().run_for(200ms);
  EXPECT_GT(host().part<BaseState>(1)->odometry_epoch, epoch);
  EXPECT_FALSE(host().part<BaseState>(1)->motors);
}

TEST_F(ArcosDriver, ClosesInOrder) {
  become_drivable();
  host().command(Drive{{0.2, 0}}, 10s);
  host().run_for(100ms);
  auto const mark = host().sent.size();
  host().close();
  EXPECT_TRUE(host().run_until([&] { return driver_->closed(); }, 2s));
  EXPECT_EQ(said(mark), (std::vector<Said>{order(stop), order(vel, 0), order(rvel, 0), order(enable, 0),
                                           order(close_, 1)}));
  EXPECT_GE(host().sent.back().at - host().sent[mark + 3].at, 100ms);
  EXPECT_FALSE(peer_.streaming);
}

// ---- settings ------------------------------------------------------------------------------

TEST_F(ArcosDriver, CalibrationIsReadBackAndAMismatchIsReported) {
  options_ = {{"rev_count", "16570"}, {"speed_m_s", "0.75"}};
  become_ready();
  EXPECT_EQ(peer_.count(revcount), 1u);
  EXPECT_EQ(peer_.count(config), 2u);
  EXPECT_NE(trouble().find("REVCOUNT was set to 16570 but reads 0"), std::string::npos);
  EXPECT_NE(trouble().find("SETV was set to 750 but reads 3000"), std::string::npos);
  EXPECT_DOUBLE_EQ(host().robots[0].limits.linear, 0.75);
  host().drop_line("gone");
  EXPECT_TRUE(host().run_until([&] { return host().ready(); }, 10s));
  EXPECT_EQ(peer_.count(revcount), 2u);
}

TEST_F(ArcosDriver, SettingsThatWereTakenAreNoTrouble) {
  options_ = {{"speed_m_s", "3.0"}};
  EXPECT_THROW(host(), std::runtime_error);  // faster than the robot can
  options_ = {{"acceleration_m_s2", "0.3"}};
  become_ready();
  EXPECT_EQ(peer_.count(5), 1u);
  EXPECT_EQ(trouble(), "");
}

// ---- motion --------------------------------------------------------------------------------

TEST_F(ArcosDriver, DrivesInWholeUnitsAndRepeats) {
  become_drivable();
  auto const mark = host().sent.size();
  auto const id = host().command(Drive{{0.2504, -radians(10.4)}}, 700ms);
  host().run_for(650ms);
  EXPECT_EQ(host().ending(id), Refusal::none);
  EXPECT_EQ(said(mark),
            (std::vector<Said>{order(vel, 250), order(rvel, -10), order(vel, 250), order(rvel, -10),
                               order(vel, 250), order(rvel, -10), order(vel, 250), order(rvel, -10)}));
}

TEST_F(ArcosDriver, KeepsToTheRobotsLimits) {
  options_ = {{"speed_m_s", "0.5"}};
  become_drivable();
  auto const mark = host().sent.size();
  host().command(Drive{{-9.0, 90.0}});
  host().run_for(10ms);
  EXPECT_EQ(said(mark), (std::vector<Said>{order(vel, -500), order(rvel, 150)}));
}

TEST_F(ArcosDriver, StopsAtTheVeryDeadline) {
  become_drivable();
  host().command(Drive{{0.3, 0}}, 333ms);
  auto const until = host().now() + 333ms;
  host().run_for(330ms);
  auto const mark = host().sent.size();
  host().run_for(50ms);
  EXPECT_EQ(host().sent[mark].at, until);
  EXPECT_EQ(said(mark), (std::vector<Said>{order(stop), order(vel, 0), order(rvel, 0)}));
  EXPECT_EQ(peer_.velocity, 0);
}

TEST_F(ArcosDriver, TheNewestSetPointWins) {
  become_drivable();
  auto const mark = host().sent.size();
  auto const first = host().command(Drive{{0.1, 0}});
  auto const second = host().command(Drive{{0.2, 0}});
  auto const third = host().command(Drive{{0.3, 0}});
  host().run_for(30ms);
  auto const all = said(mark);
  EXPECT_EQ(all.back(), order(rvel, 0));
  EXPECT_EQ(peer_.velocity, 300);
  EXPECT_EQ(host().ending(third), Refusal::none);
  EXPECT_EQ(host().ending(second), Refusal::too_old);
  EXPECT_EQ(host().ending(first), Refusal::too_old);
}

TEST_F(ArcosDriver, PacesItsCommands) {
  become_drivable();
  auto const mark = host().sent.size();
  for (auto i = 0; i < 30; ++i) host().command(DigitalOut{0xff, static_cast<std::uint8_t>(i)});
  host().run_for(400ms);
  auto seen = 0;
  for (auto i = mark + 1; i < host().sent.size(); ++i) {
    EXPECT_GE(host().sent[i].at - host().sent[i - 1].at, 3ms);
    ++seen;
  }
  EXPECT_GE(seen, 29);
  EXPECT_EQ(peer_.count(digout), 30u);
}

TEST_F(ArcosDriver, AStopOvertakesWhatWaits) {
  become_drivable();
  for (auto i = 0; i < 30; ++i) host().command(DigitalOut{0xff, static_cast<std::uint8_t>(i)});
  host().command(Drive{{0.5, 0}}, 10s);
  auto const mark = host().sent.size();
  host().stop(StopKind::category_2);
  EXPECT_EQ(said(mark).at(0), order(stop));
  host().run_for(1s);
  EXPECT_EQ(peer_.velocity, 0);
  EXPECT_EQ(peer_.count(digout), 30u);
}

TEST_F(ArcosDriver, StopCategories) {
  become_drivable();
  host().command(Drive{{0.5, 0}}, 10s);
  host().run_for(300ms);
  auto mark = host().sent.size();
  host().stop(StopKind::category_1);
  EXPECT_EQ(said(mark).at(0), order(e_stop));
  EXPECT_EQ(host().ending(host().command(Drive{{0.1, 0}})), Refusal::stop_latched);
  EXPECT_TRUE(host().run_until([&] { return !peer_.motors; }, 500ms));  // at rest: power goes
  host().run_for(1s);

  ASSERT_EQ(motors(true), Refusal::none);
  host().command(Drive{{0.5, 0}}, 10s);
  host().run_for(300ms);
  mark = host().sent.size();
  host().stop(StopKind::category_0);
  EXPECT_EQ(said(mark).at(0), order(enable, 0));
  host().run_for(20ms);
  EXPECT_EQ(said(mark).at(1), order(e_stop));
}

TEST_F(ArcosDriver, AStopThatGotLostIsRepeated) {
  become_drivable();
  host().command(Drive{{0.5, 0}}, 10s);
  host().run_for(300ms);
  peer_.never_heard = {stop, vel, rvel};
  host().stop(StopKind::category_2);
  host().run_for(250ms);
  EXPECT_NE(peer_.velocity, 0);
  peer_.never_heard.clear();
  host().run_for(150ms);
  EXPECT_EQ(peer_.velocity, 0);
}

TEST_F(ArcosDriver, CategoryOneTakesThePowerEvenIfItNeverComesToRest) {
  become_drivable();
  host().command(Drive{{0.5, 0}}, 10s);
  host().run_for(300ms);
  peer_.never_heard = {stop, e_stop, vel, rvel};
  host().stop(StopKind::category_1);
  host().run_for(1900ms);
  EXPECT_TRUE(peer_.motors);
  host().run_for(300ms);
  EXPECT_FALSE(peer_.motors);
}

TEST_F(ArcosDriver, MotorsThatDoNotFollowAreReported) {
  become_ready();
  peer_.stop_button = true;
  EXPECT_EQ(motors(true), Refusal::blocked);
  EXPECT_NE(trouble().find("STOP button"), std::string::npos);
  EXPECT_EQ(host().ending(host().command(Drive{{0.1, 0}})), Refusal::not_ready);
  peer_.stop_button = false;
  EXPECT_EQ(motors(true), Refusal::none);
  EXPECT_EQ(trouble(), "");
}

TEST_F(ArcosDriver, ALostEnableIsSentAgain) {
  become_ready();
  peer_.never_heard = {enable};
  auto const id = host().command(Motors{true});
  host().run_for(200ms);
  peer_.never_heard.clear();
  host().run_for(400ms);
  EXPECT_EQ(host().ending(id), Refusal::none);
}

TEST_F(ArcosDriver, NothingOldGoesOnWhenTheWhiteButtonGivesPowerBack) {
  become_drivable();
  host().command(Drive{{0.5, 0}}, 10s);
  host().run_for(200ms);
  peer_.motors = false;
  peer_.stop_button = true;
  host().run_for(200ms);
  peer_.stop_button = false;
  peer_.velocity = 500;  // what a controller may still hold
  peer_.motors = true;
  host().run_for(200ms);
  EXPECT_EQ(peer_.velocity, 0);
}

TEST_F(ArcosDriver, PulsesOnlyWhenThereIsNothingElseToSay) {
  become_ready();
  host().run_for(1s);
  auto const mark = host().sent.size();
  host().run_for(5s);
  auto const all = said(mark);
  EXPECT_EQ(all.size(), 10u);
  for (auto const& one : all) EXPECT_EQ(one, order(pulse));
}

// ---- gaps ----------------------------------------------------------------------------------

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
  host().drop_line("reset by peer");
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

// ---- reports -------------------------------------------------------------------------------

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
}  // namespace cy
