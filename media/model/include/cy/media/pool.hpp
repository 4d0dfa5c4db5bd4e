// The multi-level pool: blocks in any order go in, the frames that are to be shown come out.
//
// One level a frame, a fixed number of levels, and the paper's three rules:
//   1. A block whose frame has no level: if it is newer than the oldest level, insert a level for it
//      with the block and delete the oldest; if it is older than the oldest, drop the block.
//   2. A block whose frame has a level: add it, unless that block is there already.
//   3. When a block completes its level: show that frame, then release it and every older level.
// Parity blocks are blocks to these rules, and any `blocks` of both kinds complete a level.
// An unused level counts as one of the frame shown last, so the pool is always full and the rules
// hold from the first block on. The paper tells frames apart by time stamp; here the frame number
// does, and the stamp gives the age.
//
// The span (0.2 to 0.4 s in the paper) is a limit and no delay: a complete frame is shown at once,
// and what is older than the span before the newest frame is deleted. One case waits: a frame that
// builds on another which is still on its way could not be decoded anyhow; it is held for
// `patience`, so that two datagrams that swap places cost a moment and not a keyframe.
//
// What is missing of a frame is asked for (Lacking) as soon as it can be told to be lost: when a newer
// frame has begun or nothing more has come for a moment, and only while the answer can still come
// within the span. Meanwhile what builds on that frame is held for the answer.
//
// A frame whose reference was lost comes out with clean = false, and so do all that follow, until
// the next keyframe, which is asked for by Wanted, no more often than once in `keyframe_gap`.
// Frames before the first keyframe are not shown at all.
//
// Pure: after each call drain() has what follows. Memory is bounded by pool_bytes.
#pragma once

#include <cy/media/blocks.hpp>
#include <cy/media/frame_stats.hpp>
#include <cy/media/parity.hpp>

#include <deque>
#include <map>
#include <variant>

namespace cy::media {

struct PoolOptions {
  std::size_t levels = 12;             // 0.4 s at 30 Hz
  Duration span = 400ms;               // between the oldest and the newest level, by capture
  Duration patience = 20ms;            // 0: rule 3 to the letter, also for frames without their reference
  Duration keyframe_gap = 250ms;       // between two Wanted
  unsigned asks = 4;                   // for the rest of one frame; 0: nothing is asked for
  Duration quiet = 4ms;                // after its last block the newest frame counts as sent
  Duration reorder = 2ms;              // datagrams may swap places within it
  Duration repeat = 8ms;               // an ask is sent again so much later, as it may be lost itself
  Duration answer = 16ms;              // that an answer may take beyond the round trip
  std::size_t frame_bytes = 4U << 20;  // larger frames are refused
  std::size_t pool_bytes = 16U << 20;  // of all levels together; their parity is as much again at most
};

// To be shown now. Numbers only grow, except after a sender's restart.
struct Shown {
  std::uint32_t number{};
  std::uint32_t capture_us{};
  bool key{};
  bool clean{};
  Duration delay{};  // capture to now, by the clock offset that was given
  Buffer data;
};

enum class DropReason : std::uint8_t {
  incomplete,   // blocks were missing when a newer frame was shown, or when the pool was full
  overtaken,    // complete, but a newer keyframe came first
  undecodable,  // no keyframe has been shown yet
};
constexpr auto names(DropReason) {
  return std::array<std::string_view, 3>{"incomplete", "overtaken", "undecodable"};
}

// Will not be shown.
struct Dropped {
  std::uint32_t number{};
  DropReason why{};
  std::uint16_t received{}, blocks{};
};

// Goes to the sender as it is.
struct Wanted {
  KeyframeWanted message;
};

// Goes to the sender as it is.
struct Lacking {
  BlocksWanted message;
};

using PoolEffect = std::variant<Shown, Dropped, Wanted, Lacking>;

class Pool {
 public:
  explicit Pool(StreamId stream, PoolOptions options = {});

  void on_block(VideoBlock const& block, Time now);
  void on_time(Time now);
  std::optional<Time> deadline() const;
  // Appends what is to be done, in order.
  void drain(std::vector<PoolEffect>& into);

  // The agent's clock is ours plus this, as the link estimates it; for delays only.
  void on_clock_offset(Duration offset) { offset_ = offset; }
  // Of the link; until it is known nothing is asked for.
  void on_round_trip(Duration rtt) { rtt_ = rtt; }

  ReceiverReport report(Time now);
  std::size_t memory() const;  // bytes, without parity
  std::size_t levels_in_use() const { return levels_.size(); }
  // Blocks that contradicted themselves, their frame or the limits, since the start.
  std::uint64_t refused_blocks() const { return refused_; }
  std::uint64_t restarts() const { return restarts_; }

 private:
  struct Level {
    std::uint32_t number{};
    std::uint32_t capture_us{};
    bool key{};
    std::uint16_t blocks{}, received{};
    std::vector<bool> have;
    Buffer data;
    std::vector<ParityRow> parity;
    Time began{}, touched{};  // when its first and its newest block came
    FrameStats::Gaps gaps() const;
    bool complete() const { return received == blocks; }
  };
  // A frame that is behind us, remembered to tell late blocks from duplicates.
  struct Past {
    std::uint32_t number{};
    std::uint16_t blocks{}, received{};
    std::vector<bool> have;  // parity rows, too
    bool shown{};
  };

  // For the rest of a frame, or for the whole of one that nothing has come of.
  struct Ask {
    Time at{};
    unsigned count{};
    bool repeated{};
  };

  struct Missing {
    std::uint32_t number{};
    std::uint16_t blocks{};  // 0xffff: all of them
    std::uint32_t capture_us{};
    Time due{};  // to be asked for
  };

  enum class Verdict : std::uint8_t { current, late, refused, restart };
  Verdict judge(VideoBlock const& block) const;
  void on_late_block(VideoBlock const& block);
  Level* level_for(VideoBlock const& block, Time now);
  void restart();
  void repair(Level& level);
  void ask(Time now);
  std::vector<Missing> missing() const;
  std::optional<Time> answer_due(std::uint32_t number) const;
  void settle(Time now);
  std::optional<Time> held_until(std::size_t index) const;
  bool ready(std::size_t index, Time now) const;
  void show(std::size_t index, Time now);
  void drop_oldest(std::size_t count);
  void pass(Level const& level);
  void remember(Level&& level, bool shown);
  void want_keyframe(Time now);

  StreamId stream_;
  PoolOptions options_;
  std::vector<Level> levels_;  // oldest first
  std::deque<Past> past_;
  std::optional<std::uint32_t> horizon_;  // this frame and all older ones are decided
  std::uint32_t horizon_capture_{};
  std::optional<std::uint32_t> shown_;  // newest frame shown
  std::optional<std::uint32_t> shown_clean_;
  bool broken_{true};  // what follows lacks its reference
  std::optional<Time> wanted_at_;
  Duration offset_{};
  std::optional<Duration> rtt_;
  std::map<std::uint32_t, Ask> asks_;  // by frame; those that are behind us are gone
  FrameStats stats_;
  std::vector<PoolEffect> effects_;
  std::uint64_t refused_{}, restarts_{};
};

}  // namespace cy::media
