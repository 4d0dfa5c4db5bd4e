// What stands in a world: walls, things, tags, where robots start and where they may go.
// A value without behaviour; parse.hpp makes it from text, world.hpp brings it to life.
// Metres, radians, REP 103.
#pragma once

#include <cy/base/geometry.hpp>
#include <cy/base/random.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace cy::sim {

// `ideal` is geometry alone; `real` adds what sensors, wheels and lenses do to it.
enum class Profile : std::uint8_t { ideal, real };

struct Colour {
  std::uint8_t r{};
  std::uint8_t g{};
  std::uint8_t b{};
  friend constexpr bool operator==(Colour, Colour) = default;
};

// A wall: it stops bodies and rays from both sides and is as high as the model's wall_height.
struct Segment {
  Vec2 a;
  Vec2 b;
};

struct Cylinder {
  Vec2 centre;
  double radius{};
  double height{};
  Colour colour;
};

// Stands on the floor; `pose` is its centre, `length` lies along the pose's x.
struct Box {
  Pose2 pose;
  double length{};
  double width{};
  double height{};
  Colour colour;
};

// A printed tag of the family 36h11 on an upright plate. Looked at, not bumped into.
struct AprilTag {
  std::uint16_t id{};  // 0..586
  double size{};       // edge of the black square; the white rim adds an eighth on each side
  Vec2 position;       // of its centre
  double height{};     // of its centre, above the floor
  double facing{};     // where its normal points
};

// A named pose: a robot's start, or a goal.
struct Place {
  std::string name;
  Pose2 pose;
};

struct Lighting {
  double level{1.0};      // 1 is a well lit room
  double direction{0.7};  // where the light comes from: walls that face it are brighter
  double contrast{0.25};  // how much brighter, 0..1
  double change{0.12};    // amplitude of the slow change in `real`, as a part of level
  double change_period_s{20.0};
};

struct WorldModel {
  std::string name;
  double wall_height{2.4};
  std::uint64_t texture_seed{1};
  Seed seed{1};
  Lighting lighting;
  std::vector<Segment> walls;
  std::vector<Cylinder> cylinders;
  std::vector<Box> boxes;
  std::vector<AprilTag> tags;
  std::vector<Place> starts;  // in the order of the file
  std::vector<Place> goals;
};

}  // namespace cy::sim
