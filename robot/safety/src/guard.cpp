#include <cy/safety/gate.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace cy {
namespace {

// The outline as a rectangle about its own centre.
struct Outline {
  double centre{};  // m, ahead of the turning centre
  double half_length{};
  double half_width{};
  double reach{};  // m, of the farthest corner from the turning centre

  explicit Outline(Footprint const& f) {
    auto const known = [](double v) { return std::isfinite(v) && v > 0; };
    auto const radius = known(f.radius) ? f.radius : 0.3;
    auto const front = known(f.front) ? f.front : radius;
    auto const rear = known(f.rear) ? f.rear : radius;
    half_width = known(f.half_width) ? f.half_width : radius;
    centre = (front - rear) / 2;
    half_length = (front + rear) / 2;
    reach = std::hypot(std::max(front, rear), half_width);
  }

  // Distance of a point of the robot's frame; negative inside.
  double to(Vec2 p) const {
    auto const dx = std::abs(p.x - centre) - half_length;
    auto const dy = std::abs(p.y) - half_width;
    if (dx > 0 && dy > 0) return std::hypot(dx, dy);
    return std::max(dx, dy);
  }
};

struct Way {
  // 2 cm a step, less where the horizon is far: contact is found at the latest one step late,
  // and one step is given back.
  static constexpr std::size_t most_steps = 160;
  std::array<Pose2, most_steps> poses;
  std::size_t steps{};
  double step{};  // s at the full twist

  Way(Twist const& twist, double speed, double horizon) {
    step = std::max(0.02 / speed, horizon / static_cast<double>(most_steps - 1));
    steps = std::min(most_steps, static_cast<std::size_t>(horizon / step) + 2);
    for (std::size_t i = 0; i < steps; ++i) poses[i] = advance({}, twist, step * static_cast<double>(i));
  }

  // Seconds at the full twist until the point is within the margin and nearer than now.
  std::optional<double> contact(Outline const& outline, Vec2 point, double margin) const {
    auto const now = outline.to(point);
    for (std::size_t i = 1; i < steps; ++i) {
      auto const then = outline.to(poses[i].to_local(point));
      if (then < margin && then < now - 1e-3) return step * static_cast<double>(i - 1);
    }
    return std::nullopt;
  }
};

double positive_or(double value, double otherwise) {
  return std::isfinite(value) && value > 0 ? value : otherwise;
}

// Does a disc that faces `yaw` look where the twist goes? Turning in place sweeps all round.
bool looks_along(double yaw, Twist const& twist) {
  if (std::abs(twist.linear) < 1e-6) return true;
  return std::cos(yaw) * (twist.linear > 0 ? 1.0 : -1.0) > 0.5;
}

}  // namespace

double speed_within(double distance, double deceleration, Duration reaction) {
  if (!(distance > 0) || !(deceleration > 0)) return 0;
  auto const t = std::max(0.0, seconds(reaction));
  return deceleration * (std::sqrt(t * t + 2 * distance / deceleration) - t);
}

Clearance clearance(Senses const& senses, Twist const& twist, GateOptions const& options, Time now) {
  Clearance result;
  auto const& guard = options.guard;
  Outline const outline(senses.footprint());
  auto const speed = std::abs(twist.linear) + std::abs(twist.angular) * outline.reach;
  if (!guard.on || !(speed > 1e-6)) return result;

  auto const& limits = senses.limits();
  auto const braking = std::max(
      std::abs(twist.linear) / (2 * positive_or(limits.linear_deceleration, options.deceleration)),
      std::abs(twist.angular) / (2 * positive_or(limits.angular_deceleration, options.angular_deceleration)));
  auto const reaction = seconds(guard.reaction);
  // A second farther than it must be free, so that creeping is seen to come nearer, too.
  Way const way(twist, speed, reaction + braking + 1.0);

  auto const margin = std::abs(twist.linear) < 1e-6 ? guard.turning_margin : guard.margin;
  auto const judge = [&](Vec2 point) {
    auto const free = way.contact(outline, point, margin);
    if (!free) return;
    // k·T + k²·b ≤ u, solved for k without a difference of like numbers
    auto const scale = 2 * *free / (reaction + std::sqrt(reaction * reaction + 4 * braking * *free));
    if (scale < result.scale) {
      result.scale = std::max(0.0, scale);
      result.distance = std::max(0.0, outline.to(point));
    }
  };

  auto const here = senses.track().at(now);
  auto deaf = false, seen = false;
  for (auto const& ring : senses.rings()) {
    for (auto const& disc : ring.discs) {
      if (!ring.on || !disc.at || now - *disc.at > guard.disc_too_old) {
        deaf = deaf || looks_along(disc.mount.yaw, twist);
        continue;
      }
      seen = seen || looks_along(disc.from.yaw + disc.mount.yaw - here.yaw, twist);
      if (!disc.heard) continue;
      for (auto const off : {-guard.beam, 0.0, guard.beam}) {
        auto const bearing = disc.mount.yaw + off;
        judge(here.to_local(disc.from.to_outer(
            {disc.mount.x + disc.range * std::cos(bearing), disc.mount.y + disc.range * std::sin(bearing)})));
      }
    }
  }
  result.blind = deaf || !seen;
  // What a bumper touches is where the bumper is.
  for (auto const& bumper : senses.bumpers())
    for (std::size_t i = 0; i < bumper.segments.size() && i < 32; ++i)
      if ((bumper.pressed >> i & 1u) != 0) judge({bumper.segments[i].x, bumper.segments[i].y});
  return result;
}

}  // namespace cy
