// The inside of World.
#pragma once

#include <cy/world/world.hpp>

#include "grid.hpp"
#include <map>

namespace cy::sim {

struct Body {
  BodyShape shape;
  Pose2 pose;
  double reach{};             // of the farthest point from the centre
  std::vector<Vec2> corners;  // of the footprint, in the world's frame
};

struct Pedestrian {
  BodyId body;
  std::vector<Vec2> loop;
  double speed{};
  std::size_t next{1};  // the corner walked to
};

// Something a body can touch: a segment, a disc or a convex polygon.
struct Obstacle {
  HitKind kind{HitKind::none};
  BodyId body{};
  Surface surface;
  Disc disc{{}, -1.0};  // radius < 0: it is not a disc
  std::span<Vec2 const> polygon{};
};

struct World::Parts {
  Parts(WorldModel m, Profile p, Seed s);

  HitKind kind_of(std::uint32_t item) const;
  Body const& at(BodyId id) const;
  void place(Body& body, Pose2 pose) const;
  // What may touch a body of that reach near p, except `ignore`, into `near`.
  void gather(Vec2 p, double reach, BodyId ignore, bool with_statics);

  WorldModel model;
  Profile profile;
  Seed seed;
  std::size_t walls{};  // the first surfaces of the grid; the edges of boxes follow, four a box
  Grid grid;
  std::map<BodyId, Body> bodies;
  std::uint32_t last_body{};
  std::vector<Pedestrian> pedestrians;
  std::optional<Time> walked;
  std::vector<Obstacle> near;
};

}  // namespace cy::sim
