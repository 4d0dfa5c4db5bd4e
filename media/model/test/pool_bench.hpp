// A pool with a sender beside it, in virtual time.
#pragma once

#include <cy/media/pool.hpp>

#include <set>

namespace cy::media {

struct SenderShape {
  std::uint16_t blocks = 2;
  bool all_keys = false;
  std::uint32_t first_key = 0;  // number of the first keyframe
  Duration interval = 33ms;
  std::uint32_t capture_base = 10'000'000;
};

struct PoolBench {
  explicit PoolBench(PoolOptions options = {}, SenderShape s = {})
      : shape(s), pool(StreamId{7}, options), keys{s.first_key, 5000} {}

  static constexpr std::size_t block_bytes = 100;

  void key(std::uint32_t number) { keys.insert(number); }
  std::uint32_t capture(std::uint32_t number) const {
    return shape.capture_base +
           number * static_cast<std::uint32_t>(
                        std::chrono::duration_cast<std::chrono::microseconds>(shape.interval).count());
  }
  // Frames differ in content and in size.
  Buffer content(std::uint32_t number) const {
    Buffer data(shape.blocks * block_bytes - number % 7);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(number * 31 + i * 7);
    return data;
  }
  VideoBlock block(std::uint32_t number, std::size_t index,
                   std::optional<std::uint32_t> captured = {}) const {
    VideoBlock b;
    auto const is_key = shape.all_keys || keys.count(number) > 0;
    cut_block({StreamId{7}, number, captured.value_or(capture(number)), is_key}, content(number), block_bytes,
              index, b);
    return b;
  }

  void give(VideoBlock const& b) {
    pool.on_block(b, now);
    collect();
  }
  void feed(std::uint32_t number, std::vector<std::size_t> const& blocks,
            std::optional<std::uint32_t> captured = {}) {
    for (auto const index : blocks) give(block(number, index, captured));
  }
  void feed_all(std::uint32_t number) {
    for (std::size_t i = 0; i < shape.blocks; ++i) give(block(number, i));
  }
  // Lets time pass, with on_time at each deadline on the way.
  void wait(Duration d) {
    auto const end = now + d;
    while (auto const at = pool.deadline()) {
      if (*at > end) break;
      now = std::max(now, *at);
      pool.on_time(now);
      collect();
    }
    now = end;
  }

  void collect() {
    std::vector<PoolEffect> effects;
    pool.drain(effects);
    for (auto& effect : effects) {
      if (auto* const s = std::get_if<Shown>(&effect)) {
        frames.push_back(std::move(*s));
        shown_at.push_back(now);
      } else if (auto const* const d = std::get_if<Dropped>(&effect)) {
        drops.push_back(*d);
      } else if (auto const* const l = std::get_if<Lacking>(&effect)) {
        lacking.push_back(l->message);
      } else {
        wanted.push_back(std::get<Wanted>(effect).message);
        wanted_at.push_back(now);
      }
    }
  }
  std::vector<std::uint32_t> shown() const {
    std::vector<std::uint32_t> numbers;
    for (auto const& f : frames) numbers.push_back(f.number);
    return numbers;
  }
  std::vector<std::uint32_t> dropped() const {
    std::vector<std::uint32_t> numbers;
    for (auto const& d : drops) numbers.push_back(d.number);
    return numbers;
  }

  SenderShape shape;
  Time now{Time{} + 10s};
  Pool pool;
  std::set<std::uint32_t> keys;
  std::vector<Shown> frames;
  std::vector<Time> shown_at;
  std::vector<Dropped> drops;
  std::vector<KeyframeWanted> wanted;
  std::vector<BlocksWanted> lacking;
  std::vector<Time> wanted_at;
};

}  // namespace cy::media
