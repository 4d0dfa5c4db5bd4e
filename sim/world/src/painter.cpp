#include "painter.hpp"

namespace cy::sim {
namespace {

constexpr double farthest = 120.0;  // m

constexpr Colour wall_colours[] = {
    {206, 202, 190}, {190, 200, 206}, {196, 206, 188}, {212, 196, 180}, {200, 194, 208}};
constexpr Yuv floor_colour{0, 126, 131};
constexpr Yuv ceiling_colour{0, 128, 128};

std::vector<Surface> walls_of(WorldModel const& model) {
  std::vector<Surface> out;
  for (auto const& w : model.walls) out.push_back({w.a, w.b});
  return out;
}

// Walls on one line look alike, however many pieces a map cuts them into.
std::size_t style_of(Vec2 a, Vec2 along) {
  if (along.x < -1e-9 || (std::abs(along.x) <= 1e-9 && along.y < 0.0)) along = -1.0 * along;
  auto const angle = std::lround(std::atan2(along.y, along.x) / radians(10.0));
  auto const offset = std::lround(cross(along, a) / 0.5);
  auto const mixed = static_cast<std::uint64_t>(angle * 7919 + offset) * 0x9e3779b97f4a7c15ULL;
  return (mixed >> 40) % std::size(wall_colours);
}

std::uint8_t byte(int v) {
  return static_cast<std::uint8_t>(v);
}

}  // namespace

Painter::Painter(WorldModel const& model)
    : lighting_(model.lighting), wall_height_(model.wall_height), grid_(walls_of(model), {}) {
  Random random{Seed{model.texture_seed}};
  wall_texture_ = make_wall_texture(random);
  floor_texture_ = make_floor_texture(random);
  ceiling_texture_ = make_ceiling_texture(random);
  grain_ = make_noise(random, 7.0);
  for (auto const& w : model.walls) {
    auto const length = norm(w.b - w.a);
    auto const along = (1.0 / length) * (w.b - w.a);
    walls_.push_back(
        {along, std::atan2(along.x, -along.y), length, to_yuv(wall_colours[style_of(w.a, along)])});
  }
  patterns_ = tag_patterns(model.tags);
  for (auto const& c : model.cylinders)
    things_.push_back({{}, {c.centre, c.radius}, 0.0, c.height, to_yuv(c.colour), nullptr});
  for (auto const& b : model.boxes) {
    auto const l = b.length / 2.0, w = b.width / 2.0;
    things_.push_back({{b.pose.to_outer({l, w}), b.pose.to_outer({-l, w}), b.pose.to_outer({-l, -w}),
                        b.pose.to_outer({l, -w})},
                       {},
                       0.0,
                       b.height,
                       to_yuv(b.colour),
                       nullptr});
  }
  for (auto const& t : model.tags) {
    auto const half = t.size * tag_cells / 8.0 / 2.0;
    // To the left for whoever looks at it.
    Vec2 const left{std::sin(t.facing), -std::cos(t.facing)};
    things_.push_back({{t.position + half * left, t.position - half * left},
                       {},
                       t.height - half,
                       t.height + half,
                       {},
                       &patterns_.at(t.id)});
  }
  still_things_ = things_.size();
}

// Of a surface whose normal points there: brighter where it faces the light.
double Painter::lit(double normal) const {
  return 1.0 - lighting_.contrast * (0.5 - 0.5 * std::cos(normal - lighting_.direction));
}

// In 256ths; the distance takes some light away, which is half of how one sees depth.
int Painter::shade(double light, double depth) const {
  return std::clamp(static_cast<int>(256.0 * light * (0.42 + 0.58 / (1.0 + depth / 9.0))), 0,
                    strongest_shade);
}

void Painter::cast_walls(Eye const& eye, Canvas const& canvas) {
  columns_.resize(static_cast<std::size_t>(canvas.width));
  slices_.resize(columns_.size());
  Vec2 const ahead{std::cos(eye.yaw), std::sin(eye.yaw)}, left{-ahead.y, ahead.x};
  for (int x = 0; x < canvas.width; ++x) {
    auto& c = columns_[static_cast<std::size_t>(x)];
    slices_[static_cast<std::size_t>(x)].count = 0;
    auto const side = (canvas.cx - x - 0.5) / canvas.f;
    c.ray = ahead + side * left;
    c.stretch = std::sqrt(1.0 + side * side);
    auto const hit = grid_.cast(eye.at, (1.0 / c.stretch) * c.ray, farthest);
    c.wall = hit.item;
    c.depth = std::max(nearest, hit.range / c.stretch);
    c.top = row(canvas.cy - canvas.f * (wall_height_ - eye.height) / c.depth, canvas.height);
    c.bottom = row(canvas.cy + canvas.f * eye.height / c.depth, canvas.height);
    if (hit.item == Grid::none) {  // open to the horizon
      c.top = c.bottom = row(canvas.cy, canvas.height);
      continue;
    }
    auto const& wall = walls_[hit.item];
    auto const front = cross(wall.along, c.ray) < 0.0;  // its left side looks at the eye
    auto const edge = std::min(hit.along, 1.0 - hit.along) * wall.length;
    auto const corner = edge < 0.25 && wall.length > 0.6 ? 0.82 + 0.72 * edge : 1.0;
    c.shade = shade(eye.light * corner * lit(front ? wall.normal : wall.normal + pi) * wall.colour.y / 185.0,
                    c.depth);
    auto const at = eye.at + c.depth * c.ray;
    auto const metres = dot(at, wall.along) * (front ? -1.0 : 1.0);
    c.u = static_cast<int>(std::floor(metres * texels_a_metre)) & (texture_side - 1);
  }
}

// The floor (height 0) or the ceiling: each row has one depth, so its texels lie on a line.
void Painter::draw_plane(Eye const& eye, Canvas const& canvas, Texture const& texture, double height,
                         Yuv colour) {
  auto const drop = eye.height - height;  // > 0: the floor
  auto const floor = drop > 0.0;
  auto extreme = floor ? canvas.height : 0;
  for (auto const& c : columns_) extreme = floor ? std::min(extreme, c.bottom) : std::max(extreme, c.top);
  auto const horizon = static_cast<int>(std::ceil(canvas.cy));
  if (floor && wall_height_ <= eye.height) extreme = horizon;  // one sees over the walls
  auto const first = floor ? std::max(extreme, std::clamp(horizon, 0, canvas.height)) : 0;
  auto const last = floor ? canvas.height : std::min(extreme, std::clamp(horizon, 0, canvas.height));
  Vec2 const ahead{std::cos(eye.yaw), std::sin(eye.yaw)}, left{-ahead.y, ahead.x};
  auto const fixed = [](double metres) {
    return static_cast<std::uint32_t>(
        static_cast<std::int64_t>(std::floor(metres * texels_a_metre * 65536.0)));
  };
  for (int y = first; y < last; ++y) {
    auto const depth = std::min(farthest, canvas.f * drop / (y + 0.5 - canvas.cy));
    auto const start = eye.at + depth * ahead + (depth * (canvas.cx - 0.5) / canvas.f) * left;
    auto const step = (-depth / canvas.f) * left;
    auto const light = static_cast<std::uint32_t>(shade(eye.light, depth));
    // The level whose texel is about one pixel: a compromise of width and depth.
    auto const across = depth / canvas.f, along = depth * depth / (canvas.f * std::abs(drop));
    auto const level = std::clamp(
        static_cast<int>(
            std::floor(std::log2(std::max(1.0, std::sqrt(across * along) * texels_a_metre)) + 0.5)),
        0, mip_levels - 1);
    auto const shift = static_cast<unsigned>(16 + level);
    auto const mask = static_cast<std::uint32_t>((texture_side >> level) - 1);
    auto const bits = static_cast<unsigned>(texture_bits - level);
    auto const* texels = texture.level(level);
    auto u = fixed(start.x), v = fixed(start.y);
    auto const du = fixed(step.x), dv = fixed(step.y);
    auto* out = canvas.y + static_cast<std::size_t>(y) * canvas.width;
    for (int x = 0; x < canvas.width; ++x, u += du, v += dv) {
      auto const texel = texels[(v >> shift & mask) << bits | (u >> shift & mask)];
      out[x] = static_cast<std::uint8_t>(16U + (texel * light >> 8));
    }
    if (y % 2 != 0) continue;
    u = fixed(start.x);
    v = fixed(start.y);
    auto const row_at = static_cast<std::size_t>(y / 2) * (canvas.width / 2);
    for (int x = 0; x < canvas.width / 2; ++x, u += 2 * du, v += 2 * dv) {
      constexpr unsigned to_chroma = 16 + texture_bits - chroma_bits;
      constexpr std::uint32_t chroma_mask = chroma_side - 1;
      auto const* delta =
          &texture
               .chroma[2 * ((v >> to_chroma & chroma_mask) << chroma_bits | (u >> to_chroma & chroma_mask))];
      canvas.u[row_at + static_cast<std::size_t>(x)] = byte(colour.u + delta[0]);
      canvas.v[row_at + static_cast<std::size_t>(x)] = byte(colour.v + delta[1]);
    }
  }
}

void Painter::draw_wall(Eye const& eye, Canvas const& canvas, int x) const {
  auto const& c = columns_[static_cast<std::size_t>(x)];
  if (c.wall == Grid::none) return;
  auto const stride = static_cast<std::size_t>(canvas.width);
  auto const texel_size = c.depth / canvas.f * texels_a_metre;  // of one pixel
  auto const level =
      std::clamp(static_cast<int>(std::floor(std::log2(std::max(1.0, texel_size)) + 0.5)), 0, mip_levels - 1);
  auto const bits = static_cast<unsigned>(texture_bits - level);
  auto const mask = static_cast<std::uint32_t>((texture_side >> level) - 1);
  auto const shift = static_cast<unsigned>(16 + level);
  auto const* texels = wall_texture_.level(level) + (c.u >> level);
  auto const light = static_cast<std::uint32_t>(c.shade);
  // Texels above the floor at the middle of the row, falling from row to row.
  auto const v_of = [&](int y) {
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(
        std::floor((eye.height - (y + 0.5 - canvas.cy) * c.depth / canvas.f) * texels_a_metre * 65536.0)));
  };
  auto const dv = static_cast<std::uint32_t>(static_cast<std::int64_t>(texel_size * 65536.0));
  auto v = v_of(c.top);
  auto* out = canvas.y + static_cast<std::size_t>(c.top) * stride + x;
  if (texel_size < 0.5) {
    // From close by, a finer grain hides that texels are larger than pixels.
    auto const* grain = grain_.data() + (static_cast<std::uint32_t>(c.u) * 521U & 0xff00U);
    for (int y = c.top; y < c.bottom; ++y, v -= dv, out += stride) {
      auto const texel = static_cast<std::uint32_t>(
          std::clamp(texels[(v >> shift & mask) << bits] + grain[v >> 13 & 255U] / 2, 0, brightest));
      *out = static_cast<std::uint8_t>(16U + (texel * light >> 8));
    }
  } else {
    for (int y = c.top; y < c.bottom; ++y, v -= dv, out += stride)
      *out = static_cast<std::uint8_t>(16U + (texels[(v >> shift & mask) << bits] * light >> 8));
  }
  // Where the wall meets the floor it is a little darker.
  auto const shadow_end =
      row(canvas.cy + canvas.f * eye.height / std::max(nearest, c.depth - 0.12), canvas.height);
  for (int y = c.bottom; y < shadow_end; ++y, out += stride)
    *out = static_cast<std::uint8_t>(16 + (*out - 16) * 5 / 8);

