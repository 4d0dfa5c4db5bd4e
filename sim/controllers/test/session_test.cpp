// Session and watchdog of the Pioneer controller.
#include <gmock/gmock.h>

#include "rig.hpp"

namespace cy::sim {
namespace {

using plain::order;
using ::testing::SizeIs;

TEST(Session, AnEarlierClientsSessionStreamsIntoTheHandshake) {
  Rig rig{with("stale_session")};
  rig.run(250ms);
  EXPECT_THAT(rig.sips(), SizeIs(2));
  rig.heard.payloads.clear();
  rig.order(0);
  EXPECT_THAT(rig.heard.payloads, SizeIs(0)) << "0 is a PULSE to it";
  rig.order(CLOSE, 1);
  rig.run(300ms);
  EXPECT_THAT(rig.heard.payloads, SizeIs(0));
  rig.sync();
  EXPECT_THAT(rig.heard.payloads, SizeIs(3));
}

TEST(Session, OutlivesALostConnection) {
  Rig rig;
  rig.open();
  rig.order(VEL, 300);
  rig.run(1s);
  rig.robot.on_disconnected(rig.now);
  rig.heard.payloads.clear();
  rig.run(5s);
  EXPECT_THAT(rig.heard.payloads, SizeIs(0)) << "nobody is there to hear it";
  EXPECT_NEAR(rig.robot.speed().linear, 0.0, 1e-9);
  rig.robot.on_connected(rig.now);
  rig.run(150ms);
  EXPECT_FALSE(rig.sips().empty()) << "the next client finds it open";
}

TEST(Session, LenientEndsWithItsConnectionAndHangsUpAtClose) {
  ArcosOptions options;
  options.lenient = true;
  Rig rig{options};
  rig.open(false);
  EXPECT_EQ(rig.next_sip().flags & 1, 1) << "AMRISim starts with motors on";
  rig.robot.on_disconnected(rig.now);
  rig.robot.on_connected(rig.now);
  rig.heard.payloads.clear();
  rig.run(500ms);
  EXPECT_THAT(rig.heard.payloads, SizeIs(0));
  rig.open(false);
  rig.order(CLOSE);
  rig.collect();
  EXPECT_TRUE(rig.hung_up);
}

TEST(Session, CloseStopsEverything) {
  for (auto const& close : {order(CLOSE), order(CLOSE, 1)}) {
    Rig rig;
    rig.open();
    rig.order(VEL, 500);
    rig.run(1900ms);
    EXPECT_GT(rig.robot.speed().linear, 0.4);
    rig.say(close);
    rig.heard.payloads.clear();
    rig.run(1s);
    EXPECT_THAT(rig.heard.payloads, SizeIs(0));
    EXPECT_EQ(rig.robot.speed().linear, 0.0);
    EXPECT_TRUE(rig.when("motors", "off"));
    rig.open(false);
    EXPECT_EQ(rig.next_sip().flags & 1, 0);
  }
}

TEST(Session, SettingsRevertToFlashAtItsEnd) {
  Rig rig;
  rig.open();
  rig.order(SETV, 100);
  rig.order(VEL, 1000);
  rig.drive(2s);
  EXPECT_NEAR(rig.robot.speed().linear, 0.1, 1e-9);
  rig.order(CLOSE);
  rig.open();
  rig.order(VEL, 1000);
  rig.drive(4s);
  EXPECT_NEAR(rig.robot.speed().linear, 1.0, 1e-9);
}

TEST(Session, ConfigSaysWhatHolds) {
  Rig rig;
  rig.open();
  rig.order(SETV, 750);
  rig.order(DRIFTFACTOR, -12);
  rig.order(CONFIG, 1);
  auto const configs = rig.packets(0x20);
  ASSERT_THAT(configs, SizeIs(1));
  plain::Cursor c{configs[0]};
  c.u8();
  EXPECT_EQ(c.text(), "Pioneer");
  EXPECT_EQ(c.text(), "p3dx-sh");
  EXPECT_EQ(c.text(), "SIM0001");
  c.u8();                    // 4-motors
  EXPECT_EQ(c.u16(), 300);   // RotVelTop
  EXPECT_EQ(c.u16(), 1500);  // TransVelTop
  EXPECT_EQ(c.u16(), 600);   // RotAccTop
  EXPECT_EQ(c.u16(), 2000);  // TransAccTop
  c.u16();                   // PWMMax
  EXPECT_EQ(c.text(), "cy-sim");
  EXPECT_EQ(c.u8(), 100);     // SipCycle
  c.u8(), c.u8();             // HostBaud, Aux1Baud
  EXPECT_EQ(c.u16(), 0);      // HasGripper
  EXPECT_EQ(c.u16(), 1);      // FrontSonar
  EXPECT_EQ(c.u8(), 1);       // RearSonar
  EXPECT_EQ(c.u16(), 115);    // LowBattery
  EXPECT_EQ(c.u16(), 32550);  // RevCount
  EXPECT_EQ(c.u16(), 2000);   // Watchdog
  c.u8();                     // P2MPacs
  EXPECT_EQ(c.u16(), 200);    // StallVal
  EXPECT_EQ(c.u16(), 200);    // StallCount
  c.u16(), c.u16();           // JoyVel, JoyRVel
  EXPECT_EQ(c.u16(), 150);    // RotVelMax
  EXPECT_EQ(c.u16(), 750);    // TransVelMax: the session's
  EXPECT_EQ(c.u16(), 100);    // RotAcc
  EXPECT_EQ(c.u16(), 100);    // RotDecel
  c.u16(), c.u16(), c.u16();  // RotKP KV KI
  EXPECT_EQ(c.u16(), 300);    // TransAcc
  EXPECT_EQ(c.u16(), 300);    // TransDecel
  c.u16(), c.u16(), c.u16();  // TransKP KV KI
  EXPECT_EQ(c.u8(), 0);       // FrontBumps
  EXPECT_EQ(c.u8(), 0);       // RearBumps
  EXPECT_EQ(c.u8(), 0);       // Charger
  EXPECT_EQ(c.u8(), 40);      // SonarCycle
  EXPECT_EQ(c.u8(), 2);       // AutoBaud
  EXPECT_EQ(c.u8(), 0);       // HasGyro
  EXPECT_EQ(c.s16(), -12);    // DriftFactor
  c.u8(), c.u8();             // Aux2Baud, Aux3Baud
  EXPECT_EQ(c.u16(), 128);    // TicksMM
  EXPECT_EQ(c.u16(), 110);    // ShutdownVolts
  EXPECT_EQ(c.text(), "3.0");
  EXPECT_GT(c.left(), 20U);
  EXPECT_FALSE(c.short_of);
}

TEST(Watchdog, StopsAndResumesBySetPointsAtAnyPacket) {
  Rig rig;
  rig.open();
  rig.order(VEL, 300);
  auto const last = rig.now;
  rig.run(1999ms);
  EXPECT_NEAR(rig.robot.speed().linear, 0.3, 1e-9);
  rig.run(1100ms);
  ASSERT_TRUE(rig.when("watchdog", "tripped"));
  EXPECT_EQ(*rig.when("watchdog", "tripped"), last + 2s);
  EXPECT_EQ(rig.robot.speed().linear, 0.0) << "300 mm/s at 300 mm/s^2: one second";
  EXPECT_EQ(rig.next_sip().flags & 1, 1) << "motors stay on";
  rig.order(PULSE);
  rig.run(1100ms);
  EXPECT_NEAR(rig.robot.speed().linear, 0.3, 1e-9) << "the dangerous part: it drives off again";
}

TEST(Watchdog, AStopAsFirstPacketKeepsItStanding) {
  Rig rig;
  rig.open();
  rig.order(VEL, 300);
  rig.order(RVEL, 20);
  rig.run(5s);
  rig.order(STOP);
  rig.top_speed = 0.0;
  rig.run(1s);
  EXPECT_EQ(rig.top_speed, 0.0);
  EXPECT_EQ(rig.robot.speed().angular, 0.0);
}

TEST(Watchdog, IsNotFedByDamagedPackets) {
  Rig rig;
  rig.open();
  rig.order(VEL, 300);
  for (int i = 0; i < 30; ++i) {
    rig.say({0xfa, 0xfb, 3, 0, 0, 9});
    rig.run(100ms);
  }
  EXPECT_TRUE(rig.when("watchdog", "tripped"));
}

TEST(Watchdog, LenientOnlyWarns) {
  ArcosOptions options;
  options.lenient = true;
  Rig rig{options};
  rig.open();
  rig.order(VEL, 300);
  rig.run(5s);
  EXPECT_TRUE(rig.when("watchdog", "warned"));
  EXPECT_NEAR(rig.robot.speed().linear, 0.3, 1e-9);
}

}  // namespace
}  // namespace cy::sim
