#include <cy/world/world.hpp>

#include <cmath>

namespace cy::sim {

WheelMotion::WheelMotion(WheelModel model, Profile profile, Seed seed)
    : model_(model), profile_(profile), random_(seed), half_track_(model.half_track) {
  if (profile_ == Profile::ideal) return;
  left_scale_ = random_.normal(1.0, model_.scale_sigma);
  right_scale_ = random_.normal(1.0, model_.scale_sigma);
  half_track_ *= random_.normal(1.0, model_.track_sigma);
}

WheelStep WheelMotion::step(double left, double right, Duration duration) {
  auto const dt = seconds(duration);
  if (!(dt > 0.0) || !std::isfinite(left) || !std::isfinite(right)) return {};
  WheelStep out;
  double true_left, true_right;
  if (profile_ == Profile::ideal) {
    left_speed_ = left;
    right_speed_ = right;
    out.left = true_left = left * dt;
    out.right = true_right = right * dt;
  } else {
    auto const tau = std::max(1e-6, seconds(model_.lag));
    auto const rest = std::exp(-dt / tau);
    // The exact integral of a first-order lag towards the wanted speed.
    auto const roll = [&](double& speed, double wanted) {
      auto const way = wanted * dt + (speed - wanted) * tau * (1.0 - rest);
      speed = wanted + (speed - wanted) * rest;
      if (std::abs(speed - wanted) < 1e-4) speed = wanted;
      return way;
    };
    out.left = roll(left_speed_, left);
    out.right = roll(right_speed_, right);
    // A random walk: its variance grows with the way.
    auto const slip = [&](double way, double scale) {
      return way * scale + random_.normal(0.0, model_.slip_sigma * std::sqrt(std::abs(way) * 0.01));
    };
    true_left = slip(out.left, left_scale_);
    true_right = slip(out.right, right_scale_);
  }
  out.twist = {(true_left + true_right) / (2.0 * dt), (true_right - true_left) / (2.0 * half_track_ * dt)};
  return out;
}

void WheelMotion::stall() {
  left_speed_ = 0.0;
  right_speed_ = 0.0;
}

Pose2 integrate_odometry(Pose2 const& pose, double left, double right, double half_track) {
  return advance(pose, {(left + right) / 2.0, (right - left) / (2.0 * half_track)}, 1.0);
}

}  // namespace cy::sim
