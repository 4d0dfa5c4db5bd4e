#include <cy/tasks/trail.hpp>

namespace cy {

void Trail::on_base(BaseState const& base) {
  auto const& pose = base.pose;
  if (!std::isfinite(pose.x) || !std::isfinite(pose.y) || !std::isfinite(pose.yaw)) return;
  if (base.odometry_epoch != epoch_) {
    poses_.clear();
    epoch_ = base.odometry_epoch;
  }
  if (!poses_.empty()) {
    auto const step = norm(pose.position() - poses_.back().position());
    if (step > options_.jump)
      poses_.clear();
    else if (step < options_.spacing && std::abs(normalised(pose.yaw - poses_.back().yaw)) < options_.turn)
      return;
  }
  poses_.push_back(pose);
  if (poses_.size() > options_.longest) poses_.pop_front();
}

double Trail::length() const {
  auto total = 0.0;
  for (std::size_t i = 1; i < poses_.size(); ++i)
    total += norm(poses_[i].position() - poses_[i - 1].position());
  return total;
}

}  // namespace cy
