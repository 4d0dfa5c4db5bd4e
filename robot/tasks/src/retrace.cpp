// Drives back along the way the robot came, tail first, for a set distance: mostly to be heard
// again where the link was lost.
//
// Pure pursuit (Coulter 1992, CMU-RI-TR-92-01) on the recorded trail, with the curvature 2y/L²
// to a point a look-ahead L back on the trail. It never turns round: where it came forwards there
// is room backwards. Where the trail turned in place it turns in place.
#include <cy/tasks/task.hpp>

#include <algorithm>

namespace cy {
namespace {

struct RetraceOptions {
  double distance = 5.0;     // m
  double speed = 0.25;       // m/s: what a guard without eyes may drive, too
  double look_ahead = 0.35;  // m: shorter swings, longer cuts corners
  double turn_rate = 0.5;    // rad/s
  double arrived = 0.08;     // m
  double off_trail = 0.6;    // m: no longer on the way it came
  Duration blocked = 5s;     // without a step on: give up
  double step_on = 0.02;     // m
};

class Retrace final : public Task {
 public:
  explicit Retrace(RetraceOptions options) : options_(options) {}

  Intent step(Observation const& seen) override {
    if (seen.base == nullptr) return {{}, TaskPhase::failed, "the robot does not say where it is"};
    auto const& pose = seen.base->pose;
    if (!std::isfinite(pose.x) || !std::isfinite(pose.y) || !std::isfinite(pose.yaw))
      return {{}, TaskPhase::failed, "the robot's position is no number"};
    if (!begun_) {
      begun_ = true;
      epoch_ = seen.base->odometry_epoch;
      moved_at_ = seen.now;
      moved_from_ = pose;
      if (seen.trail && seen.trail->epoch() == epoch_) take(*seen.trail);
    }
    if (seen.base->odometry_epoch != epoch_)
      return {{}, TaskPhase::failed, "the odometry has jumped: the way back is not known any more"};
    if (way_.empty()) return {{}, TaskPhase::finished, "there is no way to go back on", 1.0};

    // What lies within reach has been passed; the rest of the way is what is left.
    while (!way_.empty() && passed(pose)) way_.pop_back();
    if (way_.empty()) return {{}, TaskPhase::finished, "back as far as it was told", 1.0};
    auto const off = norm(way_.back().position() - pose.position());
    if (off > options_.off_trail) return {{}, TaskPhase::failed, "it has left the way it came"};
    if (norm(pose.position() - moved_from_.position()) > options_.step_on ||
        std::abs(normalised(pose.yaw - moved_from_.yaw)) > options_.step_on) {
      moved_at_ = seen.now;
      moved_from_ = pose;
    } else if (seen.now - moved_at_ >= options_.blocked) {
      return {{}, TaskPhase::failed, "something is in the way back"};
    }
    auto const fraction = 1.0 - static_cast<double>(way_.size()) / static_cast<double>(poses_);
    return {towards(pose), std::nullopt, "driving back", std::clamp(fraction, 0.0, 1.0)};
  }

 private:
  // The last `distance` of the trail, oldest first: the next goal is the back.
  void take(Trail const& trail) {
    auto const& poses = trail.poses();
    if (poses.empty()) return;
    auto from = poses.size() - 1;
    for (auto left = options_.distance; from > 0 && left > 0; --from)
      left -= norm(poses[from].position() - poses[from - 1].position());
    way_.assign(poses.begin() + static_cast<std::ptrdiff_t>(from), poses.end());
    poses_ = way_.size();
  }

  bool passed(Pose2 const& pose) const {
    auto const& goal = way_.back();
    auto const near = norm(goal.position() - pose.position()) < options_.arrived;
    if (way_.size() == 1) return near;
    // A turn in place must be undone before the way goes on from there.
    auto const& beyond = way_[way_.size() - 2];
    auto const turns = norm(goal.position() - beyond.position()) < 0.02;
    if (near && turns) return std::abs(normalised(goal.yaw - pose.yaw)) < radians(8.0);
    // Ahead of the tail's axle: driven past.
    return near || pose.to_local(goal.position()).x > 0.0;
  }

  Twist towards(Pose2 const& pose) const {
    auto const& next = way_.back();
    if (way_.size() > 1 && norm(next.position() - pose.position()) < options_.arrived) {
      auto const turn = normalised(next.yaw - pose.yaw);
      return {0, std::clamp(1.5 * turn, -options_.turn_rate, options_.turn_rate)};
    }
    auto goal = next;
    for (auto i = way_.rbegin(); i != way_.rend(); ++i) {
      goal = *i;
      if (norm(goal.position() - pose.position()) >= options_.look_ahead) break;
    }
    auto const local = pose.to_local(goal.position());
    auto const reach2 = std::max(dot(local, local), 0.01);
    // Tail first: the same circle, driven the other way.
    auto const curvature = 2.0 * local.y / reach2;
    auto speed = options_.speed;
    if (std::abs(curvature) * speed > options_.turn_rate) speed = options_.turn_rate / std::abs(curvature);
    return {-speed, -speed * curvature};
  }

  RetraceOptions options_;
  std::vector<Pose2> way_;
  std::size_t poses_{1};
  bool begun_{};
  std::uint32_t epoch_{};
  Time moved_at_{};
  Pose2 moved_from_;
};

}  // namespace

Result<std::unique_ptr<Task>> make_retrace(TaskConfig const& config) {
  RetraceOptions options;
  if (auto const ok = config.only({"distance", "speed"}); !ok) return tl::unexpected(ok.error());
  auto const distance = config.number("distance", options.distance, 0.1, 100.0);
  if (!distance) return tl::unexpected(distance.error());
  auto const speed = config.number("speed", options.speed, 0.02, 0.5);
  if (!speed) return tl::unexpected(speed.error());
  options.distance = *distance;
  options.speed = *speed;
  return std::make_unique<Retrace>(options);
}

}  // namespace cy
