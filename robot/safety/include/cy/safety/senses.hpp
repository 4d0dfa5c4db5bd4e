// What the robot itself says, with the time it said it: all that the gate believes.
#pragma once

#include <cy/model/describe.hpp>
#include <cy/safety/track.hpp>

#include <vector>

namespace cy {

struct Disc {
  Mount mount;               // robot's frame
  double range{};            // m from its face, when heard
  bool heard{};              // an echo came back
  std::optional<Time> at{};  // when it was measured; none: never, or nonsense
  Pose2 from{};              // where the robot stood then, on its track
};

struct Ring {
  PartId part;
  bool on{};  // enabled and not silent
  std::vector<Disc> discs;
};

struct Bumper {
  PartId part;
  std::vector<Mount> segments;
  std::uint32_t pressed{};
};

class Senses {
 public:
  void on_robot(RobotInfo const& info);
  // A part's state as it comes from the driver. Unknown and malformed ones change nothing.
  void on_observed(PartId part, wire::Raw state, Time now);
  // What was known of the moment is not known any more (the device has gone).
  void forget();

  Footprint const& footprint() const { return footprint_; }
  BaseLimits const& limits() const { return limits_; }
  std::vector<Ring> const& rings() const { return rings_; }
  std::vector<Bumper> const& bumpers() const { return bumpers_; }

  // None: nothing has been reported yet.
  std::optional<BaseState> const& base() const { return base_; }
  Time base_at() const { return base_at_; }
  bool base_fresh(Time now, Duration longest) const { return base_ && now - base_at_ < longest; }

  bool stalled() const { return base_ && (base_->stall_left || base_->stall_right); }
  bool bumped() const;
  // Where the robot is and was, as far as its base tells.
  Track const& track() const { return track_; }

 private:
  Footprint footprint_;
  BaseLimits limits_;
  std::vector<Ring> rings_;
  std::vector<Bumper> bumpers_;
  std::optional<BaseState> base_;
  Time base_at_{};
  Track track_;
};

}  // namespace cy
