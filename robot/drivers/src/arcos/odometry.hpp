// A controller's rolling x, y and heading, unwrapped into one pose.
//
// The controller counts in 15 bits (16 m or 33 m around) and starts again at SETO, at a reset and
// for a new session. Position is added up from differences; heading is taken as it stands, since
// the differences are in its frame. Whenever a difference cannot be trusted the pose stays where
// it is and the epoch counts up: whoever integrates poses must begin again there.
#pragma once

#include <cy/base/geometry.hpp>
#include <cy/base/time.hpp>
#include <cy/codec/arcos.hpp>

#include "generation.hpp"
#include <optional>

namespace cy::arcos {

// The signed difference of two 15-bit counts, by the shorter way.
constexpr int difference_15(std::uint16_t now, std::uint16_t before) {
  auto const d = (now - before) & 0x7fff;
  return d >= 0x4000 ? d - 0x8000 : d;
}

class Odometry {
 public:
  // Longer than this without a report, and what happened in between is not known.
  static constexpr Duration gap = 1s;
  // A step is believed up to twice the fastest P3-DX, and a little for reports that bunch up.
  static constexpr double slack = 0.25;  // m

  Pose2 const& pose() const { return pose_; }
  std::uint32_t epoch() const { return epoch_; }
  std::uint64_t jumps() const { return jumps_; }

  // The controller has forgotten where it is: a new session.
  void rebase() {
    origin_.reset();
    ++epoch_;
  }
  // SETO went out: zero here and, within a moment, at the controller.
  void zeroed(Time now) {
    pose_ = {0.0, 0.0, pose_.yaw};
    ++epoch_;
    zeroing_until_ = now + 500ms;
  }

  void update(Sip const& sip, Generation const& g, Time now) {
    if (origin_) {
      auto const dx = g.metres * difference_15(sip.x, origin_->x);
      auto const dy = g.metres * difference_15(sip.y, origin_->y);
      auto const dt = now - origin_->at;
      auto const believable = 2.0 * speed_max * seconds(dt) + slack;
      auto const trusted = dt <= gap && std::hypot(dx, dy) <= believable;
      auto const x = g.metres * difference_15(sip.x, 0), y = g.metres * difference_15(sip.y, 0);
      if (zeroing_until_ && std::hypot(x, y) <= std::hypot(dx, dy)) {
        // The reset itself: nearer to zero than to where it was.
        zeroing_until_.reset();
        pose_.x = x;
        pose_.y = y;
      } else if (trusted) {
        pose_.x += dx;
        pose_.y += dy;
      } else {
        ++epoch_;
        ++jumps_;
      }
    }
    if (zeroing_until_ && now > *zeroing_until_) zeroing_until_.reset();
    pose_.yaw = normalised(sip.heading * radians_per_unit);
    origin_ = Origin{sip.x, sip.y, now};
  }

 private:
  struct Origin {
    std::uint16_t x, y;
    Time at;
  };
  std::optional<Origin> origin_;
  std::optional<Time> zeroing_until_;
  Pose2 pose_;
  std::uint32_t epoch_{1};
  std::uint64_t jumps_{};
};

}  // namespace cy::arcos