  if (x % 2 != 0) return;
  auto const& colour = walls_[c.wall].colour;
  auto const first = (c.top + 1) / 2, last = (c.bottom + 1) / 2;
  auto const chroma_stride = stride / 2;
  auto at = static_cast<std::size_t>(first) * chroma_stride + static_cast<std::size_t>(x / 2);
  constexpr unsigned to_chroma = texture_bits - chroma_bits;
  auto const column = static_cast<std::uint32_t>(c.u) >> to_chroma;
  v = v_of(2 * first);
  for (int y = first; y < last; ++y, v -= 2 * dv, at += chroma_stride) {
    auto const* delta =
        &wall_texture_.chroma[2 * ((v >> (16 + to_chroma) & (chroma_side - 1)) << chroma_bits | column)];
    canvas.u[at] = byte(colour.u + delta[0]);
    canvas.v[at] = byte(colour.v + delta[1]);
  }
}

void Painter::paint(World const& world, Eye const& eye, Canvas const& canvas) {
  cast_walls(eye, canvas);
  draw_plane(eye, canvas, floor_texture_, 0.0, floor_colour);
  draw_plane(eye, canvas, ceiling_texture_, std::max(wall_height_, eye.height + 0.1), ceiling_colour);
  for (int x = 0; x < canvas.width; ++x) draw_wall(eye, canvas, x);
  things_.resize(still_things_);
  add_bodies(world, eye.self);
  for (std::size_t i = 0; i < things_.size(); ++i) slice(static_cast<std::uint32_t>(i), eye, canvas);
  for (int x = 0; x < canvas.width; ++x) {
    auto const& slices = slices_[static_cast<std::size_t>(x)];
    for (std::size_t i = 0; i < slices.count; ++i) draw_slice(slices.at[i], eye, canvas, x);
  }
}

}  // namespace cy::sim
