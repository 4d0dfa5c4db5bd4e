// What moves it, what stops it.
#include "arcos_rig.hpp"

namespace cy::test {
namespace {

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

TEST_F(ArcosDriver, AStopThatIsRepeatedKeepsItsPatience) {
  become_drivable();
  host().command(Drive{{0.5, 0}}, 10s);
  host().run_for(300ms);
  peer_.never_heard = {stop, e_stop, vel, rvel};
  for (auto i = 0; i < 9; ++i) {
    host().stop(StopKind::category_1);
    host().run_for(250ms);
  }
  EXPECT_FALSE(peer_.motors);
  host().run_for(5s);
  ASSERT_EQ(motors(true), Refusal::none);
  peer_.never_heard = {stop, e_stop, vel, rvel, enable};
  host().command(Drive{{0.5, 0}}, 10s);
  for (auto i = 0; i < 20; ++i) {
    host().stop(StopKind::category_1);
    host().run_for(250ms);
  }
  EXPECT_NE(trouble().find("the robot's own STOP button"), std::string::npos);
}

TEST_F(ArcosDriver, NoiseOfTheEncodersIsRest) {
  become_drivable();
  host().command(Drive{{0.5, 0}}, 10s);
  host().run_for(300ms);
  peer_.noise = 4;
  host().stop(StopKind::category_1);
  EXPECT_TRUE(host().run_until([&] { return !peer_.motors; }, 500ms));
}

// Called late, and for something else: the set-point is over all the same.
TEST_F(ArcosDriver, NoByteOfASetPointLeavesAfterItsEnd) {
  become_drivable();
  auto const mark = host().sent.size();
  host().command(Drive{{0.5, radians(20.0)}}, 300ms);
  host().oversleep(400ms);
  host().command(SonarPower{false});
  EXPECT_EQ(said(mark).at(1), order(stop));
  host().run_for(1s);
  auto const all = said(mark);
  EXPECT_EQ(all.at(0), order(vel, 500));
  EXPECT_EQ(std::count(all.begin(), all.end(), order(rvel, 20)), 0);
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

}  // namespace
}  // namespace cy::test
