#include "arcos_motion.hpp"

#include <algorithm>
#include <cmath>

namespace cy::sim {
namespace {

constexpr double distance_tolerance = 0.003;
constexpr double rest_speed = 0.002;
constexpr double rest_turn = 0.005;

double ramp(double from, double to, double accel, double decel, double dt) {
  // Slowing down, also on the way through zero, goes with decel.
  auto const slowing = from * to < 0.0 || std::abs(to) < std::abs(from);
  auto const limit = (slowing ? decel : accel) * dt;
  if (from * to < 0.0 && std::abs(from) <= limit) return 0.0;
  return from + std::clamp(to - from, -limit, limit);
}

// The highest speed from which `decel` still ends within `way`, in steps of `dt`: the discrete
// form of sqrt(2 d s), without which the last steps overshoot.
double braking_speed(double way, double decel, double dt) {
  auto const half = decel * dt / 2.0;
  return std::max(0.0, std::sqrt(half * half + 2.0 * decel * way) - half);
}

}  // namespace

void Motion::leave_vel2() {
  if (!vel2_) return;
  vel2_ = false;
  translation_ = Speed{};
  rotation_ = Speed{};
}

void Motion::vel(double speed) {
  if (!accepts()) return;
  leave_vel2();
  translation_ = Speed{speed};
}

void Motion::move(double distance) {
  if (!accepts()) return;
  leave_vel2();
  translation_ = Distance{distance};
}

void Motion::rvel(double speed) {
  if (!accepts()) return;
  leave_vel2();
  rotation_ = Speed{speed};
}

void Motion::head(double angle, double now) {
  if (!accepts()) return;
  leave_vel2();
  rotation_ = Heading{now + normalised(angle - now)};
}

void Motion::turn(double delta, double now) {
  if (!accepts()) return;
  leave_vel2();
  rotation_ = Heading{now + delta};
}

void Motion::turn_on(double delta, double now) {
  if (!accepts()) return;
  auto const from = heading_setpoint(now);
  leave_vel2();
  rotation_ = Heading{from + delta};
}

void Motion::vel2(double linear, double angular) {
  if (!accepts()) return;
  vel2_ = true;
  translation_ = Speed{linear};
  rotation_ = Speed{angular};
}

void Motion::stop() {
  vel2_ = false;
  translation_ = Speed{};
  rotation_ = Speed{};
}

void Motion::estop() {
  stop();
  estopping_ = powered_;
}

void Motion::power(bool on) {
  if (on == powered_) return;
  powered_ = on;
  estopping_ = false;
  stop();
}

void Motion::blocked() {
  commanded_ = {};
}

void Motion::shift_heading(double by) {
  if (auto* heading = std::get_if<Heading>(&rotation_)) heading->target += by;
}

bool Motion::wants_motion() const {
  if (!powered_ || held_ || estopping_) return false;
  auto const* speed = std::get_if<Speed>(&translation_);
  auto const* turn = std::get_if<Speed>(&rotation_);
  return speed == nullptr || turn == nullptr || speed->value != 0.0 || turn->value != 0.0;
}

double Motion::heading_setpoint(double now) const {
  auto const* heading = std::get_if<Heading>(&rotation_);
  return heading != nullptr ? heading->target : now;
}

double Motion::wanted_speed(Duration dt, MotionLimits const& limits) const {
  if (auto const* speed = std::get_if<Speed>(&translation_)) {
    return std::clamp(speed->value, -limits.speed, limits.speed);
  }
  auto const left = std::get<Distance>(translation_).remaining;
  if (std::abs(left) < distance_tolerance) return 0.0;
  auto const speed = std::min(limits.speed, braking_speed(std::abs(left), limits.decel, seconds(dt)));
  return std::copysign(speed, left);
}

double Motion::wanted_turn(Duration dt, MotionLimits const& limits, double heading) const {
  if (auto const* speed = std::get_if<Speed>(&rotation_)) {
    return std::clamp(speed->value, -limits.turn, limits.turn);
  }
  // The set-point is held after it was reached, as a heading servo does.
  auto const left = std::get<Heading>(rotation_).target - heading;
  if (std::abs(left) < radians(0.1)) return 0.0;
  auto const speed = std::min(
      {limits.turn, braking_speed(std::abs(left), limits.turn_decel, seconds(dt)), std::abs(left) / 0.1});
  return std::copysign(speed, left);
}

Twist Motion::step(Duration dt, MotionLimits const& limits, double heading, double moved,
                   Twist const& measured) {
  if (auto* distance = std::get_if<Distance>(&translation_)) {
    distance->remaining -= moved;
    auto const resting = std::abs(measured.linear) < rest_speed && std::abs(commanded_.linear) < rest_speed;
    if (std::abs(distance->remaining) < distance_tolerance && resting) translation_ = Speed{};
  }
  auto const s = seconds(dt);
  if (!powered_) {
    commanded_.linear = ramp(commanded_.linear, 0.0, 0.0, unpowered_decel, s);
    commanded_.angular = ramp(commanded_.angular, 0.0, 0.0, unpowered_turn_decel, s);
    return commanded_;
  }
  if (estopping_) {
    commanded_.linear = ramp(commanded_.linear, 0.0, 0.0, estop_decel, s);
    commanded_.angular = ramp(commanded_.angular, 0.0, 0.0, estop_turn_decel, s);
    auto const resting = std::abs(measured.linear) < rest_speed && std::abs(measured.angular) < rest_turn;
    if (commanded_ == Twist{} && resting) estopping_ = false;
    return commanded_;
  }
  auto const speed = held_ ? 0.0 : wanted_speed(dt, limits);
  auto const turn = held_ ? 0.0 : wanted_turn(dt, limits, heading);
  commanded_.linear = ramp(commanded_.linear, speed, limits.accel, limits.decel, s);
  commanded_.angular = ramp(commanded_.angular, turn, limits.turn_accel, limits.turn_decel, s);
  return commanded_;
}

}  // namespace cy::sim
