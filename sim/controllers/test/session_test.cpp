// Handshake, session, watchdog, faults and traces of the Pioneer controller.
#include <gmock/gmock.h>

#include "rig.hpp"

namespace cy::sim {
namespace {

using plain::order;
using plain::Raw;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

ArcosOptions with(std::string_view faults) {
  ArcosOptions options;
  auto const orders = parse_fault_orders(faults);
  EXPECT_TRUE(orders) << orders.error().what;
  options.faults = *orders;
  return options;
}

TEST(Handshake, EchoesThenNamesItselfThenOpens) {
  ArcosOptions options;
  options.flash.name = "Robin";
  Rig rig{options};
  rig.say({0xfa, 0xfb, 3, 0, 0, 0});
  rig.say({0xfa, 0xfb, 3, 1, 0, 1});
  rig.say({0xfa, 0xfb, 3, 2, 0, 2});
  ASSERT_THAT(rig.heard.payloads, SizeIs(3));
  EXPECT_THAT(rig.heard.payloads[0], ElementsAre(0));
  EXPECT_THAT(rig.heard.payloads[1], ElementsAre(1));
  plain::Cursor names{rig.heard.payloads[2]};
  EXPECT_EQ(names.u8(), 2);
  EXPECT_EQ(names.text(), "Robin");
  EXPECT_EQ(names.text(), "Pioneer");
  EXPECT_EQ(names.text(), "p3dx-sh");
  EXPECT_EQ(names.left(), 0U);
  EXPECT_FALSE(rig.robot.deadline());
  rig.say({0xfa, 0xfb, 6, 1, 0x3b, 1, 0, 2, 0x3b});
  EXPECT_THAT(rig.next_sip().flags, 0x06) << "sonars on, motors off";
}

TEST(Handshake, OpensWithoutAnArgumentToo) {
  Rig rig;
  rig.sync();
  rig.order(OPEN);
  rig.next_sip();
}

TEST(Handshake, StartsOverWhenOutOfOrder) {
  Rig rig;
  rig.order(0), rig.order(2);
  EXPECT_THAT(rig.heard.payloads, SizeIs(1)) << "2 after 0 is not answered";
  rig.order(1);
  EXPECT_THAT(rig.heard.payloads, SizeIs(1)) << "nor is 1, as it starts over";
  rig.order(0), rig.order(0), rig.order(1), rig.order(2);
  EXPECT_THAT(rig.heard.payloads, SizeIs(5)) << "a second 0 is a new start";
}

TEST(Handshake, LenientEchoesWhateverComes) {
  ArcosOptions options;
  options.lenient = true;
  Rig rig{options};
  rig.order(0), rig.order(2);
  EXPECT_THAT(rig.heard.payloads, ElementsAre(Raw{0}, Raw{2}));
}

TEST(Handshake, IgnoresWhatIsDamaged) {
  Rig rig;
  rig.say({0xfa, 0xfb, 3, 0, 0, 7});
  EXPECT_THAT(rig.heard.payloads, SizeIs(0));
  rig.say({0xfa, 0xfa, 0xfb, 3, 0, 0, 0});
  EXPECT_THAT(rig.heard.payloads, SizeIs(1));
}

TEST(Handshake, TakesBytesOneByOneAndRecoversFromHalfAPacket) {
  Rig rig;
  for (auto const byte : order(0)) rig.say({byte});
  rig.say({0xfa, 0xfb, 100, 1});
  rig.run(200ms);
  rig.order(1);
  EXPECT_THAT(rig.heard.payloads, ElementsAre(Raw{0}, Raw{1}));
}

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

TEST(Faults, SilentForAWhile) {
  Rig rig{with("silent@1s+1s")};
  rig.open();
  rig.run(1s);
  rig.heard.payloads.clear();
  rig.run(950ms);
  EXPECT_THAT(rig.heard.payloads, SizeIs(0));
  rig.run(1s);
  EXPECT_GE(rig.sips().size(), 9U);
}

TEST(Faults, DeafAlsoToStop) {
  Rig rig{with("deaf@500ms")};
  rig.open();
  rig.order(VEL, 200);
  rig.run(1s);
  rig.order(STOP);
  rig.run(500ms);
  EXPECT_NEAR(rig.robot.speed().linear, 0.2, 1e-9);
  rig.run(2s);
  EXPECT_EQ(rig.robot.speed().linear, 0.0) << "its watchdog hears nothing either";
}

TEST(Faults, BadChecksumsAndStrayBytes) {
  Rig rig{with("badsum=50%")};
  rig.open();
  rig.run(10s);
  EXPECT_THAT(rig.sips().size(), ::testing::AllOf(::testing::Gt(25U), ::testing::Lt(75U)));
  Rig noisy{with("stray=50%")};
  noisy.open();
  noisy.run(10s);
  EXPECT_GT(noisy.heard.bad, 20U);
  EXPECT_GT(noisy.sips().size(), 60U);
}

TEST(Faults, LateSipsKeepTheirOrder) {
  Rig rig{with("late=350ms@1s+2s")};
  rig.open();
  rig.run(1s);
  rig.heard.payloads.clear();
  rig.run(300ms);
  EXPECT_THAT(rig.sips(), SizeIs(::testing::Le(1U)));
  rig.order(VEL, 200);
  rig.drive(4s);
  EXPECT_GE(rig.sips().size(), 42U);
  int x = 0;
  for (auto const& sip : rig.sips()) {
    EXPECT_GE(sip.x, x);
    x = sip.x;
  }
}

TEST(Faults, ResetSaysSoAndForgetsTheSession) {
  Rig rig{with("reset@1s")};
  rig.open();
  rig.order(VEL, 300);
  rig.run(2s);
  EXPECT_THAT(rig.packets(0xff), SizeIs(1));
  EXPECT_EQ(rig.robot.speed().linear, 0.0);
  rig.heard.payloads.clear();
  rig.run(1s);
  EXPECT_THAT(rig.heard.payloads, SizeIs(0));
  rig.sync();
  EXPECT_THAT(rig.heard.payloads, SizeIs(3));
}

TEST(Faults, StopButtonCutsMotorsUntilEnabledAgain) {
  Rig rig{with("estop@1s+1s")};
  rig.open();
  rig.order(VEL, 300);
  rig.run(1500ms);
  auto const pressed = rig.next_sip();
  EXPECT_EQ(pressed.flags & 0x61, 0x60) << "STOP button, E_stall, no motors";
  EXPECT_EQ(pressed.stall_rear & 1, 1);
  EXPECT_EQ(pressed.stall_front & 1, 1);
  EXPECT_EQ(rig.robot.speed().linear, 0.0);
  rig.order(ENABLE, 1);
  EXPECT_EQ(rig.next_sip().flags & 1, 0) << "not while it is pressed";
  rig.run(600ms);
  EXPECT_EQ(rig.next_sip().flags & 0x61, 0);
  rig.order(VEL, 300);
  rig.drive(1s);
  EXPECT_EQ(rig.robot.speed().linear, 0.0);
  rig.order(ENABLE, 1);
  rig.order(VEL, 300);
  rig.drive(1500ms);
  EXPECT_NEAR(rig.robot.speed().linear, 0.3, 1e-9);
}

TEST(Faults, OrderedWhileItRuns) {
  Rig rig;
  rig.open();
  rig.run(3s);
  rig.robot.order(*parse_fault_order("estop@1s+1s"), rig.now);
  rig.run(900ms);
  EXPECT_EQ(rig.next_sip().flags & 0x20, 0x20);
  rig.run(1s);
  EXPECT_EQ(rig.next_sip().flags & 0x20, 0);
}

TEST(Faults, MotorsThatNeverCome) {
  Rig rig{with("nomotors")};
  rig.open();
  rig.order(VEL, 300);
  rig.run(1s);
  EXPECT_EQ(rig.next_sip().flags & 1, 0);
  EXPECT_EQ(rig.top_speed, 0.0);
}

TEST(Faults, OldAndAbsentConfiguration) {
  Rig rig{with("oldfw")};
  rig.open();
  rig.order(CONFIG, 1);
  Rig full;
  full.open();
  full.order(CONFIG);
  ASSERT_THAT(rig.packets(0x20), SizeIs(1));
  ASSERT_THAT(full.packets(0x20), SizeIs(1));
  auto const some = rig.packets(0x20)[0];
  auto const all = full.packets(0x20)[0];
  ASSERT_LT(some.size(), all.size());
  EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin()));
  Rig none{with("noconfig")};
  none.open();
  none.order(CONFIG);
  EXPECT_THAT(none.packets(0x20), SizeIs(0));
}

