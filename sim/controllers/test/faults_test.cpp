// Faults to order, resets and traces of the Pioneer controller.
#include <gmock/gmock.h>

#include "rig.hpp"

namespace cy::sim {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

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
