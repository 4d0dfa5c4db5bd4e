// Plane geometry of rays and touching: what the world's questions come down to.
#pragma once

#include <cy/base/geometry.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>

namespace cy::sim {

struct Crossing {
  double range{};
  double along{};  // 0..1 from a to b
};

// Where the ray o + t d (t >= 0) meets the segment. The ends are widened by a hair, so that no
// ray slips between two walls that share a corner.
inline std::optional<Crossing> cross_segment(Vec2 o, Vec2 d, Vec2 a, Vec2 b) {
  auto const s = b - a;
  auto const denominator = cross(d, s);
  if (std::abs(denominator) < 1e-14) return std::nullopt;
  auto const oa = a - o;
  auto const t = cross(oa, s) / denominator;
  auto const u = cross(oa, d) / denominator;
  if (!(t >= 0.0) || !(u >= -1e-9) || !(u <= 1.0 + 1e-9)) return std::nullopt;
  return Crossing{t, u};
}

struct Passage {
  double in{};
  double out{};
};

// Where the line o + t d passes through the disc; `in` may be negative. |d| = 1.
inline std::optional<Passage> cross_disc(Vec2 o, Vec2 d, Vec2 centre, double radius) {
  auto const oc = centre - o;
  auto const middle = dot(oc, d);
  auto const square = radius * radius - (dot(oc, oc) - middle * middle);
  if (!(square > 0.0)) return std::nullopt;
  auto const half = std::sqrt(square);
  return Passage{middle - half, middle + half};
}

inline Vec2 nearest_on_segment(Vec2 p, Vec2 a, Vec2 b) {
  auto const s = b - a;
  auto const length2 = dot(s, s);
  if (length2 <= 0.0) return a;
  return a + std::clamp(dot(p - a, s) / length2, 0.0, 1.0) * s;
}

// Convex, corners in either order of rotation.
inline bool inside(Vec2 p, std::span<Vec2 const> polygon) {
  bool left = false, right = false;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    auto const a = polygon[i], b = polygon[(i + 1) % polygon.size()];
    auto const side = cross(b - a, p - a);
    left = left || side > 0.0;
    right = right || side < 0.0;
  }
  return !(left && right);
}

inline Vec2 nearest_on_outline(Vec2 p, std::span<Vec2 const> polygon) {
  Vec2 best{};
  auto best_distance = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    auto const q = nearest_on_segment(p, polygon[i], polygon[(i + 1) % polygon.size()]);
    if (auto const d = norm(q - p); d < best_distance) {
      best_distance = d;
      best = q;
    }
  }
  return best;
}

}  // namespace cy::sim
