// Connecting, settings, closing.
#include "arcos_rig.hpp"

namespace cy::test {
namespace {

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
  for (auto const& r : recorded_session()) {
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
  EXPECT_DOUBLE_EQ(host().robots[0].limits.linear_acceleration, 0.0);
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

TEST_F(ArcosDriver, ASessionThatIsStillOpenAtAnotherBaudIsClosedAndFoundAgain) {
  address_ = "serial:/dev/ttyUSB0";
  peer_.baud = 38400;
  peer_.flash_baud = 9600;
  peer_.streaming = true;
  host().start();
  EXPECT_TRUE(host().run_until([&] { return host().ready(); }, 8s)) << trouble();
  EXPECT_EQ(host().devices.back().attempt, 0u);
  EXPECT_FALSE(host().noted("no answer"));
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
  auto all = said(mark);
  EXPECT_EQ(all.at(0), order(e_stop));
  EXPECT_EQ(all.at(1), order(vel, 0));
  EXPECT_EQ(all.at(2), order(rvel, 0));
  EXPECT_EQ(all.at(all.size() - 2), order(enable, 0));
  EXPECT_EQ(all.back(), order(close_, 1));
  EXPECT_GE(host().sent.back().at - host().sent[host().sent.size() - 2].at, 100ms);
  EXPECT_FALSE(peer_.streaming);
}

TEST_F(ArcosDriver, ClosesARobotThatStandsFirst) {
  become_drivable();
  host().command(Drive{{0.5, 0}}, 10s);
  host().run_for(300ms);
  peer_.rolls_for = 300ms;
  host().close();
  auto const begun = host().now();
  ASSERT_TRUE(host().run_until([&] { return !peer_.motors; }, 2s));
  EXPECT_GE(host().now() - begun, 300ms);  // not before its reports said that it stands
  EXPECT_TRUE(host().run_until([&] { return driver_->closed(); }, 2s));
  EXPECT_LE(host().now() - begun, 900ms);
}

TEST_F(ArcosDriver, ClosesInTimeEvenIfItNeverStands) {
  become_drivable();
  host().command(Drive{{0.5, 0}}, 10s);
  host().run_for(300ms);
  peer_.never_heard = {stop, e_stop, vel, rvel};
  auto const begun = host().now();
  host().close();
  EXPECT_TRUE(host().run_until([&] { return driver_->closed(); }, 2s));
  EXPECT_FALSE(peer_.motors);
  EXPECT_FALSE(peer_.streaming);
  EXPECT_LE(host().now() - begun, 900ms);
}

// A control desk says an unconfirmed stop again every 250 ms.
TEST_F(ArcosDriver, AStopThatIsRepeatedKeepsNobodyFromConnecting) {
  peer_.answers_after = 400ms;
  host().start();
  for (auto i = 0; i < 100 && !host().ready(); ++i) {
    host().stop(StopKind::category_2);
    host().run_for(250ms);
  }
  EXPECT_TRUE(host().ready()) << trouble();
}

TEST_F(ArcosDriver, CalibrationIsReadBackAndAMismatchIsReported) {
  options_ = {{"rev_count", "16570"}, {"speed_m_s", "0.75"}};
  become_ready();
  EXPECT_EQ(peer_.count(revcount), 1u);
  EXPECT_EQ(peer_.count(config), 2u);
  EXPECT_NE(trouble().find("REVCOUNT was set to 16570 but reads 0"), std::string::npos);
  EXPECT_NE(trouble().find("SETV was set to 750 but reads 3000"), std::string::npos);
  EXPECT_DOUBLE_EQ(host().robots[0].limits.linear, 0.75);
  host().drop_lines("gone");
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

// What nobody told is unknown, and not a value that some other robot has.
TEST_F(ArcosDriver, ARampThatIsNotToldIsUnknown) {
  peer_.answers_config = false;
  become_ready();
  auto const& limits = host().robots[0].limits;
  EXPECT_EQ(limits.linear_deceleration, 0.0);
  EXPECT_EQ(limits.angular_deceleration, 0.0);
  EXPECT_GT(limits.linear, 0.0);
}

}  // namespace
}  // namespace cy::test
