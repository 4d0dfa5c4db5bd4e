#include <cy/media/pool.hpp>

#include <gtest/gtest.h>

#include "pool_bench.hpp"

namespace cy::media {
namespace {

// ---- the paper's rules -------------------------------------------------------------------

TEST(PoolRule1, ABlockNewerThanTheOldestLevelGetsALevelAndTheOldestGoes) {
  PoolBench bench({.levels = 2});
  bench.feed(0, {0, 1});  // shown: the pool is two empty levels of frame 0
  bench.feed(1, {0});
  bench.feed(2, {0});
  EXPECT_EQ(bench.pool.levels_in_use(), 2u);
  EXPECT_TRUE(bench.dropped().empty());
  bench.feed(3, {0});
  EXPECT_EQ(bench.pool.levels_in_use(), 2u);
  EXPECT_EQ(bench.dropped(), std::vector<std::uint32_t>{1});
}

TEST(PoolRule1, ABlockOlderThanTheOldestLevelIsDropped) {
  PoolBench bench({.levels = 2});
  bench.feed(0, {0, 1});
  bench.feed(2, {0});
  bench.feed(3, {0});
  bench.feed(1, {0, 1});  // complete, yet older than the oldest of a full pool
  EXPECT_EQ(bench.shown(), std::vector<std::uint32_t>{0});
  EXPECT_EQ(bench.pool.levels_in_use(), 2u);
}

TEST(PoolRule1, ABlockOfAShownFrameIsDropped) {
  PoolBench bench({}, {.first_key = 5});
  bench.feed(5, {0, 1});
  bench.feed(4, {0, 1});
  bench.feed(5, {0, 1});
  EXPECT_EQ(bench.shown(), std::vector<std::uint32_t>{5});
  EXPECT_EQ(bench.pool.levels_in_use(), 0u);
}

TEST(PoolRule2, ABlockIsAddedToItsLevelInAnyOrder) {
  PoolBench bench({}, {.blocks = 5});
  bench.feed(0, {3, 0, 4, 1});
  EXPECT_TRUE(bench.shown().empty());
  bench.feed(0, {2});
  ASSERT_EQ(bench.shown(), std::vector<std::uint32_t>{0});
  EXPECT_EQ(bench.frames[0].data, bench.content(0));
}

TEST(PoolRule2, ABlockThatIsThereAlreadyIsNotAddedAgain) {
  PoolBench bench;
  bench.feed(0, {0, 0, 0});
  EXPECT_TRUE(bench.shown().empty());
  bench.feed(0, {1});
  EXPECT_EQ(bench.shown(), std::vector<std::uint32_t>{0});
  EXPECT_EQ(bench.pool.report(bench.now).blocks_duplicate, 2u);
}

TEST(PoolRule3, ACompleteLevelIsShownAtOnce) {
  PoolBench bench;
  bench.feed(0, {0, 1});
  ASSERT_EQ(bench.shown().size(), 1u);
  EXPECT_EQ(bench.shown_at[0], bench.now);
}

TEST(PoolRule3, ShowingReleasesTheLevelAndEveryOlderOne) {
  PoolBench bench({}, {.all_keys = true});
  bench.feed(0, {0, 1});
  bench.feed(1, {0});
  bench.feed(2, {1});
  bench.feed(4, {0});
  EXPECT_EQ(bench.pool.levels_in_use(), 3u);
  bench.feed(3, {0, 1});
  EXPECT_EQ(bench.shown(), (std::vector<std::uint32_t>{0, 3}));
  EXPECT_EQ(bench.dropped(), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(bench.pool.levels_in_use(), 1u);  // frame 4 stays
  bench.feed(4, {1});
  EXPECT_EQ(bench.shown(), (std::vector<std::uint32_t>{0, 3, 4}));
}

TEST(PoolRule3, WithoutPatienceItHoldsToTheLetterForDeltaFramesToo) {
  PoolBench bench({.patience = 0ms});
  bench.feed(0, {0, 1});
  bench.feed(1, {0});
  bench.feed(2, {0, 1});
  EXPECT_EQ(bench.shown(), (std::vector<std::uint32_t>{0, 2}));
  EXPECT_FALSE(bench.frames[1].clean);
  EXPECT_EQ(bench.dropped(), std::vector<std::uint32_t>{1});
}

// ---- the span, as a limit ----------------------------------------------------------------

TEST(PoolSpan, LevelsTooFarBehindTheNewestAreDeleted) {
  PoolBench bench({.levels = 100, .span = 200ms}, {.interval = 50ms});
  bench.feed(0, {0, 1});
  for (std::uint32_t n = 1; n <= 10; ++n) bench.feed(n, {0});
  EXPECT_EQ(bench.pool.levels_in_use(), 5u);  // 6 … 10: 200 ms
  EXPECT_EQ(bench.dropped(), (std::vector<std::uint32_t>{1, 2, 3, 4, 5}));
}

TEST(PoolSpan, ASlowLinkThatKeepsOrderStillShowsEveryFrame) {
  PoolBench bench;
  for (std::uint32_t n = 0; n < 20; ++n) {
    bench.feed(n, {0});
    bench.wait(500ms);
    bench.feed(n, {1});
  }
  EXPECT_EQ(bench.shown().size(), 20u);
}

// ---- references and keyframes ------------------------------------------------------------

TEST(PoolReference, ADeltaFrameWaitsAMomentForTheOneItBuildsOn) {
  PoolBench bench({.patience = 20ms});
  bench.feed(0, {0, 1});
  bench.feed(1, {0});
  bench.feed(2, {0, 1});
  EXPECT_EQ(bench.shown(), std::vector<std::uint32_t>{0});
  EXPECT_EQ(bench.pool.deadline(), bench.now + 20ms);
  bench.feed(1, {1});
  EXPECT_EQ(bench.shown(), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_TRUE(bench.frames[2].clean);
  EXPECT_EQ(bench.wanted.size(), 0u);
  EXPECT_FALSE(bench.pool.deadline());
}

TEST(PoolReference, ALostReferenceMakesFramesUncleanUntilTheNextKeyframe) {
  PoolBench bench({.patience = 20ms});
  bench.feed(0, {0, 1});
  bench.feed(1, {0});
  bench.feed(2, {0, 1});
  bench.wait(20ms);
  EXPECT_EQ(bench.shown(), (std::vector<std::uint32_t>{0, 2}));
  ASSERT_EQ(bench.wanted.size(), 1u);
  EXPECT_EQ(bench.wanted[0].newest_good, 0u);
  EXPECT_FALSE(bench.wanted[0].none);
  bench.feed(3, {0, 1});
  bench.key(4);
  bench.feed(4, {0, 1});
  bench.feed(5, {0, 1});
  std::vector<bool> clean;
  for (auto const& f : bench.frames) clean.push_back(f.clean);
  EXPECT_EQ(clean, (std::vector<bool>{true, false, false, true, true}));
}

TEST(PoolReference, AFrameThatNeverCameIsMissedToo) {
  PoolBench bench;
  bench.feed(0, {0, 1});
  bench.feed(2, {0, 1});
  bench.wait(20ms);
  ASSERT_EQ(bench.frames.size(), 2u);
  EXPECT_FALSE(bench.frames[1].clean);
}

TEST(PoolReference, KeyframesAreAskedForNoMoreThanOnceInTheGap) {
  PoolBench bench({.keyframe_gap = 250ms});
  bench.feed(0, {0, 1});
  for (std::uint32_t n = 2; n < 62; ++n) {  // 2 s of deltas without their reference
    bench.feed(n, {0, 1});
    bench.wait(33ms);
  }
  EXPECT_GE(bench.wanted_at.size(), 7u);
  for (std::size_t i = 1; i < bench.wanted_at.size(); ++i)
    EXPECT_GE(bench.wanted_at[i] - bench.wanted_at[i - 1], 250ms);
}

TEST(PoolReference, NoKeyframeIsAskedForWhileOneArrives) {
  PoolBench bench({.keyframe_gap = 50ms}, {.blocks = 10});
  bench.feed_all(0);
  bench.feed_all(2);
  bench.wait(20ms);
  ASSERT_EQ(bench.wanted.size(), 1u);
  bench.key(3);
  for (std::uint16_t b = 0; b < 10; ++b) {
    bench.wait(30ms);
    bench.feed(3, {b});
  }
  EXPECT_EQ(bench.wanted.size(), 1u);
  EXPECT_TRUE(bench.frames.back().clean);
}

TEST(PoolReference, SinglePicturesNeverAskForKeyframes) {
  PoolBench bench({}, {.all_keys = true});
  for (std::uint32_t n = 0; n < 30; ++n) {
    if (n % 3 == 1)
      bench.feed(n, {0});
    else
      bench.feed(n, {0, 1});
  }
  EXPECT_EQ(bench.frames.size(), 20u);
  EXPECT_TRUE(bench.wanted.empty());
  for (auto const& f : bench.frames) EXPECT_TRUE(f.clean);
}

// ---- joins, restarts, wraps, bad blocks --------------------------------------------------

TEST(PoolJoin, ALateJoinerAsksAtOnceAndShowsNothingBeforeAKeyframe) {
  PoolBench bench({}, {.first_key = 1000});
  bench.feed(500, {0, 1});
  ASSERT_EQ(bench.wanted.size(), 1u);
  EXPECT_TRUE(bench.wanted[0].none);
  bench.feed(501, {0, 1});
  EXPECT_TRUE(bench.frames.empty());
  bench.key(502);
  bench.feed(502, {0, 1});
  EXPECT_EQ(bench.shown(), std::vector<std::uint32_t>{502});
  EXPECT_EQ(bench.dropped(), (std::vector<std::uint32_t>{500, 501}));
}

TEST(PoolJoin, AnOvertakenFirstKeyframeIsNotGivenUp) {
  PoolBench bench;
  bench.feed(0, {0});
  bench.feed(1, {0, 1});
  bench.feed(2, {0, 1});
  bench.wait(100ms);
  EXPECT_TRUE(bench.frames.empty());
  bench.feed(0, {1});
  EXPECT_EQ(bench.shown(), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_TRUE(bench.wanted.empty());
}

TEST(PoolRestart, ASenderThatStartsAnewIsFollowed) {
  PoolBench bench;
  bench.feed(5000, {0, 1});
  bench.wait(1s);
  bench.key(0);
  bench.feed(0, {0, 1}, bench.capture(6000));  // an older number on a newer picture
  bench.feed(1, {0, 1}, bench.capture(6001));
  EXPECT_EQ(bench.shown(), (std::vector<std::uint32_t>{5000, 0, 1}));
  EXPECT_EQ(bench.pool.restarts(), 1u);
  EXPECT_TRUE(bench.frames.back().clean);
}

TEST(PoolRestart, AJumpAheadIsNoLossOfAMillionFrames) {
  PoolBench bench({}, {.all_keys = true});
  bench.feed(5, {0, 1});
  bench.feed(50'000, {0, 1});
  EXPECT_EQ(bench.pool.restarts(), 0u);
  bench.feed(1'000'000, {0, 1}, bench.capture(50'001));
  EXPECT_EQ(bench.pool.restarts(), 1u);
  EXPECT_EQ(bench.shown(), (std::vector<std::uint32_t>{5, 50'000, 1'000'000}));
  EXPECT_EQ(bench.pool.report(bench.now).frames_dropped, 0u);
}

TEST(PoolWrap, NumbersAndStampsMayWrap) {
  PoolBench bench({}, {.first_key = 0xffff'fffd, .capture_base = 0xffff'0000});
  std::vector<std::uint32_t> sent;
  for (std::uint32_t i = 0; i < 8; ++i) {
    auto const n = 0xffff'fffd + i;
    sent.push_back(n);
    bench.feed(n, {1, 0}, 0xffff'0000 + i * 33'000);
  }
  EXPECT_EQ(bench.shown(), sent);
  for (auto const& f : bench.frames) EXPECT_TRUE(f.clean);
}

TEST(PoolBlocks, BlocksThatContradictAreRefused) {
  PoolBench bench;
  auto block = bench.block(0, 0);
  block.data.push_back(0);
  bench.give(block);
  block = bench.block(0, 0);
  block.block = max_coded;  // beyond all parity
  bench.give(block);
  block = bench.block(0, 0);
  block.block = block.blocks;  // parity, but not of a share's size
  block.data.pop_back();
  bench.give(block);
  block = bench.block(0, 0);
  block.stream = StreamId{99};
  bench.give(block);
  block = bench.block(0, 0);
  block.blocks = 0;
  bench.give(block);
  EXPECT_EQ(bench.pool.refused_blocks(), 5u);
  bench.feed(0, {0});
  block = bench.block(0, 1);
  block.key = false;  // not what the first block said
  bench.give(block);
  EXPECT_EQ(bench.pool.refused_blocks(), 6u);
  bench.feed(0, {1});
  EXPECT_EQ(bench.shown(), std::vector<std::uint32_t>{0});
}

TEST(PoolBlocks, AFrameThatIsTooLargeIsRefusedBeforeMemoryIsTaken) {
  PoolBench bench({.frame_bytes = 100});
  bench.feed(0, {0});
  EXPECT_EQ(bench.pool.refused_blocks(), 1u);
  EXPECT_EQ(bench.pool.memory(), 0u);
}

// Found by the fuzzer: three numbers, each newer than the one before, go round the whole circle.
TEST(PoolBlocks, NumbersAllAroundTheCircleDoNotConfuseTheOrder) {
  PoolBench bench({}, {.all_keys = true});
  bench.feed(0x7f00'0000, {0}, 1000);
  bench.feed(0xbf00'0002, {0}, 1000);
  bench.feed(0x1f00'0000, {0}, 1000);
  EXPECT_EQ(bench.pool.levels_in_use(), 1u);
  bench.feed(0x7f00'0000, {1}, 1000);
  EXPECT_EQ(bench.shown(), std::vector<std::uint32_t>{0x7f00'0000});
}

// ---- statistics --------------------------------------------------------------------------

TEST(PoolStats, CountsWhatALaterRateControllerNeeds) {
  PoolBench bench({.patience = 0ms}, {.blocks = 3, .all_keys = true});
  bench.feed(0, {0, 1, 2});
  bench.feed(1, {0, 1});  // one block lost …
  bench.feed(2, {0, 1, 2});
  bench.feed(1, {2});           // … no, late
  bench.feed(4, {0, 0, 1, 2});  // frame 3 never came
  auto const report = bench.pool.report(bench.now);
  EXPECT_EQ(report.highest, 4u);
  EXPECT_EQ(report.frames_complete, 3u);
  EXPECT_EQ(report.frames_dropped, 2u);
  EXPECT_EQ(report.frames_late, 1u);
  EXPECT_EQ(report.blocks_received, 12u);
  EXPECT_EQ(report.blocks_lost, 2u);
  EXPECT_EQ(report.blocks_duplicate, 1u);
  auto const next = bench.pool.report(bench.now);
  EXPECT_EQ(next.number, report.number + 1);
  EXPECT_EQ(next.blocks_received, 0u);
  EXPECT_EQ(next.highest, 4u);
}

TEST(PoolStats, AGrowingDelayShowsAsGrowth) {
  PoolBench bench({}, {.all_keys = true, .interval = 33ms});
  for (std::uint32_t n = 0; n < 60; ++n) {
    bench.now = Time{} + 10s + n * 33ms + 20ms + n * 1ms;  // 1 ms more on each frame
    bench.feed(n, {0, 1});
  }
  auto const report = bench.pool.report(bench.now);
  EXPECT_NEAR(report.delay_growth, 1.0 / 34.0, 0.002);
  EXPECT_NEAR(milliseconds(report.delay_mean), 49.5, 0.5);
  EXPECT_NEAR(milliseconds(report.delay_max), 79.0, 0.5);
  EXPECT_NEAR(milliseconds(report.jitter), 1.0, 0.1);
}

}  // namespace
}  // namespace cy::media
