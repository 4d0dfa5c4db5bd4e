// The way a robot came, as poses of its odometry, oldest first.
//
// Fed with every report. A new odometry epoch (reset, reconnect, gap) begins a new trail: what
// lies before a jump is nowhere that one could drive to.
#pragma once

#include <cy/model/state.hpp>

#include <deque>

namespace cy {

struct TrailOptions {
  double spacing = 0.05;       // m between two poses: a tenth of a robot
  double turn = radians(5.0);  // or this much of a turn
  double jump = 1.0;           // m in one report: no robot drives that; a new trail
  std::size_t longest = 4000;  // poses: 200 m; the oldest go first
};

class Trail {
 public:
  explicit Trail(TrailOptions options = {}) : options_(options) {}

  void on_base(BaseState const& base);
  void clear() { poses_.clear(); }
  std::deque<Pose2> const& poses() const { return poses_; }
  std::uint32_t epoch() const { return epoch_; }
  double length() const;  // m

 private:
  TrailOptions options_;
  std::deque<Pose2> poses_;
  std::uint32_t epoch_{};
};

}  // namespace cy
