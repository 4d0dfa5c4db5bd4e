#include <cy/world/world.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace cy::sim {
namespace {

WorldModel room() {
  WorldModel m;
  m.walls = {{{-2, -2}, {4, -2}}, {{4, -2}, {4, 2}}, {{4, 2}, {-2, 2}}, {{-2, 2}, {-2, -2}}};
  m.cylinders = {{{0.0, 1.5}, 0.2, 1.0, {}}};
  m.boxes = {{{2.0, -1.5, 0.0}, 0.6, 0.4, 0.5, {}}};
  return m;
}
World ideal_room() {
  return {room(), Profile::ideal, Seed{1}};
}
BodyShape round_body() {
  return {0.25};
}

TEST(Rays, MatchTheGeometry) {
  auto const w = ideal_room();
  auto const east = w.hit({0, 0}, 0.0, 10.0);
  EXPECT_NEAR(east.range, 4.0, 1e-9);
  EXPECT_EQ(east.kind, HitKind::wall);
  EXPECT_NEAR(std::abs(east.normal), pi, 1e-9);
  EXPECT_FALSE(east.edge);
  EXPECT_NEAR(w.hit({0, 0}, radians(30.0), 10.0).range, 2.0 / std::sin(radians(30.0)), 1e-9);

  auto const cylinder = w.hit({0, 0}, pi / 2.0, 10.0);
  EXPECT_NEAR(cylinder.range, 1.3, 1e-9);
  EXPECT_EQ(cylinder.kind, HitKind::cylinder);
  EXPECT_NEAR(cylinder.normal, -pi / 2.0, 1e-9);

  auto const box = w.hit({2.0, 0.0}, -pi / 2.0, 10.0);
  EXPECT_NEAR(box.range, 1.3, 1e-9);
  EXPECT_EQ(box.kind, HitKind::box);

  auto const nothing = w.hit({0, 0}, 0.0, 3.0);
  EXPECT_EQ(nothing.kind, HitKind::none);
  EXPECT_EQ(nothing.range, 3.0);
  EXPECT_TRUE(w.hit({0, 0}, std::atan2(2.0, 4.0), 10.0).edge);  // into the corner
}

TEST(Rays, TheGridAgreesWithAskingEveryWall) {
  Random random{Seed{5}};
  WorldModel m;
  for (int i = 0; i < 3000; ++i) {
    auto const a = Vec2{random.uniform(-50, 50), random.uniform(-30, 30)};
    m.walls.push_back({a, a + Vec2{random.uniform(-2, 2), random.uniform(-2, 2)}});
  }
  World const w{m, Profile::ideal, Seed{1}};
  for (int i = 0; i < 2000; ++i) {
    auto const o = Vec2{random.uniform(-60, 60), random.uniform(-40, 40)};
    auto const angle = random.uniform(-pi, pi);
    auto best = 30.0;
    for (auto const& s : m.walls) {
      auto const d = Vec2{std::cos(angle), std::sin(angle)};
      auto const q = s.b - s.a;
      auto const t = cross(s.a - o, q) / cross(d, q), u = cross(s.a - o, d) / cross(d, q);
      if (t >= 0.0 && u >= 0.0 && u <= 1.0) best = std::min(best, t);
    }
    ASSERT_NEAR(w.hit(o, angle, 30.0).range, best, 1e-6) << i;
  }
}

TEST(Rays, NoneSlipsThroughACorner) {
  auto const w = ideal_room();
  for (int i = 0; i < 200000; i += 7) {
    auto const angle = -pi + 2.0 * pi * i / 200000.0;
    ASSERT_NE(w.hit({0.1, 0.07}, angle, 50.0).kind, HitKind::none) << angle;
  }
  EXPECT_NE(w.hit({0, 0}, std::atan2(2.0, 4.0), 50.0).kind, HitKind::none);
}

TEST(Rays, OtherBodiesAreSeenAndOneselfIsNot) {
  auto w = ideal_room();
  auto const me = w.add_body(round_body(), {});
  auto const other =
      w.add_body({.footprint = {{0.3, 0.2}, {-0.3, 0.2}, {-0.3, -0.2}, {0.3, -0.2}}}, {2, 0, 0});
  auto const h = w.hit({0, 0}, 0.0, 10.0, me);
  EXPECT_NEAR(h.range, 1.7, 1e-9);
  EXPECT_EQ(h.kind, HitKind::body);
  EXPECT_EQ(h.body, other);
  w.set_pose(other, {2, 0, pi / 2.0});
  EXPECT_NEAR(w.hit({0, 0}, 0.0, 10.0, me).range, 1.8, 1e-9);
  w.remove_body(other);
  EXPECT_NEAR(w.hit({0, 0}, 0.0, 10.0, me).range, 4.0, 1e-9);
}

TEST(Move, FreeMotionIsTheExactArc) {
  auto w = ideal_room();
  auto const b = w.add_body(round_body(), {0, 0, 0});
  auto const r = w.move(b, {0.5, 0.5}, 1s);
  auto const want = advance({}, {0.5, 0.5}, 1.0);
  EXPECT_NEAR(r.pose.x, want.x, 1e-12);
  EXPECT_NEAR(r.pose.yaw, want.yaw, 1e-12);
  EXPECT_FALSE(r.contact);
}

TEST(Move, AWallStopsTheBodyAtItsRadius) {
  auto w = ideal_room();
  auto const b = w.add_body(round_body(), {3.0, 0.0, 0.0});
  auto const r = w.move(b, {1.0, 0.0}, 2s);
  EXPECT_NEAR(r.pose.x, 3.75, 1e-4);
  EXPECT_LE(r.pose.x, 3.75);
  ASSERT_TRUE(r.contact);
  EXPECT_TRUE(r.contact->front());
  EXPECT_NEAR(r.contact->bearing, 0.0, 1e-3);
  EXPECT_EQ(r.contact->kind, HitKind::wall);
  // It stays where it is, may turn, and may leave.
  EXPECT_TRUE(w.move(b, {1.0, 0.0}, 100ms).contact);
  auto const turned = w.move(b, {0.2, 1.0}, 1s);
  EXPECT_NEAR(turned.pose.yaw, 1.0, 1e-9);
  EXPECT_FALSE(w.move(b, {-0.5, 0.0}, 1s).contact);
}

TEST(Move, TheRearIsToldFromTheFront) {
  auto w = ideal_room();
  auto const b = w.add_body(round_body(), {3.0, 0.0, pi});
  auto const r = w.move(b, {-1.0, 0.0}, 2s);
  ASSERT_TRUE(r.contact);
  EXPECT_TRUE(r.contact->rear());
  EXPECT_NEAR(r.travelled, -0.75, 1e-3);
  w.set_pose(b, {3.0, 0.0, pi / 2.0});
  EXPECT_FALSE(w.move(b, {1.0, 0.0}, 1s).contact);
}

TEST(Move, EverySpeedStopsInFrontOfEveryThing) {
  for (auto const speed : {0.01, 0.3, 2.2, 50.0}) {
    auto w = ideal_room();
    auto const b = w.add_body(round_body(), {0.0, 0.0, pi / 2.0});
    for (int i = 0; i < 400 && !w.move(b, {speed, 0.0}, 1s).contact; ++i) {
    }
    EXPECT_NEAR(w.pose(b).y, 1.5 - 0.2 - 0.25, 1e-4) << speed;  // the cylinder
  }
  auto w = ideal_room();
  auto const b = w.add_body(round_body(), {2.0, 0.0, -pi / 2.0});
  auto const r = w.move(b, {1.0, 0.0}, 3s);
  ASSERT_TRUE(r.contact);
  EXPECT_EQ(r.contact->kind, HitKind::box);
  EXPECT_NEAR(r.pose.y, -1.3 + 0.25, 1e-4);
}

TEST(Move, BodiesBlockEachOther) {
  auto w = ideal_room();
  auto const a = w.add_body(round_body(), {0.0, 0.0, 0.0});
  auto const b = w.add_body(round_body(), {1.5, 0.0, 0.0});
  auto const r = w.move(a, {1.0, 0.0}, 3s);
  ASSERT_TRUE(r.contact);
  EXPECT_EQ(r.contact->body, b);
  EXPECT_NEAR(r.pose.x, 1.0, 1e-4);
}

TEST(Move, APolygonStopsWithItsCornerAndWhenTurning) {
  auto w = ideal_room();
  // The P3-DX: 210 mm ahead of its turning centre, 301 behind, 425 wide.
  BodyShape const p3dx{.footprint = {{0.21, 0.2125}, {-0.301, 0.2125}, {-0.301, -0.2125}, {0.21, -0.2125}}};
  auto const b = w.add_body(p3dx, {3.0, 0.0, 0.0});
  auto const ahead = w.move(b, {0.5, 0.0}, 3s);
  ASSERT_TRUE(ahead.contact);
  EXPECT_TRUE(ahead.contact->front());
  EXPECT_NEAR(ahead.pose.x, 4.0 - 0.21, 1e-3);
  // Its corner reaches farther than its front: it cannot turn on this spot.
  EXPECT_TRUE(w.move(b, {0.0, 0.5}, 2s).contact);
  w.move(b, {-0.5, 0.0}, 500ms);
  EXPECT_FALSE(w.move(b, {0.0, 0.5}, 2s).contact);
}

TEST(Move, WhoWasPutIntoAWallMayOnlyLeave) {
  auto w = ideal_room();
  auto const b = w.add_body(round_body(), {3.9, 0.0, 0.0});
  EXPECT_TRUE(w.move(b, {0.5, 0.0}, 100ms).contact);
  EXPECT_NEAR(w.pose(b).x, 3.9, 1e-9);
  EXPECT_FALSE(w.move(b, {-0.5, 0.0}, 2s).contact);
  EXPECT_FALSE(w.is_free(round_body(), {3.9, 0.0, 0.0}, b));
  EXPECT_TRUE(w.is_free(round_body(), {3.0, 0.0, 0.0}, b));
}

TEST(Move, NonsenseDoesNotMove) {
  auto w = ideal_room();
  auto const b = w.add_body(round_body(), {});
  w.move(b, {std::nan(""), 0.0}, 1s);
  w.move(b, {1.0, 0.0}, -1s);
  EXPECT_EQ(w.pose(b), Pose2{});
}

TEST(Pedestrian, WalksTheLoopAndWaitsForTheRobot) {
  auto w = ideal_room();
  auto const robot = w.add_body(round_body(), {1.0, 0.0, 0.0});
  auto const person = w.add_pedestrian({{3.0, -1.0}, {3.0, 1.0}}, 1.0);
  Time t{};
  w.on_time(t);
  w.on_time(t += 1s);
  EXPECT_NEAR(w.pose(person).y, 0.0, 1e-9);
  EXPECT_NEAR(w.hit({1, 0}, 0.0, 5.0, robot).range, 2.0 - 0.22, 1e-9);
  w.on_time(t += 2s);
  EXPECT_NEAR(w.pose(person).y, 0.0, 1e-9);  // there and half the way back
  w.set_pose(robot, {3.0, -0.9, 0.0});
  w.on_time(t += 10s);
  EXPECT_GT(norm(w.pose(person).position() - Vec2{3.0, -0.9}), 0.46);
  EXPECT_LT(norm(w.pose(person).position() - Vec2{3.0, -0.9}), 0.55);
  w.set_pose(robot, {1.0, 0.0, 0.0});
  w.on_time(t += 500ms);
  EXPECT_LT(w.pose(person).y, -0.5);
}

TEST(Sonars, AskOnlyTheWallsNearby) {
  // 16 discs for a virtual minute among 20,000 walls: asking each wall would outlast the test's limit.
  Random random{Seed{9}};
  WorldModel m;
  for (int i = 0; i < 20000; ++i) {
    auto const a = Vec2{random.uniform(0, 200), random.uniform(0, 200)};
    m.walls.push_back({a, a + Vec2{random.uniform(-0.5, 0.5), random.uniform(-0.5, 0.5)}});
  }
  World w{m, Profile::real, Seed{1}};
  auto const b = w.add_body(round_body(), {100, 100, 0});
  auto r = w.random_for(1);
  double sum = 0.0;
  for (int i = 0; i < 1500; ++i)
    for (int s = 0; s < 16; ++s) sum += w.sonar_range(b, {0.1, 0.0, s * pi / 8.0}, {}, r);
  EXPECT_GT(sum, 0.0);
}

}  // namespace
}  // namespace cy::sim
