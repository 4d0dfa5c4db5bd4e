// Whatever the network does to the blocks, the pool keeps its promises.
#include <cy/base/random.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "pool_bench.hpp"
#include <algorithm>

namespace cy::media {
namespace {

struct Weather {
  double loss, duplicate, shuffle;
};

// The blocks of `frames` frames after such a network, in the order of their arrival.
std::vector<std::pair<double, VideoBlock>> through(PoolBench const& bench, std::uint32_t frames, Weather w,
                                                   Random& random) {
  std::vector<std::pair<double, VideoBlock>> arrivals;
  for (std::uint32_t n = 0; n < frames; ++n) {
    for (std::size_t b = 0; b < bench.shape.blocks; ++b) {
      auto const copies = random.chance(w.loss) ? 0 : random.chance(w.duplicate) ? 2 : 1;
      for (auto c = 0; c < copies; ++c)
        arrivals.emplace_back(n * 0.033 + static_cast<double>(b) * 1e-3 + random.uniform(0.0, w.shuffle),
                              bench.block(n, b));
    }
  }
  std::sort(arrivals.begin(), arrivals.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
  return arrivals;
}

RC_GTEST_PROP(PoolProperty, ShownFramesAreSentOnesInOrderAndMemoryIsBounded, ()) {
  auto const seed = *rc::gen::arbitrary<std::uint64_t>();
  auto const levels = *rc::gen::inRange<std::size_t>(1, 14);
  auto const blocks = *rc::gen::inRange<std::uint16_t>(1, 6);
  auto const all_keys = *rc::gen::arbitrary<bool>();
  auto const patience = std::chrono::milliseconds(*rc::gen::inRange(0, 60));
  Random random{Seed{seed}};
  Weather const weather{random.uniform(0.0, 0.4), random.uniform(0.0, 0.4), random.uniform(0.0, 0.3)};

  PoolOptions options;
  options.levels = levels;
  options.patience = patience;
  PoolBench bench(options, {.blocks = blocks, .all_keys = all_keys});
  for (std::uint32_t n = 0; n < 60; ++n)
    if (random.chance(0.1)) bench.key(n);

  auto const start = bench.now;
  for (auto const& [at, block] : through(bench, 60, weather, random)) {
    auto const when = start + from_seconds(at);
    if (when > bench.now) bench.wait(when - bench.now);
    bench.give(block);
    RC_ASSERT(bench.pool.levels_in_use() <= levels);
    RC_ASSERT(bench.pool.memory() <= levels * (blocks * PoolBench::block_bytes + 1));
    auto const deadline = bench.pool.deadline();
    RC_ASSERT(!deadline || *deadline > bench.now);
  }

  std::set<std::uint32_t> decided;
  auto clean = false;
  std::optional<std::uint32_t> last;
  for (auto const& frame : bench.frames) {
    RC_ASSERT(!last || frame.number > *last);
    RC_ASSERT(frame.data == bench.content(frame.number));
    RC_ASSERT(decided.insert(frame.number).second);
    // Good means: a keyframe, or the next one after a good one.
    clean = frame.key || (clean && frame.number == *last + 1);
    RC_ASSERT(frame.clean == clean);
    last = frame.number;
  }
  for (auto const& drop : bench.drops) RC_ASSERT(decided.insert(drop.number).second);
  for (std::size_t i = 1; i < bench.wanted_at.size(); ++i)
    RC_ASSERT(bench.wanted_at[i] - bench.wanted_at[i - 1] >= options.keyframe_gap);
  RC_ASSERT(bench.pool.restarts() == 0);
  RC_ASSERT(bench.pool.refused_blocks() == 0);
}

RC_GTEST_PROP(PoolProperty, WithoutLossAndReorderEveryFrameIsShownClean, ()) {
  auto const blocks = *rc::gen::inRange<std::uint16_t>(1, 40);
  Random random{Seed{*rc::gen::arbitrary<std::uint64_t>()}};
  PoolBench bench({}, {.blocks = blocks});
  for (auto const& [at, block] : through(bench, 30, {0.0, 0.3, 0.0}, random)) bench.give(block);
  RC_ASSERT(bench.frames.size() == 30u);
  for (auto const& frame : bench.frames) RC_ASSERT(frame.clean);
  RC_ASSERT(bench.wanted.empty());
}

RC_GTEST_PROP(BlocksProperty, CuttingAndPlacingGivesTheFrameBack, ()) {
  auto const frame = *rc::gen::nonEmpty(rc::gen::container<Buffer>(rc::gen::arbitrary<std::uint8_t>()));
  auto const limit = *rc::gen::inRange<std::size_t>(1, 50);
  auto const blocks = cut({StreamId{1}, 9, 10, true}, frame, limit);
  RC_ASSERT(!blocks.empty());
  Buffer again(frame.size());
  for (auto const& block : blocks) {
    RC_ASSERT(block.data.size() <= limit && !block.data.empty());
    auto const place = place_of(block);
    RC_ASSERT(place.has_value());
    std::copy(block.data.begin(), block.data.end(), again.begin() + static_cast<std::ptrdiff_t>(*place));
  }
  RC_ASSERT(again == frame);
}

}  // namespace
}  // namespace cy::media
