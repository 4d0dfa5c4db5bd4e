// What the profile `real` does to sonars and wheels, and that a seed fixes all of it.
#include <cy/world/world.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace cy::sim {
namespace {

WorldModel long_wall() {
  WorldModel m;
  m.walls = {{{2.0, -30.0}, {2.0, 30.0}}};
  return m;
}

struct Sonar {
  explicit Sonar(WorldModel m, Profile p, SonarModel s = {}) : world(std::move(m), p, Seed{3}), model(s) {}
  double at(double yaw) {
    world.set_pose(body, {0, 0, yaw});
    return world.sonar_range(body, {}, model, random);
  }
  World world;
  SonarModel model;
  BodyId body{world.add_body({0.1}, {})};
  Random random{Seed{4}};
};

TEST(Sonar, IdealIsTheGeometryOfTheAxis) {
  Sonar s{long_wall(), Profile::ideal};
  EXPECT_NEAR(s.at(0.0), 2.0, 1e-9);
  EXPECT_NEAR(s.at(radians(60.0)), 4.0, 1e-9);
  EXPECT_EQ(s.at(pi), 5.0);
}

TEST(Sonar, RealHearsTheNearestOfItsCone) {
  SonarModel m;
  m.noise = m.noise_floor = m.cross_talk = 0.0;
  Sonar s{long_wall(), Profile::real, m};
  // Turned by ten degrees, the cone of 13 still holds a ray close to the wall's normal.
  EXPECT_LT(s.at(radians(10.0)), 2.0 / std::cos(radians(10.0)) - 0.01);
  EXPECT_GE(s.at(radians(10.0)), 2.0);
}

TEST(Sonar, RealLosesAnObliqueWall) {
  SonarModel m;
  m.cross_talk = 0.0;
  Sonar s{long_wall(), Profile::real, m};
  EXPECT_LT(s.at(radians(25.0)), 2.5);
  EXPECT_EQ(s.at(radians(50.0)), 5.0);  // 50 - 13 is beyond the 20 degrees of a mirror
}

TEST(Sonar, ACylinderIsHeardFromEverySide) {
  WorldModel world;
  world.cylinders = {{{1.5, 0.0}, 0.15, 1.0, {}}};
  SonarModel m;
  m.cross_talk = 0.0;
  Sonar s{world, Profile::real, m};
  EXPECT_NEAR(s.at(0.0), 1.35, 0.08);
  EXPECT_NEAR(s.at(radians(12.0)), 1.35, 0.08);
  EXPECT_EQ(s.at(radians(40.0)), 5.0);
}

TEST(Sonar, NoiseGrowsWithTheRangeAndCrossTalkIsRare) {
  Sonar s{long_wall(), Profile::real};
  double sum = 0.0, squares = 0.0;
  int false_echoes = 0, good = 0;
  for (int i = 0; i < 5000; ++i) {
    auto const r = s.at(0.0);
    if (std::abs(r - 2.0) > 0.15) {
      ++false_echoes;
      continue;
    }
    ++good;
    sum += r;
    squares += r * r;
  }
  auto const mean = sum / good;
  EXPECT_NEAR(mean, 2.0, 0.01);
  EXPECT_NEAR(std::sqrt(squares / good - mean * mean), 0.019, 0.003);
  EXPECT_GT(false_echoes, 1);
  EXPECT_LT(false_echoes, 40);
}

TEST(Wheels, IdealDoesWhatItIsTold) {
  WheelMotion wheels{{}, Profile::ideal, Seed{1}};
  auto const s = wheels.step(0.3, 0.5, 100ms);
  EXPECT_NEAR(s.twist.linear, 0.4, 1e-12);
  EXPECT_NEAR(s.twist.angular, 0.2 / (2.0 * 0.1786), 1e-12);
  EXPECT_NEAR(s.left, 0.03, 1e-12);
}

TEST(Wheels, RealLagsAndIsStalledByABlock) {
  WheelMotion wheels{{}, Profile::real, Seed{1}};
  wheels.step(1.0, 1.0, 60ms);
  EXPECT_NEAR(wheels.left_speed(), 1.0 - std::exp(-1.0), 1e-9);
  for (int i = 0; i < 20; ++i) wheels.step(1.0, 1.0, 60ms);
  EXPECT_NEAR(wheels.left_speed(), 1.0, 1e-3);
  wheels.stall();
  EXPECT_EQ(wheels.left_speed(), 0.0);
}

TEST(Wheels, OdometryDriftsFromTheTruthByPercents) {
  World w{{}, Profile::real, Seed{11}};
  auto const b = w.add_body({0.25}, {});
  WheelMotion wheels{{}, Profile::real, Seed{12}};
  Pose2 believed;
  for (int i = 0; i < 2500; ++i) {  // 20 m
    auto const s = wheels.step(0.4, 0.4, 20ms);
    w.move(b, s.twist, 20ms);
    believed = integrate_odometry(believed, s.left, s.right, 0.1786);
  }
  auto const error = norm(w.pose(b).position() - believed.position());
  EXPECT_NEAR(believed.x, 20.0, 0.1);
  EXPECT_NEAR(believed.y, 0.0, 1e-6);
  EXPECT_GT(error, 0.05);
  EXPECT_LT(error, 20.0);
}

TEST(Seeds, FixEverything) {
  auto const run = [](Seed seed) {
    Sonar s{long_wall(), Profile::real};
    s.random = Random{seed};
    WheelMotion wheels{{}, Profile::real, seed};
    std::vector<double> out;
    for (int i = 0; i < 50; ++i) {
      out.push_back(s.at(0.01 * i));
      out.push_back(wheels.step(0.3, 0.2, 20ms).twist.angular);
    }
    return out;
  };
  EXPECT_EQ(run(Seed{1}), run(Seed{1}));
  EXPECT_NE(run(Seed{1}), run(Seed{2}));
  World const w{{}, Profile::real, Seed{1}};
  EXPECT_EQ(w.random_for(5).next(), w.random_for(5).next());
  EXPECT_NE(w.random_for(5).next(), w.random_for(6).next());
}

}  // namespace
}  // namespace cy::sim
