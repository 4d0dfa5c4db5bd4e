// What a receiver counts of a stream, put together into reports that a rate controller reads.
//
// Delays are capture to complete. The slope of the delay over a report's span is a least-squares
// line: positive while a queue on the way fills, before anything is lost.
#pragma once

#include <cy/media/messages.hpp>

namespace cy::media {

class FrameStats {
 public:
  void on_block(VideoBlock const& block);
  void on_duplicate() { ++report_.blocks_duplicate; }
  void on_shown(Duration delay, bool clean, Time now);
  // What a frame lacked: so many blocks, in so many runs of neighbours.
  struct Gaps {
    std::size_t blocks{}, runs{};
  };
  // A frame given up.
  void on_dropped(Gaps gaps);
  // A frame that parity completed.
  void on_restored(Gaps gaps);
  // A frame given up that would have been complete by now.
  void on_late() { ++report_.frames_late; }
  // So many frames of which no block was seen.
  void on_unseen(std::uint32_t frames);
  // The sender started anew: its numbers mean nothing beside the old ones.
  void on_restart() { seen_ = false; }

  // What was counted since the previous call.
  ReceiverReport take(StreamId stream, Time now);

 private:
  ReceiverReport report_;
  bool seen_{};
  bool started_{};
  Time since_{};
  std::optional<Duration> last_delay_;
  double jitter_{};  // s
  double n_{}, sum_t_{}, sum_d_{}, sum_tt_{}, sum_td_{};
};

}  // namespace cy::media
