// The things before the walls, of the painter: cylinders, boxes, tags and moving bodies.
#include "painter.hpp"

namespace cy::sim {
namespace {

struct Strip {
  int first;
  int last;  // one past
};

}  // namespace

void Painter::add_bodies(World const& world, BodyId self) {
  for (auto const id : world.bodies()) {
    if (id == self) continue;
    auto const& shape = world.shape(id);
    auto const pose = world.pose(id);
    Thing lower{{}, {pose.position(), shape.radius}, 0.0, shape.height, to_yuv(shape.colour), nullptr};
    for (auto const corner : shape.footprint) lower.corners.push_back(pose.to_outer(corner));
    // A person has a head, a robot a bright rim.
    auto upper = lower;
    auto const person = shape.height > 1.2;
    upper.colour = to_yuv(person ? Colour{205, 160, 130} : Colour{200, 40, 35});
    lower.high = upper.low = shape.height - (person ? 0.24 : std::min(0.04, shape.height / 3.0));
    if (person && upper.corners.empty()) upper.disc.radius *= 0.55;
    things_.push_back(std::move(lower));
    things_.push_back(std::move(upper));
  }
}

// Finds the columns that the thing may cover, and in each of them where the ray meets it.
void Painter::slice(std::uint32_t index, Eye const& eye, Canvas const& canvas) {
  auto const& thing = things_[index];
  Vec2 const ahead{std::cos(eye.yaw), std::sin(eye.yaw)}, left{-ahead.y, ahead.x};
  Strip strip{0, canvas.width};
  auto const clip = [&](double low, double high) {
    strip = {static_cast<int>(std::clamp(std::floor(low), 0.0, static_cast<double>(canvas.width))),
             static_cast<int>(std::clamp(std::ceil(high) + 1.0, 0.0, static_cast<double>(canvas.width)))};
  };
  auto const column = [&](double side) { return canvas.cx - canvas.f * side; };
  if (thing.corners.empty()) {
    auto const apart = thing.disc.centre - eye.at;
    auto const distance = norm(apart);
    auto const centre = std::atan2(dot(apart, left), dot(apart, ahead));
    if (distance > thing.disc.radius * 1.001) {
      auto const half = std::asin(thing.disc.radius / distance);
      constexpr double sideways = 1.55;
      if (centre - half > sideways || centre + half < -sideways) return;
      clip(column(std::tan(std::min(sideways, centre + half))),
           column(std::tan(std::max(-sideways, centre - half))));
    }
  } else {
    double low = 1e9, high = -1e9;
    std::size_t behind = 0;
    for (auto const corner : thing.corners) {
      auto const apart = corner - eye.at;
      auto const depth = dot(apart, ahead);
      if (depth < nearest) {
        ++behind;
        continue;
      }
      auto const x = column(dot(apart, left) / depth);
      low = std::min(low, x);
      high = std::max(high, x);
    }
    if (behind == thing.corners.size()) return;
    if (behind == 0) clip(low, high);
  }

  for (int x = strip.first; x < strip.last; ++x) {
    auto const& c = columns_[static_cast<std::size_t>(x)];
    Slice s{index};
    double near = 1e9, far = 0.0, normal = 0.0;
    if (thing.corners.empty()) {
      auto const p = cross_disc(eye.at, (1.0 / c.stretch) * c.ray, thing.disc.centre, thing.disc.radius);
      if (!p || p->out <= 0.0) continue;
      near = p->in / c.stretch;
      far = p->out / c.stretch;
      auto const n = eye.at + near * c.ray - thing.disc.centre;
      normal = std::atan2(n.y, n.x);
      // Round things darken towards their rims.
      auto const facing = std::max(0.0, -dot(n, c.ray) / (norm(n) * c.stretch));
      s.along = 0.5F;
      s.shade = static_cast<std::int16_t>(
          shade(eye.light * lit(normal) * (0.35 + 0.7 * facing), std::max(0.0, near)));
    } else {
      auto const count = thing.corners.size() == 2 ? 1 : thing.corners.size();
      for (std::size_t i = 0; i < count; ++i) {
        auto const a = thing.corners[i], b = thing.corners[(i + 1) % thing.corners.size()];
        auto const crossing = cross_segment(eye.at, c.ray, a, b);
        if (!crossing) continue;
        far = std::max(far, crossing->range);
        if (crossing->range >= near) continue;
        near = crossing->range;
        s.along = static_cast<float>(crossing->along);
        auto n = Vec2{b.y - a.y, a.x - b.x};
        if (dot(n, c.ray) > 0.0) {
          if (thing.tag != nullptr) near = 1e9;  // its back
          n = -1.0 * n;
        }
        normal = std::atan2(n.y, n.x);
      }
      if (near > 1e8) continue;
      if (thing.corners.size() > 2 && inside(eye.at, thing.corners)) continue;
      s.shade = static_cast<std::int16_t>(shade(eye.light * lit(normal), near));
    }
    if (near >= c.depth || far < nearest) continue;
    s.near = static_cast<float>(std::max(nearest, near));
    s.far = static_cast<float>(std::clamp(far, nearest, c.depth));
    // Kept from far to near; things of one distance in their order. A full column drops the farthest.
    auto& slices = slices_[static_cast<std::size_t>(x)];
    std::size_t place = 0;
    while (place < slices.count && slices.at[place].near >= s.near) ++place;
    if (slices.count == slices_a_column) {
      if (place == 0) continue;
      std::move(slices.at.begin() + 1, slices.at.begin() + static_cast<std::ptrdiff_t>(place),
                slices.at.begin());
      slices.at[place - 1] = s;
      continue;
    }
    std::move_backward(slices.at.begin() + static_cast<std::ptrdiff_t>(place),
                       slices.at.begin() + static_cast<std::ptrdiff_t>(slices.count),
                       slices.at.begin() + static_cast<std::ptrdiff_t>(slices.count) + 1);
    slices.at[place] = s;
    ++slices.count;
  }
}

void Painter::draw_slice(Slice const& s, Eye const& eye, Canvas const& canvas, int x) const {
  auto const& thing = things_[s.thing];
  auto const stride = static_cast<std::size_t>(canvas.width);
  auto const row_of = [&](double height, double depth) {
    return row(canvas.cy + canvas.f * (eye.height - height) / depth, canvas.height);
  };
  auto const top = row_of(thing.high, s.near), bottom = row_of(thing.low, s.near);
  auto const light = static_cast<std::uint32_t>(s.shade);
  auto* out = canvas.y + static_cast<std::size_t>(top) * stride + x;
  auto const paint_chroma = [&](int from, int to) {
    if (x % 2 != 0) return;
    for (int y = (from + 1) / 2; y < (to + 1) / 2; ++y) {
      auto const at = static_cast<std::size_t>(y) * (stride / 2) + static_cast<std::size_t>(x / 2);
      canvas.u[at] = thing.colour.u;
      canvas.v[at] = thing.colour.v;
    }
  };

  if (thing.tag != nullptr) {
    auto const tall = (thing.high - thing.low) * canvas.f / s.near;
    auto const start = canvas.cy + canvas.f * (eye.height - thing.high) / s.near;
    auto const cell_x = std::clamp(static_cast<int>(s.along * tag_cells), 0, tag_cells - 1);
    for (int y = top; y < bottom; ++y, out += stride) {
      auto const cell_y =
          std::clamp(static_cast<int>((y + 0.5 - start) / tall * tag_cells), 0, tag_cells - 1);
      auto const ink = (*thing.tag)[static_cast<std::size_t>(cell_y * tag_cells + cell_x)] ? 195U : 18U;
      *out = static_cast<std::uint8_t>(16U + (ink * light >> 8));
    }
    paint_chroma(top, bottom);
    return;
  }

  auto const base = static_cast<std::uint32_t>(std::min<int>(brightest, thing.colour.y));
  auto const rim = !thing.corners.empty() && (s.along < 0.02F || s.along > 0.98F);
  auto const side = rim ? base * light * 3 / 4 : base * light;
  auto const* grain = grain_.data() + (static_cast<std::size_t>(x) * 911U & 0xfc00U);
  for (int y = top; y < bottom; ++y, out += stride) {
    auto const v = static_cast<int>(16U + (side >> 8)) + grain[y & 1023] / 3;
    *out = static_cast<std::uint8_t>(std::clamp(v, 16, 235));
  }
  paint_chroma(top, bottom);
  if (thing.low == 0.0) {  // its shadow on the floor before it
    auto const end = row_of(0.0, std::max(nearest, s.near - 0.08));
    for (int y = bottom; y < end; ++y, out += stride)
      *out = static_cast<std::uint8_t>(16 + (*out - 16) * 5 / 8);
  }
  if (thing.high < eye.height) {  // one looks down on its top
    auto const back = row_of(thing.high, s.far);
    auto const bright = static_cast<std::uint32_t>(shade(eye.light * 1.08, s.near));
    auto* up = canvas.y + static_cast<std::size_t>(back) * stride + x;
    for (int y = back; y < top; ++y, up += stride) {
      auto const v = static_cast<int>(16U + (base * bright >> 8)) + grain[y & 1023] / 3;
      *up = static_cast<std::uint8_t>(std::clamp(v, 16, 235));
    }
    paint_chroma(back, top);
  }
}

}  // namespace cy::sim
