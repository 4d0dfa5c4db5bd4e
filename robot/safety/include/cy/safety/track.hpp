// Where the robot has been in the last seconds, so that what was heard on the way stays where it was.
//
// A frame of its own, made of the differences of the reported poses. Where the odometry begins anew
// (another epoch, a pose that is no number) there is none to take: the robot went on as it moved.
#pragma once

#include <cy/base/time.hpp>
#include <cy/model/state.hpp>

#include <deque>
#include <optional>

namespace cy {

class Track {
 public:
  static constexpr Duration kept = 5s;

  void on_base(BaseState const& base, Time now);
  // Between two reports: on the line between them. After the newest: on, as it said that it moved.
  // Before the oldest: there.
  Pose2 at(Time t) const;
  void clear();

 private:
  struct Mark {
    Time at;
    Pose2 pose;
  };
  std::deque<Mark> marks_;  // oldest first
  Twist twist_;             // at the newest mark
  std::optional<Pose2> reported_;
  std::uint32_t epoch_{};
};

}  // namespace cy
