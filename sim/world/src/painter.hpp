// Draws the level picture: one ray a column finds the wall, floor and ceiling are filled by rows,
// then the columns of walls and of the things before them, the farthest first.
#pragma once

#include <cy/world/world.hpp>

#include "grid.hpp"
#include "lens.hpp"
#include "tag_patterns.hpp"
#include "textures.hpp"
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace cy::sim {

constexpr double nearest = 0.03;  // m of depth; what is closer is drawn as if there

// The first row whose middle is at or below y, within the picture.
inline int row(double y, int height) {
  return static_cast<int>(std::clamp(std::ceil(y - 0.5), 0.0, static_cast<double>(height)));
}

struct Eye {
  Vec2 at;
  double yaw{};
  double height{};  // above the floor
  double light{};   // 1: as the textures are
  BodyId self{};
};

class Painter {
 public:
  explicit Painter(WorldModel const& model);
  void paint(World const& world, Eye const& eye, Canvas const& canvas);

 private:
  struct Wall {  // how one wall looks
    Vec2 along;
    double normal{};  // direction, of its left side
    double length{};
    Yuv colour;
  };
  // Something that stands on the floor or hangs: a disc, a convex outline, or a flat plate.
  struct Thing {
    std::vector<Vec2> corners;  // two for a plate; empty for a disc
    Disc disc;
    double low{};
    double high{};
    Yuv colour;
    TagPattern const* tag{};
  };
  struct Column {
    Vec2 ray;          // one metre deep along the axis
    double stretch{};  // |ray|
    double depth{};    // of the wall
    int top{};         // first row of the wall
    int bottom{};      // first row below it
    int shade{};
    int u{};  // texel
    std::uint32_t wall{Grid::none};
  };
  // The part of a thing that one column shows.
  struct Slice {
    std::uint32_t thing{};
    std::int16_t shade{};
    float near{};  // depths
    float far{};
    float along{};  // of a face, 0..1
  };
  static constexpr std::size_t slices_a_column = 12;
  struct Slices {
    std::array<Slice, slices_a_column> at;
    std::size_t count{};
  };

  void cast_walls(Eye const& eye, Canvas const& canvas);
  void draw_plane(Eye const& eye, Canvas const& canvas, Texture const& texture, double height, Yuv colour);
  void draw_wall(Eye const& eye, Canvas const& canvas, int x) const;
  void add_bodies(World const& world, BodyId self);
  void slice(std::uint32_t index, Eye const& eye, Canvas const& canvas);
  void draw_slice(Slice const& slice, Eye const& eye, Canvas const& canvas, int x) const;
  double lit(double normal) const;
  int shade(double light, double depth) const;

  Lighting lighting_;
  double wall_height_;
  Grid grid_;
  std::vector<Wall> walls_;
  Texture wall_texture_, floor_texture_, ceiling_texture_;
  std::vector<std::int8_t> grain_;
  std::map<std::uint16_t, TagPattern> patterns_;
  std::vector<Thing> things_;  // first those of the model, then this picture's bodies
  std::size_t still_things_{};
  std::vector<Column> columns_;
  std::vector<Slices> slices_;
};

}  // namespace cy::sim
