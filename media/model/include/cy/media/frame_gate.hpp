// Thins pictures out to a frame rate, evenly, by their capture times.
#pragma once

#include <cy/base/time.hpp>

#include <algorithm>
#include <optional>

namespace cy::media {

class FrameGate {
 public:
  explicit FrameGate(double fps) { set(fps); }
  // Precondition: fps > 0.
  void set(double fps) { interval_ = from_seconds(1.0 / fps); }

  // True when the picture is one of those to keep. A picture may be a quarter of an interval early,
  // and a source that is up to 2 % faster than wished passes whole: clocks differ.
  bool pass(Time captured) {
    if (due_ && captured < *due_ - interval_ / 4) return false;
    if (!due_ || captured > *due_ + 4 * interval_) {
      due_ = captured + interval_;  // a pause is not made up for; a hiccup is
    } else {
      auto const early = std::max(Duration{}, *due_ - captured);
      *due_ += interval_ - std::min(early, interval_ / 50);
    }
    return true;
  }

 private:
  Duration interval_{};
  std::optional<Time> due_;
};

}  // namespace cy::media
