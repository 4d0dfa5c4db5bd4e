// The plane that mobile robots live in. Metres, radians; x forward, y left, yaw
// counter-clockwise (REP 103); frames as in REP 105.
#pragma once

#include <cmath>
#include <numbers>

namespace cy {

inline constexpr double pi = std::numbers::pi;
constexpr double radians(double degrees) {
  return degrees * pi / 180.0;
}
constexpr double degrees(double radians) {
  return radians * 180.0 / pi;
}

// The same angle in (-pi, pi].
inline double normalised(double angle) {
  auto const a = std::remainder(angle, 2.0 * pi);
  return a <= -pi ? a + 2.0 * pi : a;
}

struct Vec2 {
  double x{};  // m
  double y{};  // m
  friend constexpr Vec2 operator+(Vec2 a, Vec2 b) { return {a.x + b.x, a.y + b.y}; }
  friend constexpr Vec2 operator-(Vec2 a, Vec2 b) { return {a.x - b.x, a.y - b.y}; }
  friend constexpr Vec2 operator*(double k, Vec2 a) { return {k * a.x, k * a.y}; }
  friend constexpr double dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
  friend constexpr double cross(Vec2 a, Vec2 b) { return a.x * b.y - a.y * b.x; }
  friend double norm(Vec2 a) { return std::hypot(a.x, a.y); }
  friend constexpr bool operator==(Vec2, Vec2) = default;
};

// Where a frame stands in another one.
struct Pose2 {
  double x{};    // m
  double y{};    // m
  double yaw{};  // rad
  friend constexpr bool operator==(Pose2 const&, Pose2 const&) = default;

  Vec2 position() const { return {x, y}; }
  // A point of this frame, in the outer one.
  Vec2 to_outer(Vec2 p) const {
    auto const c = std::cos(yaw), s = std::sin(yaw);
    return {x + c * p.x - s * p.y, y + s * p.x + c * p.y};
  }
  // A point of the outer frame, in this one.
  Vec2 to_local(Vec2 p) const {
    auto const c = std::cos(yaw), s = std::sin(yaw);
    return {c * (p.x - x) + s * (p.y - y), -s * (p.x - x) + c * (p.y - y)};
  }
  // This frame followed by one that stands in it.
  Pose2 compose(Pose2 const& inner) const {
    auto const p = to_outer(inner.position());
    return {p.x, p.y, normalised(yaw + inner.yaw)};
  }
};

// Velocity in the robot's own frame.
struct Twist {
  double linear{};   // m/s, + forward
  double angular{};  // rad/s, + counter-clockwise
  friend constexpr bool operator==(Twist const&, Twist const&) = default;
};

inline bool finite(Twist const& t) {
  return std::isfinite(t.linear) && std::isfinite(t.angular);
}

// The pose after `dt` seconds of constant twist (exact arc).
inline Pose2 advance(Pose2 const& pose, Twist const& twist, double dt) {
  auto const turn = twist.angular * dt;
  auto const chord =
      std::abs(turn) < 1e-9 ? twist.linear * dt : 2.0 * twist.linear / twist.angular * std::sin(turn / 2.0);
  auto const heading = pose.yaw + turn / 2.0;
  return {pose.x + chord * std::cos(heading), pose.y + chord * std::sin(heading),
          normalised(pose.yaw + turn)};
}

}  // namespace cy
