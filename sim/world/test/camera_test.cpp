#include <cy/world/camera.hpp>
#include <cy/world/mark.hpp>

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace cy::sim {
namespace {

constexpr int width = 640, height = 480;

WorldModel hall() {
  WorldModel m;
  m.walls = {{{-3, -3}, {3, -3}}, {{3, -3}, {3, 3}}, {{3, 3}, {-3, 3}}, {{-3, 3}, {-3, -3}}};
  m.lighting.contrast = 0.0;
  return m;
}

struct Picture {
  Picture(WorldModel const& model, CameraModel camera = {}, Profile profile = Profile::ideal, View view = {},
          Time t = Time{} + 10s, std::uint32_t number = 1)
      : f(width / 2.0 / std::tan(camera.fov / 2.0)) {
    World const world{model, profile, model.seed};
    CameraRenderer renderer{model, camera, profile, model.seed};
    bytes.assign(renderer.frame_bytes(), 1);
    renderer.render(world, view, bytes, t, number);
  }
  int luma(int x, int y) const { return bytes[static_cast<std::size_t>(y) * width + x]; }
  int v(int x, int y) const {
    return bytes[static_cast<std::size_t>(width) * height * 5 / 4 +
                 static_cast<std::size_t>(y / 2) * (width / 2) + x / 2];
  }
  double f;
  Buffer bytes;
};

TEST(Camera, AWallsFootIsWhereGeometryPutsIt) {
  for (auto const distance : {1.5, 3.0, 5.0}) {
    Picture const p{hall(), {}, Profile::ideal, {.body = {3.0 - distance, 0.1, 0.0}}};
    // The skirting board is 10 cm high and dark.
    auto const expected = height / 2.0 + p.f * (0.45 - 0.10) / distance;
    int found = 0;
    for (int y = height / 2 + 5; y < height && found == 0; ++y)
      if (p.luma(width / 2, y) * 10 < p.luma(width / 2, y - 5) * 7) found = y;
    EXPECT_NEAR(found, expected, 4.0) << distance;
  }
}

TEST(Camera, ABoxShowsItsFaceAndItsTop) {
  auto m = hall();
  m.boxes = {{{1.5, 0.0, 0.0}, 0.6, 0.6, 0.2, {200, 20, 20}}};  // its face at 1.2 m, its back at 1.8 m
  Picture const p{m};
  int first = height, last = 0;
  for (int y = 0; y < height; ++y)
    if (p.v(width / 2, y) > 170) {
      first = std::min(first, y);
      last = std::max(last, y);
    }
  EXPECT_NEAR(first, height / 2.0 + p.f * (0.45 - 0.2) / 1.8, 2.5);
  EXPECT_NEAR(last, height / 2.0 + p.f * 0.45 / 1.2, 2.5);
  int left = width, right = 0;
  auto const y = static_cast<int>(height / 2.0 + p.f * 0.45 / 1.2) - 8;
  for (int x = 0; x < width; ++x)
    if (p.v(x, y) > 170) {
      left = std::min(left, x);
      right = std::max(right, x);
    }
  EXPECT_NEAR(left, width / 2.0 - p.f * 0.3 / 1.2, 2.5);
  EXPECT_NEAR(right, width / 2.0 + p.f * 0.3 / 1.2, 2.5);
}

TEST(Camera, WhatIsNearerHidesWhatIsBehind) {
  auto m = hall();
  m.cylinders = {{{2.0, 0.0}, 0.3, 1.0, {20, 200, 20}}, {{1.0, 0.0}, 0.1, 1.0, {200, 20, 20}}};
  Picture const p{m};
  EXPECT_GT(p.v(width / 2, height / 2 + 20), 170);  // red
  auto const beside = static_cast<int>(p.f * 0.22 / 2.0);
  EXPECT_LT(p.v(width / 2 - beside, height / 2 + 20), 90);  // green
  m.walls.push_back({{0.5, -1.0}, {0.5, 1.0}});
  Picture const hidden{m};
  EXPECT_NEAR(hidden.v(width / 2, height / 2 + 20), 128, 30);
}

TEST(Camera, BodiesAreSeenAndOneselfIsNot) {
  auto const m = hall();
  World world{m, Profile::ideal, m.seed};
  auto const self = world.add_body({.radius = 0.25, .height = 0.6}, {});
  CameraRenderer renderer{m, {}, Profile::ideal, m.seed};
  Buffer alone(renderer.frame_bytes()), both(renderer.frame_bytes()), again(renderer.frame_bytes());
  renderer.render(world, {.self = self}, alone, {}, 1);
  auto const other = world.add_body({.radius = 0.25}, {1.5, 0.0, 0.0});
  renderer.render(world, {.self = self}, both, {}, 1);
  EXPECT_NE(alone, both);
  world.set_pose(other, {-1.5, 0.0, 0.0});  // behind
  renderer.render(world, {.self = self}, again, {}, 1);
  EXPECT_EQ(alone, again);
}

struct Found {
  double x, y;
};
// By the AprilTag library's own detector.
std::map<int, Found> detect(Picture const& p) {
  auto* family = tag36h11_create();
  auto* detector = apriltag_detector_create();
  apriltag_detector_add_family_bits(detector, family, 1);
  detector->quad_decimate = 1.0F;
  auto luma = p.bytes;
  image_u8_t image{width, height, width, luma.data()};
  auto* detections = apriltag_detector_detect(detector, &image);
  std::map<int, Found> out;
  for (int i = 0; i < zarray_size(detections); ++i) {
    apriltag_detection_t* d{};
    zarray_get(detections, i, &d);
    if (d->hamming == 0) out[d->id] = {d->c[0], d->c[1]};
  }
  apriltag_detections_destroy(detections);
  apriltag_detector_destroy(detector);
  tag36h11_destroy(family);
  return out;
}

WorldModel tagged_hall() {
  auto m = hall();
  m.tags = {{7, 0.3, {2.99, 0.4}, 0.8, pi}, {42, 0.25, {0.0, 2.99}, 0.7, -pi / 2.0}};
  return m;
}

TEST(Camera, TagsAreReadByTheLibrarysDetector) {
  Picture const p{tagged_hall()};
  auto const found = detect(p);
  ASSERT_TRUE(found.contains(7));
  EXPECT_FALSE(found.contains(42));  // it is to the left
  EXPECT_NEAR(found.at(7).x, width / 2.0 - p.f * 0.4 / 2.99, 1.0);
  EXPECT_NEAR(found.at(7).y, height / 2.0 - p.f * (0.8 - 0.45) / 2.99, 1.0);
  Picture const oblique{tagged_hall(), {}, Profile::ideal, {.body = {0.9, 1.6, radians(125.0)}}};
  EXPECT_TRUE(detect(oblique).contains(42));
}

TEST(Camera, TagsAreReadThroughARealLens) {
  Picture const p{tagged_hall(), {}, Profile::real, {.body = {1.0, 0.2, 0.1}, .tilt = 0.1}};
  EXPECT_TRUE(detect(p).contains(7));
}

TEST(Camera, ATagsBackIsNotDrawn) {
  auto m = hall();
  m.tags = {{7, 0.3, {1.5, 0.0}, 0.5, 0.0}};
  EXPECT_EQ(Picture{m}.bytes, Picture{hall()}.bytes);
}

TEST(Camera, TiltAndPanMoveThePictureExactly) {
  auto const tilt = radians(15.0), pan = radians(4.0);
  Picture const p{tagged_hall(), {}, Profile::ideal, {.pan = pan, .tilt = tilt}};
  auto const found = detect(p);
  ASSERT_TRUE(found.contains(7));
  // The tag's centre in the turned and tilted camera's frame.
  auto const ahead = 2.99 * std::cos(pan) + 0.4 * std::sin(pan);
  auto const left = -2.99 * std::sin(pan) + 0.4 * std::cos(pan);
  auto const up = 0.8 - 0.45;
  auto const depth = ahead * std::cos(tilt) + up * std::sin(tilt);
  EXPECT_NEAR(found.at(7).x, width / 2.0 - p.f * left / depth, 1.0);
  EXPECT_NEAR(found.at(7).y, height / 2.0 - p.f * (up * std::cos(tilt) - ahead * std::sin(tilt)) / depth,
              1.0);
}

TEST(Camera, ZoomEnlarges) {
  auto m = hall();
  m.tags = {{3, 0.1, {2.99, 0.0}, 0.45, pi}};
  auto const wide = detect(Picture{m, {}, Profile::ideal, {.zoom = 1.0}});
  auto const near = detect(Picture{m, {}, Profile::ideal, {.zoom = 6.0}});
  EXPECT_TRUE(near.contains(3));
  EXPECT_TRUE(near.at(3).x > 300 && near.at(3).x < 340);
  EXPECT_TRUE(wide.empty() || wide.contains(3));
}

TEST(Camera, ABarrelPullsTheCornersIn) {
  auto m = hall();
  m.tags = {{7, 0.3, {2.99, 1.35}, 0.45, pi}};
  CameraModel bent;
  bent.mount_error = 0.0;
  bent.noise = 0.0;
  bent.distortion = -0.25;
  Picture const p{m, bent, Profile::real};
  auto const found = detect(p);
  ASSERT_TRUE(found.contains(7));
  auto const straight = 1.35 / 2.99;
  auto const expected = straight * (1.0 - 0.25 * straight * straight);
  EXPECT_NEAR(found.at(7).x, width / 2.0 - p.f * expected, 1.0);
}

TEST(Camera, TheSameSeedAndTimeGiveTheSameBytes) {
  auto const m = tagged_hall();
  Picture const a{m, {}, Profile::real}, b{m, {}, Profile::real};
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_NE(a.bytes, (Picture{m, {}, Profile::real, {}, Time{} + 10s, 2}.bytes));  // noise
  auto other = m;
  other.seed = Seed{99};
  EXPECT_NE(a.bytes, (Picture{other, {}, Profile::real}.bytes));
  other = m;
  other.texture_seed = 5;
  EXPECT_NE((Picture{m}.bytes), (Picture{other}.bytes));
}

TEST(Camera, LightChangesSlowlyInReal) {
  auto const m = hall();
  World const world{m, Profile::real, m.seed};
  CameraRenderer ideal{m, {}, Profile::ideal, m.seed}, real{m, {}, Profile::real, m.seed};
  auto const mean = [&](Time t, CameraRenderer& renderer) {
    Buffer picture(renderer.frame_bytes());
    renderer.render(world, {}, picture, t, 1);
    return std::accumulate(picture.begin(), picture.begin() + width * height, 0.0) / (width * height);
  };
  EXPECT_EQ(mean(Time{} + 1s, ideal), mean(Time{} + 9s, ideal));
  double low = 1e9, high = 0.0;
  for (int s = 0; s < 20; s += 2) {
    auto const v = mean(Time{} + std::chrono::seconds(s), real);
    low = std::min(low, v);
    high = std::max(high, v);
  }
  EXPECT_GT(high - low, 4.0);
  EXPECT_LT(std::abs(mean(Time{} + 1s, real) - mean(Time{} + 1033ms, real)), 1.5);
}

TEST(Camera, TheMarkTellsFrameAndTime) {
  CameraModel camera;
  camera.mark = true;
  Picture const p{hall(), camera, Profile::real, {}, Time{} + 123456789us, 4711};
  auto const mark = read_mark(Bytes{p.bytes}.first(width * height), width, height, width);
  EXPECT_EQ(mark, (Mark{4711, 123456789}));
}

// Every pixel is drawn, whatever the camera stands in or looks at.
TEST(Camera, NothingIsLeftUndrawn) {
  auto crowded = tagged_hall();
  crowded.cylinders = {{{0.0, 0.0}, 0.5, 2.0, {200, 20, 20}}};
  crowded.boxes = {{{0.1, 0.0, 0.3}, 1.0, 1.0, 1.0, {}}};
  auto low = hall();
  low.wall_height = 0.2;
  for (auto const& m : {WorldModel{}, hall(), crowded, low})
    for (auto const profile : {Profile::ideal, Profile::real}) {
      World const world{m, profile, m.seed};
      CameraRenderer renderer{m, {}, profile, m.seed};
      for (auto const tilt : {0.0, -0.7, 0.7})
        for (auto const x : {0.0, 2.999, -50.0}) {
          Buffer a(renderer.frame_bytes(), 0);
          renderer.render(world, {.body = {x, 0.01, 0.4}, .tilt = tilt}, a, {}, 1);
          auto const luma = Bytes{a}.first(width * height);
          EXPECT_TRUE(std::all_of(luma.begin(), luma.end(), [](auto y) { return y >= 16 && y <= 235; }))
              << x << ' ' << tilt;
        }
    }
}

}  // namespace
}  // namespace cy::sim
