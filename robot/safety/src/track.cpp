#include <cy/safety/track.hpp>

#include <algorithm>

namespace cy {
namespace {

// How `to` stands in the frame of `from`.
Pose2 seen_from(Pose2 const& from, Pose2 const& to) {
  auto const p = from.to_local(to.position());
  return {p.x, p.y, normalised(to.yaw - from.yaw)};
}

}  // namespace

void Track::on_base(BaseState const& base, Time now) {
  auto const& pose = base.pose;
  auto const known = std::isfinite(pose.x) && std::isfinite(pose.y) && std::isfinite(pose.yaw);
  auto const goes_on = known && reported_ && base.odometry_epoch == epoch_;
  auto const next = goes_on ? marks_.back().pose.compose(seen_from(*reported_, pose)) : at(now);
  marks_.push_back({now, next});
  while (now - marks_.front().at > kept) marks_.pop_front();
  twist_ = finite(base.twist) ? base.twist : Twist{};
  reported_ = known ? std::optional(pose) : std::nullopt;
  epoch_ = base.odometry_epoch;
}

Pose2 Track::at(Time t) const {
  if (marks_.empty()) return {};
  if (t <= marks_.front().at) return marks_.front().pose;
  auto const& newest = marks_.back();
  if (t >= newest.at) return advance(newest.pose, twist_, seconds(t - newest.at));
  auto const after =
      std::upper_bound(marks_.begin(), marks_.end(), t, [](Time v, Mark const& m) { return v < m.at; });
  auto const& a = *(after - 1);
  auto const share = seconds(t - a.at) / seconds(after->at - a.at);
  auto const step = seen_from(a.pose, after->pose);
  return a.pose.compose({share * step.x, share * step.y, share * step.yaw});
}

void Track::clear() {
  marks_.clear();
  reported_.reset();
  twist_ = {};
}

}  // namespace cy
