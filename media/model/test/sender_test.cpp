#include <cy/media/keyframe_budget.hpp>
#include <cy/media/pacer.hpp>

#include <gtest/gtest.h>

namespace cy::media {
namespace {

Time at(Duration d) {
  return Time{} + 100s + d;
}

TEST(KeyframeBudget, AJoinGetsOneAtOnce) {
  KeyframeBudget budget;
  EXPECT_FALSE(budget.take(at(0ms)));
  budget.on_join();
  EXPECT_TRUE(budget.take(at(0ms)));
  EXPECT_FALSE(budget.take(at(1ms)));
}

TEST(KeyframeBudget, ALossGetsOneUnlessANewerIsOnItsWay) {
  KeyframeBudget budget;
  budget.on_keyframe(10, at(0ms));
  budget.on_wanted({.newest_good = 5}, at(100ms));  // sent before number 10 can have arrived
  EXPECT_FALSE(budget.wanted());
  budget.on_wanted({.newest_good = 12}, at(100ms));  // had it, and lost what came after
  EXPECT_TRUE(budget.wanted());
  EXPECT_FALSE(budget.take(at(100ms)));
  EXPECT_EQ(budget.deadline(), at(250ms));
  EXPECT_TRUE(budget.take(at(250ms)));
}

TEST(KeyframeBudget, AKeyframeThatWasLostItselfIsAskedForAgain) {
  KeyframeBudget budget;
  budget.on_keyframe(10, at(0ms));
  budget.on_wanted({.newest_good = 5}, at(300ms));
  EXPECT_TRUE(budget.take(at(300ms)));
}

TEST(KeyframeBudget, ManyViewersOnABadLinkDoNotMakeAStorm) {
  KeyframeBudget budget;
  auto keyframes = 0;
  std::uint32_t number = 0;
  for (auto t = 0ms; t < 10s; t += 10ms) {  // ten viewers, each asking all the time
    for (auto viewer = 0; viewer < 10; ++viewer) budget.on_wanted({.newest_good = number}, at(t));
    if (t % 500ms == 0ms) budget.on_join();
    if (budget.take(at(t))) {
      ++keyframes;
      budget.on_keyframe(number, at(t));
    }
    ++number;
  }
  EXPECT_GE(keyframes, 12);
  EXPECT_LE(keyframes, 13);  // three at once, then one a second
}

TEST(KeyframeBudget, TheEncodersOwnKeyframeAnswersEveryWish) {
  KeyframeBudget budget;
  budget.on_join();
  budget.on_keyframe(3, at(0ms));
  EXPECT_FALSE(budget.take(at(1s)));
}

std::vector<Piece> due(Pacer& pacer, Time now) {
  std::vector<Piece> pieces;
  while (auto const piece = pacer.next(now)) pieces.push_back(*piece);
  return pieces;
}

TEST(Pacer, ASmallFrameGoesAtOnce) {
  Pacer pacer({.burst = 10});
  EXPECT_TRUE(pacer.on_frame(1, false, 8, at(0ms)));
  auto const pieces = due(pacer, at(0ms));
  ASSERT_EQ(pieces.size(), 8u);
  EXPECT_EQ(pieces[7].block, 7u);
  EXPECT_TRUE(pieces[7].last);
  EXPECT_FALSE(pacer.deadline());
}

TEST(Pacer, ALargeFrameIsSpreadAndDoneInTime) {
  Pacer pacer({.burst = 10, .spread = 8ms, .tick = 1ms});
  pacer.on_frame(1, true, 50, at(0ms));
  EXPECT_EQ(due(pacer, at(0ms)).size(), 10u);
  std::size_t sent = 10;
  auto wakes = 0;
  while (auto const next = pacer.deadline()) {
    auto const now = *next;
    auto const pieces = due(pacer, now);
    ASSERT_FALSE(pieces.empty());
    EXPECT_LE(pieces.size(), 6u);
    sent += pieces.size();
    ++wakes;
    EXPECT_LE(now, at(8ms));
  }
  EXPECT_EQ(sent, 50u);
  EXPECT_LE(wakes, 8);
}

TEST(Pacer, AKeyframeDropsFramesThatWereNotBegun) {
  Pacer pacer({.burst = 2, .spread = 8ms});
  pacer.on_frame(1, true, 20, at(0ms));
  EXPECT_EQ(due(pacer, at(0ms)).size(), 2u);
  pacer.on_frame(2, false, 1, at(1ms));
  pacer.on_frame(3, false, 1, at(2ms));
  EXPECT_TRUE(pacer.on_frame(4, true, 1, at(3ms)));
  std::vector<std::uint32_t> dropped;
  pacer.drain_dropped(dropped);
  EXPECT_EQ(dropped, (std::vector<std::uint32_t>{2, 3}));
  std::vector<std::uint32_t> order;
  for (auto const& piece : due(pacer, at(100ms)))
    if (piece.last) order.push_back(piece.frame);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 4}));
}

TEST(Pacer, AFullQueueRefusesUntilTheNextKeyframe) {
  Pacer pacer({.frames = 2});
  EXPECT_TRUE(pacer.on_frame(1, true, 3, at(0ms)));
  EXPECT_TRUE(pacer.on_frame(2, false, 3, at(0ms)));
  EXPECT_FALSE(pacer.on_frame(3, false, 3, at(0ms)));
  EXPECT_TRUE(pacer.starved());
  EXPECT_EQ(due(pacer, at(0ms)).size(), 6u);
  EXPECT_FALSE(pacer.on_frame(4, false, 3, at(0ms)));  // builds on frame 3
  EXPECT_TRUE(pacer.on_frame(5, true, 3, at(0ms)));
  EXPECT_FALSE(pacer.starved());
  EXPECT_EQ(pacer.dropped(), 2u);
}

TEST(Pacer, FramesKeepTheirOrder) {
  Pacer pacer({.burst = 1, .spread = 4ms, .frames = 5});
  pacer.on_frame(1, true, 5, at(0ms));
  pacer.on_frame(2, false, 5, at(0ms));
  std::vector<std::uint32_t> order;
  auto now = at(0ms);
  while (pacer.deadline()) {
    now = std::max(now, *pacer.deadline());
    for (auto const& piece : due(pacer, now)) order.push_back(piece.frame);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{1, 1, 1, 1, 1, 2, 2, 2, 2, 2}));
  EXPECT_LE(now, at(9ms));
}

}  // namespace
}  // namespace cy::media