TEST(Reset, OrderedByTheClient) {
  Rig rig;
  rig.open();
  rig.order(RESET);
  EXPECT_THAT(rig.packets(0xff), SizeIs(1));
  rig.heard.payloads.clear();
  rig.run(1s);
  EXPECT_THAT(rig.heard.payloads, SizeIs(0));
}

TEST(Maintenance, WaitsForFirmwareUntilTheNextClient) {
  Rig rig;
  rig.open();
  rig.order(MAINTENANCE);
  rig.heard.payloads.clear();
  rig.sync();
  rig.run(1s);
  EXPECT_THAT(rig.heard.payloads, SizeIs(0));
  rig.robot.on_disconnected(rig.now);
  rig.robot.on_connected(rig.now);
  rig.sync();
  EXPECT_THAT(rig.heard.payloads, SizeIs(3));
}

TEST(Trace, TellsHowLongAStopTook) {
  ArcosOptions options;
  options.trace_speed = true;
  Rig rig{options};
  rig.open();
  rig.order(VEL, 600);
  rig.drive(3s);
  rig.order(STOP);
  auto const said = rig.now;
  rig.drive(3s);
  ASSERT_TRUE(rig.when("motion", "resting"));
  EXPECT_NEAR(seconds(*rig.when("motion", "resting") - said), 2.0, 0.02) << "600 mm/s at 300 mm/s^2";
  auto const speeds = std::count_if(rig.traced.begin(), rig.traced.end(), [](TraceEntry const& entry) {
    return std::holds_alternative<TrueSpeed>(entry.what);
  });
  EXPECT_NEAR(static_cast<double>(speeds), 500.0, 3.0) << "one every 10 ms while it moves";
}

TEST(Trace, LinesAreJson) {
  auto const at = Time{} + 12345ns;
  EXPECT_EQ(to_json({at, BytesIn{{0xfa, 0x0b}}}, 1), R"({"t":12345,"robot":1,"ev":"in","hex":"fa0b"})");
  EXPECT_EQ(to_json({at, BytesOut{{1}}}, 2), R"({"t":12345,"robot":2,"ev":"out","hex":"01"})");
  EXPECT_EQ(to_json({at, Ordered{11, "VEL", -5}}, 1),
            R"({"t":12345,"robot":1,"ev":"order","id":11,"name":"VEL","value":-5})");
  EXPECT_EQ(to_json({at, Changed{"watchdog", "tripped", "no packet"}}, 1),
            R"({"t":12345,"robot":1,"ev":"watchdog","to":"tripped","why":"no packet"})");
  EXPECT_THAT(to_json({at, TrueSpeed{{1, 2, 0}, {0.5, 0}}}, 1),
              HasSubstr(R"("v":0.5000,"w":0.0000,"x":1.0000)"));
}

}  // namespace
}  // namespace cy::sim
