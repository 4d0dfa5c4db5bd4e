// Roams: ahead where the sonars hear room, away from what is near, back and round where it is
// stuck. After Braitenberg's vehicles (1984) with the recovery that every Pioneer demo has.
#include <cy/tasks/task.hpp>

#include <algorithm>

namespace cy {
namespace {

struct WanderOptions {
  double speed = 0.25;  // m/s
  double turn = 0.7;    // rad/s
  double near = 0.55;   // m from the disc: turn on the spot
  double wary = 1.2;    // m: begin to bend away
  Duration back_for = 1500ms;
  Duration turn_for = 2s;  // a good quarter at 0.7 rad/s
  Duration stuck_after = 3s;
  double step_on = 0.03;  // m or rad: it moves
};

class Wander final : public Task {
 public:
  explicit Wander(WanderOptions options) : options_(options) {}
  bool handles_touch() const override { return true; }

  Intent step(Observation const& seen) override {
    if (seen.base == nullptr) return {{}, TaskPhase::failed, "the robot does not say how it moves"};
    auto const free = look(seen);
    if (!free) return {{}, std::nullopt, "no sonar hears anything: waiting"};

    auto const& pose = seen.base->pose;
    auto const hit = seen.base->stall_left || seen.base->stall_right ||
                     (seen.bumper != nullptr && seen.bumper->pressed != 0);
    auto const moved =
        std::abs(pose.x - from_.x) + std::abs(pose.y - from_.y) + std::abs(normalised(pose.yaw - from_.yaw)) >
        options_.step_on;
    if (moved || !began_) {
      began_ = true;
      from_ = pose;
      moved_at_ = seen.now;
    }
    auto const stuck = seen.now - moved_at_ >= options_.stuck_after;
    if ((hit || stuck) && seen.now >= turn_until_) {
      back_until_ = seen.now + options_.back_for;
      turn_until_ = back_until_ + options_.turn_for;
      moved_at_ = seen.now;
      way_ = free->left >= free->right ? 1.0 : -1.0;
    }
    if (seen.now < back_until_) return {{-options_.speed / 2, 0}, std::nullopt, "backing off"};
    if (seen.now < turn_until_) return {{0, way_ * options_.turn}, std::nullopt, "turning away"};

    if (free->ahead < options_.near) {
      // Keep to the side once chosen, or a corner makes it swing for ever.
      if (way_ == 0) way_ = free->left >= free->right ? 1.0 : -1.0;
      return {{0, way_ * options_.turn}, std::nullopt, "turning away"};
    }
    way_ = 0;
    auto const room = std::clamp((free->ahead - options_.near) / (options_.wary - options_.near), 0.0, 1.0);
    auto const pull = std::clamp((free->left - free->right) / options_.wary, -1.0, 1.0);
    return {{options_.speed * (0.3 + 0.7 * room), 0.5 * options_.turn * pull * (1.0 - 0.5 * room)},
            std::nullopt,
            "wandering"};
  }

 private:
  struct Free {
    double ahead, left, right;  // m, capped at `wary`
  };

  std::optional<Free> look(Observation const& seen) const {
    if (seen.sonar == nullptr || seen.sonar_part == nullptr || !seen.sonar->enabled || seen.sonar->silent)
      return std::nullopt;
    Free free{options_.wary, options_.wary, options_.wary};
    auto heard_any = false;
    auto const count = std::min(seen.sonar->discs.size(), seen.sonar_part->elements.size());
    for (std::size_t i = 0; i < count; ++i) {
      auto const& disc = seen.sonar->discs[i];
      if (disc.age_ms > 2000 || !std::isfinite(disc.range)) continue;
      heard_any = true;
      if (!disc.heard) continue;
      auto const yaw = normalised(seen.sonar_part->elements[i].yaw);
      auto const range = std::min(static_cast<double>(std::max(disc.range, 0.0f)), options_.wary);
      if (std::abs(yaw) < radians(40)) free.ahead = std::min(free.ahead, range);
      if (yaw > radians(5) && yaw < radians(100)) free.left = std::min(free.left, range);
      if (yaw < -radians(5) && yaw > -radians(100)) free.right = std::min(free.right, range);
    }
    if (!heard_any) return std::nullopt;
    return free;
  }

  WanderOptions options_;
  bool began_{};
  Pose2 from_;
  Time moved_at_{};
  Time back_until_{};
  Time turn_until_{};
  double way_{};  // +1 left, -1 right, 0 not chosen
};

}  // namespace

Result<std::unique_ptr<Task>> make_wander(TaskConfig const& config) {
  WanderOptions options;
  if (auto const ok = config.only({"speed"}); !ok) return tl::unexpected(ok.error());
  auto const speed = config.number("speed", options.speed, 0.02, 0.5);
  if (!speed) return tl::unexpected(speed.error());
  options.speed = *speed;
  return std::make_unique<Wander>(options);
}

}  // namespace cy
