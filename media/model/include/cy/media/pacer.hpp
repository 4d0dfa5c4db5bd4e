// Says when each block of a frame may go out, so that a keyframe does not hit the link as one burst
// and does not stand in front of the commands.
//
// The first `burst` blocks of a frame go at once; the rest are spread over `spread`, a part of the
// frame interval, so that pacing costs small frames nothing and large ones less than a frame.
// Newest wins: when a keyframe comes, frames whose sending has not begun are dropped. The queue is
// bounded; when it overflows the newcomer and every frame that builds on it are refused until the
// next keyframe, and `starved()` says that one is wanted.
//
// The pacer knows sizes, not data: the owner keeps the frames and cuts the block that next() names.
#pragma once

#include <cy/media/blocks.hpp>

#include <deque>

namespace cy::media {

struct PacerOptions {
  std::size_t burst = 10;  // blocks; a 2 Mbit/s frame at 30 Hz has 8
  Duration spread = 8ms;   // a quarter of the interval at 30 Hz
  Duration tick = 1ms;     // blocks due within one go together: no timer fires more often
  std::size_t frames = 3;  // queued at most; two or more
};

struct Piece {
  std::uint32_t frame{};
  std::uint16_t block{};
  bool last{};  // of its frame: the owner may forget it
};

class Pacer {
 public:
  explicit Pacer(PacerOptions options = {}) : options_(options) {}

  // A frame of so many blocks is there to be sent. False when it was refused.
  bool on_frame(std::uint32_t number, bool key, std::size_t blocks, Time now);
  // The next block that may go now.
  std::optional<Piece> next(Time now);
  std::optional<Time> deadline() const;
  // Frames that were queued and will not be sent (any more); appended in order.
  void drain_dropped(std::vector<std::uint32_t>& into);

  // Frames are refused until a keyframe comes.
  bool starved() const { return starved_; }
  std::size_t queued() const { return queue_.size(); }
  std::uint64_t dropped() const { return dropped_count_; }

 private:
  struct Entry {
    std::uint32_t number{};
    std::size_t blocks{};
    std::size_t sent{};
    Time start{};
  };
  Time due(Entry const& entry) const;

  PacerOptions options_;
  std::deque<Entry> queue_;
  std::vector<std::uint32_t> dropped_;
  std::uint64_t dropped_count_{};
  bool starved_{};
};

}  // namespace cy::media
