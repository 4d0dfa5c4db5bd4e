// What motion commands do to the body, the odometry and the SIPs.
#include <gmock/gmock.h>

#include "rig.hpp"

namespace cy::sim {
namespace {

using plain::order;

TEST(Motion, WaitsForMotors) {
  Rig rig;
  rig.open(false);
  rig.order(VEL, 300);
  rig.run(1s);
  EXPECT_EQ(rig.top_speed, 0.0);
  rig.order(ENABLE, 1);
  rig.run(1s);
  EXPECT_EQ(rig.top_speed, 0.0) << "set-points from before are gone";
}

TEST(Motion, VelRampsAsSetaSays) {
  Rig rig;
  rig.open();
  rig.order(SETA, 500);
  rig.order(SETA, -250);
  rig.order(VEL, 400);
  rig.run(400ms);
  EXPECT_NEAR(rig.robot.speed().linear, 0.2, 0.006);
  rig.run(500ms);
  EXPECT_NEAR(rig.robot.speed().linear, 0.4, 1e-9);
  auto const sip = rig.next_sip();
  EXPECT_EQ(sip.id, 0x33);
  EXPECT_EQ(sip.left, 400);
  EXPECT_EQ(sip.right, 400);
  rig.order(VEL, 0);
  rig.run(800ms);
  EXPECT_NEAR(rig.robot.speed().linear, 0.2, 0.006);
  rig.run(900ms);
  EXPECT_EQ(rig.next_sip().id, 0x32);
}

TEST(Motion, SetvAndFlashLimitIt) {
  Rig rig;
  rig.open();
  rig.order(SETV, 60000);
  rig.order(VEL, 5000);
  rig.drive(10s);
  EXPECT_NEAR(rig.top_speed, 1.5, 1e-6) << "FLASH's TransVelTop";
  rig.order(SETV, 200);
  rig.drive(10s);
  EXPECT_NEAR(rig.robot.speed().linear, 0.2, 1e-6);
}

TEST(Motion, NegativeVelAsTypeOrAsTwosComplement) {
  for (auto const& vel : {order(VEL, -200), order(VEL, 65536 - 200)}) {
    Rig rig;
    rig.open();
    rig.say(vel);
    rig.run(1s);
    EXPECT_NEAR(rig.robot.speed().linear, -0.2, 1e-9);
  }
}

TEST(Motion, RvelTurnsCounterClockwise) {
  Rig rig;
  rig.open();
  rig.order(RVEL, 45);
  rig.drive(1s);
  EXPECT_NEAR(degrees(rig.robot.speed().angular), 45.0, 1e-6);
  auto const sip = rig.next_sip();
  EXPECT_EQ(sip.rotvel, 450);
  EXPECT_LT(sip.left, 0);
  EXPECT_GT(sip.right, 0);
  EXPECT_NEAR(sip.right - sip.left, radians(45) * 2 * 178.6, 2.0);
  EXPECT_GT(sip.th, 0);
}

TEST(Motion, MoveGoesExactlyThatFar) {
  for (int const way : {1000, -700, 30}) {
    Rig rig;
    rig.open();
    rig.order(MOVE, way);
    rig.drive(8s);
    EXPECT_NEAR(rig.robot.pose().x * 1000.0, way, 4.0);
    EXPECT_LE(rig.top_speed, 1.0);
    EXPECT_EQ(rig.robot.speed().linear, 0.0);
  }
}

TEST(Motion, HeadDheadDchead) {
  Rig rig;
  rig.open();
  rig.order(SETRV, 50);
  rig.order(HEAD, 90);
  rig.drive(4s);
  EXPECT_NEAR(degrees(rig.robot.pose().yaw), 90.0, 0.3);
  EXPECT_NEAR(rig.next_sip().control, 1024, 1);
  rig.order(HEAD, 350);
  rig.drive(5s);
  EXPECT_NEAR(degrees(rig.robot.pose().yaw), -10.0, 0.3) << "the short way round";
  rig.order(DHEAD, -30);
  rig.drive(3s);
  EXPECT_NEAR(degrees(rig.robot.pose().yaw), -40.0, 0.4);
  rig.order(DHEAD, 60);
  rig.run(300ms);
  rig.order(DCHEAD, 20);
  rig.drive(4s);
  EXPECT_NEAR(degrees(rig.robot.pose().yaw), 40.0, 0.4) << "from the set-point 20, not from where it was";
  EXPECT_LE(degrees(rig.top_turn), 50.0 + 1e-6);
}

TEST(Motion, Vel2InBothEncodings) {
  // ARIA negates the 16-bit value when the left wheel is negative; Player does not.
  plain::Raw const aria = plain::packet({32, 0x1b, 0xf6, 0x09});    // -(0xf60a)
  plain::Raw const player = plain::packet({32, 0x3b, 0x0a, 0xf6});  // left -10, right 10
  for (auto const& vel2 : {aria, player}) {
    Rig rig;
    rig.open();
    rig.say(vel2);
    rig.drive(2s);
    EXPECT_NEAR(rig.robot.speed().linear, 0.0, 1e-9);
    EXPECT_NEAR(rig.robot.speed().angular, 0.2 / 0.1786, 1e-3);
  }
}

TEST(Motion, Vel2AndTheOthersDropEachOther) {
  Rig rig;
  rig.open();
  rig.order(RVEL, 30);
  rig.order(VEL2, 5 * 256 + 5);
  rig.drive(2s);
  EXPECT_NEAR(rig.robot.speed().linear, 0.1, 1e-9);
  EXPECT_EQ(rig.robot.speed().angular, 0.0);
  rig.order(VEL2, 0 * 256 + 10);
  rig.order(VEL, 200);
  rig.drive(2s);
  EXPECT_NEAR(rig.robot.speed().linear, 0.2, 1e-9);
  EXPECT_EQ(rig.robot.speed().angular, 0.0);
}

TEST(Motion, EstopBrakesHardAndIgnoresMotionUntilRest) {
  for (int const number : {int{E_STOP}, int{QSTOP}}) {
    Rig rig;
    rig.open();
    rig.order(VEL, 800);
    rig.drive(4s);
    rig.order(number);
    auto const said = rig.now;
    rig.run(50ms);
    rig.order(VEL, 800);
    rig.run(500ms);
    EXPECT_EQ(rig.robot.speed().linear, 0.0) << "VEL came before it rested";
    ASSERT_TRUE(rig.when("motion", "resting"));
    EXPECT_LT(*rig.when("motion", "resting") - said, 250ms);
    rig.order(VEL, 100);
    rig.drive(1s);
    EXPECT_NEAR(rig.robot.speed().linear, 0.1, 1e-9);
  }
}

TEST(Motion, StopKeepsMotorsOn) {
  Rig rig;
  rig.open();
  rig.order(VEL, 300);
  rig.order(RVEL, 20);
  rig.run(1s);
  rig.order(STOP);
  rig.run(1200ms);
  auto const sip = rig.next_sip();
  EXPECT_EQ(sip.flags & 1, 1);
  EXPECT_EQ(sip.id, 0x32);
}

TEST(Motion, DisabledItRollsOut) {
  Rig rig;
  rig.open();
  rig.order(VEL, 500);
  rig.drive(2s);
  rig.order(ENABLE, 0);
  rig.run(500ms);
  EXPECT_EQ(rig.robot.speed().linear, 0.0);
  EXPECT_EQ(rig.next_sip().flags & 1, 0);
}

TEST(Odometry, CountsUnitsOfItsGeneration) {
  for (auto const generation : {Generation::h8, Generation::sh2}) {
    ArcosOptions options;
    options.generation = generation;
    Rig rig{options};
    rig.open();
    rig.order(MOVE, 1000);
    rig.drive(8s);
    auto const sip = rig.next_sip();
    auto const unit = generation == Generation::h8 ? 0.485 : 1.0;
    EXPECT_NEAR(sip.x * unit, 1000.0, 5.0);
    EXPECT_EQ(sip.tail, generation == Generation::sh2);
    EXPECT_EQ(sip.rest, 0U);
    EXPECT_EQ(sip.y, 0);
  }
}

TEST(Odometry, WrapsAsAnInt16) {
  ArcosOptions options;
  options.generation = Generation::h8;
  Rig rig{options};
  rig.open();
  rig.order(VEL, -1000);
  rig.drive(10s);
  auto sip = rig.next_sip();
  EXPECT_GT(sip.x, 32768) << "negative totals look like large ones";
  auto last = sip.x;
  int steps = 0;
  for (int i = 0; i < 400; ++i) {
    rig.order(PULSE);
    sip = rig.next_sip();
    auto const delta = static_cast<std::int16_t>(sip.x - last);
    ASSERT_LE(delta, 0);
    ASSERT_GT(delta, -260) << "100 mm a SIP is 206 units";
    if (sip.x > last) ++steps;
    last = sip.x;
  }
  EXPECT_EQ(steps, 1) << "40 m are 82,000 units: round once more";
}

TEST(Odometry, HeadingWrapsAtATurn) {
  Rig rig;
  rig.open();
  rig.order(RVEL, 90);
  int low = 0, high = 0;
  for (int i = 0; i < 100; ++i) {
    rig.order(PULSE);
    auto const sip = rig.next_sip();
    low = std::min(low, sip.th), high = std::max(high, sip.th);
  }
  EXPECT_GE(low, -2048);
  EXPECT_LT(low, -1900);
  EXPECT_LE(high, 2047);
  EXPECT_GT(high, 1900);
}

TEST(Odometry, SetoZeroesItInAllItsForms) {
  for (auto const& seto : {order(SETO), plain::packet({7, 0x3b}), order(SETO, 0)}) {
    Rig rig;
    rig.open();
    rig.order(VEL, 300);
    rig.order(RVEL, 20);
    rig.run(1500ms);
    rig.order(VEL, 0), rig.order(RVEL, 0);
    rig.run(1500ms);
    EXPECT_NE(rig.next_sip().x, 0);
    rig.say(seto);
    auto const sip = rig.next_sip();
    EXPECT_EQ(sip.x, 0);
    EXPECT_EQ(sip.y, 0);
    EXPECT_EQ(sip.th, 0);
  }
}

TEST(Odometry, CalibrationOfTheSessionChangesIt) {
  auto const drive = [](auto calibrate) {
    Rig rig;
    rig.open();
    calibrate(rig);
    rig.order(VEL, 500);
    rig.drive(4s);
    rig.order(RVEL, 30);
    rig.drive(3s);
    return std::pair{rig.next_sip(), rig.robot.pose()};
  };
  auto const [plainly, truth] = drive([](Rig&) {});
  EXPECT_NEAR(plainly.th, truth.yaw * 4096 / (2 * pi), 2);
  auto const [ticks, truth2] = drive([](Rig& rig) { rig.order(TICKSMM, 64); });
  EXPECT_NEAR(ticks.x, 2.0 * plainly.x, 0.02 * ticks.x);
  EXPECT_EQ(truth, truth2) << "only the belief changes";
  auto const [turns, truth3] = drive([](Rig& rig) { rig.order(REVCOUNT, 65100); });
  EXPECT_NEAR(turns.th, plainly.th / 2.0, 2.0);
  auto const [drifts, truth4] = drive([](Rig& rig) { rig.order(DRIFTFACTOR, -200); });
  EXPECT_GT(drifts.th, plainly.th + 50) << "a shorter left wheel turns it left";
  auto const [zero, truth5] = drive([](Rig& rig) { rig.order(REVCOUNT, 0), rig.order(TICKSMM, 0); });
  EXPECT_EQ(zero.x, plainly.x) << "zero is refused";
}

TEST(Odometry, DriftsFromTheTruthInTheRealProfile) {
  Rig rig{{}, {}, Profile::real};
  rig.open();
  rig.order(VEL, 400);
  rig.drive(10s);
  auto const sip = rig.next_sip();
  auto const truth = rig.robot.pose();
  auto const error = std::hypot(truth.x * 1000 - sip.x, truth.y * 1000 - static_cast<std::int16_t>(sip.y));
  EXPECT_GT(error, 2.0);
  EXPECT_LT(error, 800.0);
}

TEST(Stall, StraightIntoAWallStallsBothWheelsAndResumes) {
  Rig rig{{}, wall_at(0.60)};
  rig.open();
  rig.order(VEL, 300);
  rig.drive(4s);
  EXPECT_NEAR(rig.robot.pose().x, 0.35, 0.01);
  auto const stalled = rig.when("stall", "both");
  auto const resumed = rig.when("stall", "none");
  ASSERT_TRUE(stalled && resumed);
  EXPECT_EQ(rig.robot.speed().linear, 0.0);
  bool left = false, right = false;
  for (auto const& sip : rig.sips()) left |= sip.stall_rear & 1, right |= sip.stall_front & 1;
  EXPECT_TRUE(left && right);
  auto const believed = rig.next_sip();
  EXPECT_NEAR(believed.x, 350, 12) << "blocked wheels count nothing";
  rig.order(VEL, -200);
  rig.drive(2s);
  EXPECT_LT(rig.robot.pose().x, 0.3) << "it backs off";
  EXPECT_EQ(rig.next_sip().stall_rear & 1, 0);
}

TEST(Stall, AtASideStallsThatWheel) {
  WorldModel model;
  model.boxes.push_back({{0.55, 0.22, 0.0}, 0.1, 0.1, 0.5, {}});
  Rig rig{{}, model};
  rig.open();
  rig.order(VEL, 300);
  rig.drive(3s);
  EXPECT_TRUE(rig.when("stall", "left"));
  EXPECT_FALSE(rig.when("stall", "both"));
}

TEST(Bumpers, PressInTheDirectionOfTravelStops) {
  ArcosOptions options;
  options.front_bumpers = true;
  Rig rig{options, wall_at(0.60)};
  rig.open();
  rig.order(BUMPSTALL, 1);
  rig.order(VEL, 200);
  rig.drive(4s);
  auto const sip = rig.next_sip();
  EXPECT_EQ(sip.stall_front >> 1, 1 << 2) << "the middle segment of five";
  EXPECT_EQ(sip.stall_rear >> 1, 0);
  EXPECT_EQ(sip.stall_front & 1, 1);
  rig.order(VEL, -200);
  rig.drive(1s);
  auto const free = rig.next_sip();
  EXPECT_EQ(free.stall_front, 0);
  EXPECT_LT(free.left, 0);
}

TEST(Motion, RepeatsToTheByte) {
  auto const run = [] {
    Rig rig{{}, wall_at(3.0), Profile::real};
    rig.open();
    rig.order(VEL, 400);
    rig.order(RVEL, 10);
    rig.drive(6s);
    return rig.heard.payloads;
  };
  EXPECT_EQ(run(), run());
}

TEST(Motion, DoesNotDependOnHowOftenItIsCalled) {
  auto const run = [](Duration often) {
    Rig rig{{}, wall_at(3.0), Profile::real};
    rig.open();
    rig.order(VEL, 400);
    for (Duration passed{}; passed < 1800ms; passed += often) {
      rig.now += often;
      rig.robot.on_time(rig.now);
    }
    rig.collect();
    return rig.heard.payloads;
  };
  EXPECT_EQ(run(1ms), run(600ms));
}

}  // namespace
}  // namespace cy::sim
