// SIPs, sonars and the packets on request, read by the tests' own decoder.
#include <gmock/gmock.h>

#include "rig.hpp"
#include <set>

namespace cy::sim {
namespace {

using plain::order;
using plain::Raw;
using ::testing::SizeIs;

TEST(Sip, ComesEveryHundredMilliseconds) {
  Rig rig;
  rig.open();
  rig.run(99ms);
  EXPECT_THAT(rig.sips(), SizeIs(0));
  rig.run(1ms);
  EXPECT_THAT(rig.sips(), SizeIs(1));
  rig.run(900ms);
  EXPECT_THAT(rig.sips(), SizeIs(10));
}

TEST(Sip, StandingRobotGolden) {
  Rig rig;
  rig.open();
  rig.order(SONAR, 0);
  rig.run(100ms);
  ASSERT_THAT(rig.heard.payloads, SizeIs(1));
  // Written out by hand from the maker's table: 12.8 V less nothing, motors on, no sonar.
  Raw const golden{0x32, 0, 0, 0, 0, 0,    0, 0,   0, 0, 0, 128, 0, 0, 0, 0, 1,    0,
                   0,    0, 0, 0, 0, 0xff, 0, 128, 0, 0, 0, 0,   0, 0, 0, 0, 0x81, 0};
  EXPECT_EQ(rig.heard.payloads[0], golden);
}

TEST(Sip, OlderGenerationStopsAfterDigout) {
  ArcosOptions options;
  options.generation = Generation::h8;
  Rig rig{options};
  rig.open();
  rig.order(SONAR, 0);
  rig.run(100ms);
  ASSERT_THAT(rig.heard.payloads, SizeIs(1));
  EXPECT_EQ(rig.heard.payloads[0].size(), 25U);
}

TEST(Sonar, OnlyFreshDiscsAtTwentyFiveHertzAnArray) {
  Rig rig;
  rig.open();
  std::map<int, int> heard;
  for (int i = 0; i < 32; ++i) {
    auto const sip = rig.next_sip();
    EXPECT_GE(sip.readings, 4U);
    EXPECT_LE(sip.readings, 6U);
    EXPECT_EQ(sip.readings, sip.sonar.size());
    for (auto const& [disc, range] : sip.sonar) {
      ++heard[disc];
      EXPECT_EQ(range, 5000) << "an empty world";
    }
    rig.order(PULSE);
  }
  EXPECT_THAT(heard, SizeIs(16));
  for (auto const& [disc, times] : heard) EXPECT_EQ(times, 10) << "disc " << disc << " in 3.2 s";
}

TEST(Sonar, HearsTheWall) {
  Rig rig{{}, wall_at(2.0)};
  rig.open();
  std::map<int, int> ranges;
  for (int i = 0; i < 4; ++i) {
    for (auto const& [disc, range] : rig.next_sip().sonar) ranges[disc] = range;
  }
  ASSERT_THAT(ranges, SizeIs(16));
  // Disc 3 stands 166 mm forward and looks 10 degrees to the left.
  EXPECT_NEAR(ranges[3], (2000 - 166) / std::cos(radians(10)), 2.0);
  EXPECT_NEAR(ranges[4], ranges[3], 2.0);
  EXPECT_EQ(ranges[12], 5000);
}

TEST(Sonar, IsSwitchedByArrayAndAsAWhole) {
  Rig rig;
  rig.open();
  rig.order(SONAR, 2);  // array 1 off
  rig.run(200ms);
  auto sip = rig.next_sip();
  EXPECT_EQ(sip.flags & 0x1e, 4);
  for (auto const& [disc, range] : sip.sonar) EXPECT_GE(disc, 8);
  rig.order(SONAR, 0);
  rig.run(100ms);
  sip = rig.next_sip();
  EXPECT_EQ(sip.flags & 0x1e, 0);
  EXPECT_EQ(sip.readings, 0U);
  rig.order(SONAR, 5);  // array 2 on
  rig.run(100ms);
  EXPECT_EQ(rig.next_sip().flags & 0x1e, 4);
  rig.order(SONAR, 1);
  rig.run(100ms);
  EXPECT_EQ(rig.next_sip().flags & 0x1e, 6);
}

TEST(Sonar, WithoutARearArray) {
  ArcosOptions options;
  options.rear_sonar = false;
  Rig rig{options};
  rig.open();
  auto const sip = rig.next_sip();
  EXPECT_EQ(sip.flags & 0x1e, 2);
  for (auto const& [disc, range] : sip.sonar) EXPECT_LT(disc, 8);
}

TEST(Sonar, PollingChangesOnlyTheArraysItMentions) {
  Rig rig;
  rig.open();
  rig.order(POLLING, std::string{"\x04\x05"});
  rig.next_sip();
  std::set<int> front, rear;
  for (int i = 0; i < 10; ++i) {
    for (auto const& [disc, range] : rig.next_sip().sonar) (disc < 8 ? front : rear).insert(disc);
  }
  EXPECT_EQ(front, (std::set<int>{3, 4}));
  EXPECT_THAT(rear, SizeIs(8));
  rig.order(POLLING, std::string{});
  rig.next_sip();
  EXPECT_EQ(rig.next_sip().readings, 0U);
  rig.order(SONAR, 1);
  rig.next_sip();
  front.clear();
  for (auto const& [disc, range] : rig.next_sip().sonar) front.insert(disc);
  EXPECT_TRUE(front.contains(3)) << "the sequence was kept";
}

TEST(Sonar, CycleSetsTheRate) {
  Rig rig;
  rig.open();
  rig.order(SONARCYCLE, 10);
  rig.next_sip();
  EXPECT_EQ(rig.next_sip().readings, 16U);
  rig.order(SONARCYCLE, 120);
  rig.next_sip();
  rig.next_sip();
  EXPECT_LE(rig.next_sip().readings, 2U);
}

TEST(Request, Encoders) {
  Rig rig;
  rig.open();
  rig.order(MOVE, 500);
  rig.drive(6s);
  rig.order(ENCODER, 1);
  rig.next_sip();
  auto const one = rig.packets(0x90);
  ASSERT_THAT(one, SizeIs(1));
  plain::Cursor c{one[0]};
  c.u8();
  EXPECT_NEAR(c.s32(), 500 * 128, 4 * 128);
  EXPECT_NEAR(c.s32(), 500 * 128, 4 * 128);
  EXPECT_EQ(c.left(), 0U);
  EXPECT_EQ(rig.heard.payloads.back()[0], 0x90) << "after the SIP";
  rig.next_sip();
  EXPECT_THAT(rig.packets(0x90), SizeIs(0)) << "once";
  rig.order(ENCODER, 2);
  rig.heard.payloads.clear();
  rig.run(500ms);
  EXPECT_THAT(rig.packets(0x90), SizeIs(5));
}

TEST(Request, GyroBeforeTheSip) {
  ArcosOptions options;
  options.gyro = true;
  Rig rig{options};
  rig.open();
  rig.order(GYRO, 1);
  rig.next_sip();
  auto const still = rig.packets(0x98);
  ASSERT_THAT(still, SizeIs(1));
  EXPECT_EQ(rig.heard.payloads.front()[0], 0x98);
  EXPECT_NEAR(still[0][1], 4, 1) << "25 ms a sample";
  EXPECT_EQ(still[0].size(), 2U + 3U * still[0][1]);
  EXPECT_EQ(still[0][2] + 256 * still[0][3], 512);
  rig.order(RVEL, 50);
  rig.drive(2s);
  rig.next_sip();
  auto const turning = rig.packets(0x98);
  ASSERT_THAT(turning, SizeIs(1));
  // ARIA's reading of it: -(raw - 512) * 5 / 1023 * 300 / 2.5 * 1.626.
  EXPECT_NEAR(-(turning[0][2] + 256 * turning[0][3] - 512) * 5.0 / 1023 * 120 * 1.626, 50.0, 1.0);
  Rig without;
  without.open();
  without.order(GYRO, 1);
  without.next_sip();
  EXPECT_THAT(without.packets(0x98), SizeIs(0));
}

TEST(Request, IoGripperBatteryArm) {
  Rig rig;
  rig.open();
  rig.order(DIGOUT, 0x0f * 256 + 0x05);
  rig.order(IOREQUEST, 1), rig.order(GRIPREQUEST, 2), rig.order(BATTERYINFO, 1), rig.order(ARM_STATUS, 1);
  rig.order(ARM_INFO);
  EXPECT_EQ(rig.heard.payloads.back(), (Raw{0xa1, 'N', 'o', ' ', 'a', 'r', 'm', 0, 0}));
  auto const sip = rig.next_sip();
  EXPECT_EQ(sip.digout, 5);
  auto const io = rig.packets(0xf0);
  ASSERT_THAT(io, SizeIs(1));
  EXPECT_EQ(io[0].size(), 1U + 1 + 4 + 1 + 1 + 1 + 18);
  EXPECT_EQ(io[0][7], 5);
  EXPECT_EQ(io[0][8], 9) << "eight ports and the battery";
  EXPECT_THAT(rig.packets(0xe0), ::testing::ElementsAre(Raw{0xe0, 0, 0, 0})) << "no gripper";
  EXPECT_THAT(rig.packets(0xfa), ::testing::ElementsAre(Raw{0xfa, 1, 5, 0, 0, 0, 0, 0}));
  EXPECT_THAT(rig.packets(0xa0), ::testing::ElementsAre(Raw{0xa0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Request, WhatItLacksIsTakenQuietly) {
  Rig rig;
  rig.open();
  rig.order(SAY, std::string{"\x0a\x40"}), rig.order(JOYREQUEST, 2), rig.order(TTY2, std::string{"\xff\x30"});
  rig.order(43, 6), rig.order(33, 1), rig.order(74, 1), rig.order(200), rig.order(47, 1), rig.order(68, 1);
  EXPECT_THAT(rig.heard.payloads, SizeIs(0));
  rig.next_sip();
  EXPECT_THAT(rig.heard.payloads, SizeIs(1));
}

TEST(Request, HostbaudSwitchesAndCloseSwitchesBack) {
  Rig rig;
  rig.open();
  rig.order(HOSTBAUD, 2), rig.order(HOSTBAUD, 9), rig.order(CLOSE);
  EXPECT_THAT(rig.bauds, ::testing::ElementsAre(38400U, 9600U));
}

TEST(Request, CloseSwitchesBackToWhatStandsInFlash) {
  ArcosOptions options;
  options.flash.host_baud = 3;
  Rig rig{options};
  rig.open();
  rig.order(HOSTBAUD, 4), rig.order(CLOSE);
  EXPECT_THAT(rig.bauds, ::testing::ElementsAre(115200U, 57600U));
}

TEST(Battery, DrainsMovesAndCharges) {
  ArcosOptions options;
  options.battery_volts = 12.0;
  options.reports_charge = true;
  options.faults = *parse_fault_orders("charger@40min");
  Rig rig{options};
  rig.open();
  auto const start = rig.next_sip();
  EXPECT_EQ(start.battery, 120);
  EXPECT_EQ(start.battery10, 120);
  EXPECT_EQ(start.soc, 50);
  rig.order(RVEL, 20);
  rig.drive(30min);
  auto const later = rig.next_sip();
  EXPECT_LT(later.battery, 120);
  EXPECT_EQ(later.charge, 0);
  rig.drive(11min);
  auto const charging = rig.next_sip();
  EXPECT_EQ(charging.charge, 1);
  EXPECT_EQ(charging.flags & 0x400, 0x400);
  EXPECT_GT(charging.battery, later.battery);
  rig.order(BATTEST, 105);
  EXPECT_EQ(rig.next_sip().battery, 105);
  rig.order(BATTEST, 0);
  EXPECT_GT(rig.next_sip().battery, 105);
}

TEST(Simulator, ItsOwnOrdersWork) {
  Rig rig{{}, {}, Profile::ideal, {1.0, 2.0, 0.0}};
  rig.open();
  // As ARIA's simulator utilities send it: one byte 0, then three 32-bit numbers.
  rig.say(plain::packet({224, 0, 0xd0, 0x07, 0, 0, 0x18, 0xfc, 0xff, 0xff, 90, 0, 0, 0}));
  EXPECT_NEAR(rig.robot.pose().x, 2.0, 1e-9);
  EXPECT_NEAR(rig.robot.pose().y, -1.0, 1e-9);
  EXPECT_NEAR(degrees(rig.robot.pose().yaw), 90.0, 1e-9);
  EXPECT_EQ(rig.next_sip().x, 0) << "odometry does not notice";
  rig.order(SIM_STAT, 1);
  rig.next_sip();
  auto const stat = rig.packets(0x62);
  ASSERT_THAT(stat, SizeIs(1));
  EXPECT_EQ(stat[0].size(), 57U);
  plain::Cursor c{stat[0], 13};
  EXPECT_EQ(c.s32(), 2000);
  EXPECT_EQ(c.s32(), -1000);
  EXPECT_EQ(c.s32(), 0);
  EXPECT_EQ(c.s32(), 90);
  rig.order(SIM_RESET);
  EXPECT_NEAR(rig.robot.pose().x, 1.0, 1e-9);
  rig.order(239);
  rig.next_sip();
}

// The first three seconds of ARIA's simpleConnect, byte for byte as captured from it, then its
// closing sequence.
TEST(Aria, SimpleConnectIsServed) {
  Rig rig;
  rig.say({0xfa, 0xfb, 0x03, 0x00, 0x00, 0x00});
  rig.run(70ms);
  rig.say({0xfa, 0xfb, 0x03, 0x01, 0x00, 0x01});
  rig.run(70ms);
  rig.say({0xfa, 0xfb, 0x03, 0x02, 0x00, 0x02});
  EXPECT_THAT(rig.heard.payloads, SizeIs(3));
  rig.run(100ms);
  rig.say({0xfa, 0xfb, 0x06, 0x01, 0x3b, 0x01, 0x00, 0x02, 0x3b, 0xfa, 0xfb, 0x06, 0x12, 0x3b, 0x01, 0x00,
           0x13, 0x3b});
  EXPECT_THAT(rig.packets(0x20), SizeIs(1)) << "at once, before the first SIP";
  EXPECT_THAT(rig.sips(), SizeIs(0));
  rig.run(70ms);
  rig.say({0xfa, 0xfb, 0x06, 0x3e, 0x3b, 0x01, 0x00, 0x3f, 0x3b, 0xfa, 0xfb, 0x06, 0x04, 0x3b, 0x01, 0x00,
           0x05, 0x3b});
  rig.run(40ms);
  rig.say({0xfa, 0xfb, 0x06, 0x06, 0x3b, 0xb8, 0x0b, 0xbe, 0x46, 0xfa, 0xfb, 0x06, 0x05, 0x3b, 0x2c,
           0x01, 0x31, 0x3c, 0xfa, 0xfb, 0x06, 0x05, 0x1b, 0x2c, 0x01, 0x31, 0x1c, 0xfa, 0xfb, 0x06,
           0x0a, 0x3b, 0x96, 0x00, 0xa0, 0x3b, 0xfa, 0xfb, 0x06, 0x17, 0x3b, 0x64, 0x00, 0x7b, 0x3b,
           0xfa, 0xfb, 0x06, 0x17, 0x1b, 0x64, 0x00, 0x7b, 0x1b, 0xfa, 0xfb, 0x03, 0x00, 0x00, 0x00});
  EXPECT_EQ(rig.next_sip().flags & 1, 1);
  rig.say({0xfa, 0xfb, 0x06, 0x0b, 0x3b, 0xfa, 0x00, 0x05, 0x3b});
  rig.drive(1500ms);
  EXPECT_NEAR(rig.robot.speed().linear, 0.25, 1e-9);
  rig.say({0xfa, 0xfb, 0x06, 0x15, 0x1b, 0x0a, 0x00, 0x1f, 0x1b});
  rig.drive(1s);
  EXPECT_NEAR(degrees(rig.robot.speed().angular), -10.0, 1e-6);
  rig.say({0xfa, 0xfb, 0x06, 0x04, 0x3b, 0x00, 0x00, 0x04, 0x3b});
  rig.run(100ms);
  rig.say({0xfa, 0xfb, 0x06, 0x02, 0x3b, 0x01, 0x00, 0x03, 0x3b});
  rig.heard.payloads.clear();
  rig.run(1s);
  EXPECT_THAT(rig.heard.payloads, SizeIs(0));
  EXPECT_EQ(rig.robot.speed().linear, 0.0);
}

}  // namespace
}  // namespace cy::sim
