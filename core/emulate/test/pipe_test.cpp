#include <cy/emulate/pipe.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace cy::emulate {
namespace {

Buffer numbered(std::uint32_t number, std::size_t size = 100) {
  Buffer bytes(size);
  store_le(bytes.data(), number);
  return bytes;
}

struct Arrival {
  std::uint32_t number{};
  Duration sent{};
  Duration at{};
  Duration age() const { return at - sent; }
};

// Sends `count` datagrams `gap` apart, draining at every deadline.
std::vector<Arrival> run(Pipe& pipe, std::uint32_t count, Duration gap, std::size_t size = 100) {
  std::vector<Arrival> arrivals;
  auto const collect = [&](Time now) {
    for (auto const& delivery : pipe.drain(now)) {
      auto const number = load_le<std::uint32_t>(delivery.bytes.data());
      EXPECT_EQ(delivery.bytes.size(), size);
      EXPECT_LE(delivery.at, now);
      arrivals.push_back({number, gap * number, delivery.at.time_since_epoch()});
    }
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    auto const now = Time{gap * i};
    while (pipe.deadline() && *pipe.deadline() <= now) collect(*pipe.deadline());
    pipe.on_datagram(numbered(i, size), now);
  }
  while (pipe.deadline()) collect(*pipe.deadline());
  return arrivals;
}

// The share of `count` trials stays within five standard deviations of `p`.
void expect_share(std::uint64_t hits, std::uint64_t count, double p) {
  auto const n = static_cast<double>(count);
  EXPECT_NEAR(static_cast<double>(hits) / n, p, 5 * std::sqrt(p * (1 - p) / n));
}

TEST(Pipe, a_clean_path_gives_everything_at_once) {
  Pipe pipe(Path{}, Seed{1});
  EXPECT_FALSE(pipe.deadline());
  pipe.on_datagram(numbered(1), Time{5s});
  EXPECT_EQ(pipe.deadline(), Time{5s});
  EXPECT_EQ(pipe.drain(Time{5s}).size(), 1U);
  EXPECT_FALSE(pipe.deadline());
}

TEST(Pipe, delay_is_exact) {
  Pipe pipe(Path{.delay = 20ms}, Seed{1});
  auto const arrivals = run(pipe, 1000, 1ms);
  ASSERT_EQ(arrivals.size(), 1000U);
  for (auto const& arrival : arrivals) EXPECT_EQ(arrival.age(), 20ms);
  EXPECT_TRUE(pipe.drain(Time{1h}).empty());
}

TEST(Pipe, nothing_comes_out_before_its_time) {
  Pipe pipe(Path{.delay = 20ms}, Seed{1});
  pipe.on_datagram(numbered(1), Time{});
  EXPECT_TRUE(pipe.drain(Time{20ms - 1ns}).empty());
  EXPECT_EQ(pipe.under_way(), 1U);
  EXPECT_EQ(pipe.drain(Time{20ms}).size(), 1U);
}

TEST(Pipe, jitter_is_uniform_and_keeps_the_order) {
  Pipe pipe(Path{.delay = 20ms, .jitter = 4ms}, Seed{1});
  // Far apart, so that keeping the order delays nothing.
  auto const arrivals = run(pipe, 10000, 10ms);
  double sum = 0;
  for (auto const& arrival : arrivals) {
    EXPECT_GE(arrival.age(), 20ms);
    EXPECT_LT(arrival.age(), 24ms);
    sum += milliseconds(arrival.age() - 20ms);
  }
  EXPECT_NEAR(sum / 10000, 2.0, 0.06);  // five standard deviations of the mean
  Pipe dense(Path{.delay = 20ms, .jitter = 4ms}, Seed{1});
  auto const close = run(dense, 1000, 100us);
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(close[i].number, i);
}

TEST(Pipe, loses_its_share) {
  Pipe pipe(Path{.loss = 0.02}, Seed{7});
  auto const arrivals = run(pipe, 50000, 1ms);
  expect_share(pipe.counters().lost, 50000, 0.02);
  EXPECT_EQ(arrivals.size() + pipe.counters().lost, 50000U);
}

TEST(Pipe, bursts_have_the_length_and_share_of_the_model) {
  Pipe pipe(Path{.bursts = GilbertElliott{.p_bad = 0.0105, .p_good = 0.2}}, Seed{7});
  auto const arrivals = run(pipe, 200000, 1ms);
  // p / (p + r) of the time is bad; a burst is 1 / r long.
  auto const lost = pipe.counters().lost;
  EXPECT_NEAR(static_cast<double>(lost) / 200000, 0.0105 / 0.2105, 0.005);
  std::uint64_t bursts = 0;
  for (std::size_t i = 1; i < arrivals.size(); ++i)
    bursts += arrivals[i].number != arrivals[i - 1].number + 1;
  EXPECT_NEAR(static_cast<double>(lost) / static_cast<double>(bursts), 5.0, 0.5);
}

TEST(Pipe, bursts_may_lose_a_part_in_either_state) {
  Pipe pipe(Path{.bursts = GilbertElliott{0.1, 0.1, 0.02, 0.5}}, Seed{7});
  run(pipe, 100000, 1ms);
  EXPECT_NEAR(static_cast<double>(pipe.counters().lost) / 100000, (0.02 + 0.5) / 2, 0.02);
}

TEST(Pipe, the_rate_is_exact) {
  // 1000 bytes at 1 Mbit/s take 8 ms each.
  Pipe pipe(Path{.delay = 20ms, .rate_bps = 1e6, .queue = 10s}, Seed{1});
  auto const arrivals = run(pipe, 100, Duration{}, 1000);
  ASSERT_EQ(arrivals.size(), 100U);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(arrivals[i].at, 20ms + 8ms * (i + 1));
}

TEST(Pipe, a_slower_sender_does_not_wait_in_the_queue) {
  Pipe pipe(Path{.rate_bps = 1e6}, Seed{1});
  for (auto const& arrival : run(pipe, 100, 10ms, 1000)) EXPECT_EQ(arrival.age(), 8ms);
}

TEST(Pipe, the_queue_drops_what_would_wait_too_long) {
  Pipe pipe(Path{.rate_bps = 1e6, .queue = 80ms}, Seed{1});
  // One in service and ten that wait up to 80 ms.
  auto const arrivals = run(pipe, 100, Duration{}, 1000);
  EXPECT_EQ(arrivals.size(), 11U);
  EXPECT_EQ(pipe.counters().queue_dropped, 89U);
  for (auto const& arrival : arrivals) EXPECT_LE(arrival.age(), 88ms);
  // Twice the rate offered for long: half of it gets through, all of it late by the queue.
  Pipe busy(Path{.rate_bps = 1e6, .queue = 80ms}, Seed{1});
  EXPECT_NEAR(static_cast<double>(run(busy, 2000, 4ms, 1000).size()), 1000.0, 12.0);
}

TEST(Pipe, duplicates_its_share) {
  Pipe pipe(Path{.delay = 5ms, .duplicate = 0.1}, Seed{3});
  auto const arrivals = run(pipe, 20000, 1ms);
  std::map<std::uint32_t, int> seen;
  for (auto const& arrival : arrivals) ++seen[arrival.number];
  std::uint64_t twice = 0;
  for (auto const& entry : seen) twice += entry.second == 2;
  EXPECT_EQ(seen.size(), 20000U);
  EXPECT_EQ(twice, pipe.counters().duplicated);
  expect_share(twice, 20000, 0.1);
}

TEST(Pipe, holds_its_share_back_so_that_others_overtake) {
  Pipe pipe(Path{.delay = 20ms, .reorder = 0.05, .late = 10ms}, Seed{3});
  auto const arrivals = run(pipe, 20000, 1ms);
  std::uint64_t overtaken = 0;
  std::uint32_t highest = 0;
  for (auto const& arrival : arrivals) {
    EXPECT_TRUE(arrival.age() == 20ms || arrival.age() == 30ms);
    overtaken += arrival.number < highest;
    highest = std::max(highest, arrival.number);
  }
  EXPECT_EQ(arrivals.size(), 20000U);
  expect_share(pipe.counters().held_back, 20000, 0.05);
  EXPECT_GE(overtaken + 10, pipe.counters().held_back);  // the last few have nobody behind them
}

TEST(Pipe, a_schedule_changes_the_path) {
  Schedule schedule(Path{.delay = 10ms});
  schedule.entries.push_back({1s, Path{.down = true}});
  schedule.entries.push_back({2s, Path{.delay = 30ms}});
  Pipe pipe(schedule, Seed{1});
  auto const arrivals = run(pipe, 300, 10ms);
  ASSERT_EQ(arrivals.size(), 200U);
  for (auto const& arrival : arrivals) {
    EXPECT_TRUE(arrival.sent < 1s || arrival.sent >= 2s);
    EXPECT_EQ(arrival.age(), arrival.sent < 1s ? 10ms : 30ms);
  }
  EXPECT_EQ(pipe.counters().lost, 100U);
}

TEST(Pipe, a_schedule_counts_from_the_first_datagram_and_may_repeat) {
  Schedule schedule{Path{}};
  schedule.entries.push_back({1s, Path{.down = true}});
  schedule.period = 2s;
  EXPECT_FALSE(schedule.at(999ms).down);
  EXPECT_TRUE(schedule.at(1s).down);
  EXPECT_FALSE(schedule.at(2s).down);
  EXPECT_TRUE(schedule.at(101s).down);
  Pipe pipe(schedule, Seed{1});
  pipe.on_datagram(numbered(0), Time{1h + 1s});
  pipe.on_datagram(numbered(1), Time{1h + 2s});
  EXPECT_EQ(pipe.drain(Time{2h}).size(), 1U);
}

TEST(Pipe, the_same_seed_gives_the_same_and_another_seed_another) {
  Path const path{.delay = 20ms,
                  .jitter = 5ms,
                  .loss = 0.05,
                  .bursts = GilbertElliott{0.01, 0.2},
                  .duplicate = 0.02,
                  .reorder = 0.05,
                  .rate_bps = 1e6};
  auto const trace = [&](Seed seed) {
    Pipe pipe(path, seed);
    std::vector<std::pair<std::uint32_t, Duration>> events;
    for (auto const& arrival : run(pipe, 2000, 700us)) events.emplace_back(arrival.number, arrival.at);
    auto const& c = pipe.counters();
    EXPECT_EQ(c.sent + c.duplicated, c.lost + c.queue_dropped + c.delivered);
    EXPECT_EQ(c.sent, 2000U);
    return events;
  };
  EXPECT_EQ(trace(Seed{5}), trace(Seed{5}));
  EXPECT_NE(trace(Seed{5}), trace(Seed{6}));
}

TEST(Pipe, draining_late_or_often_changes_nothing) {
  Path const path{.delay = 20ms, .jitter = 5ms, .loss = 0.05, .reorder = 0.1};
  Pipe late(path, Seed{5});
  Pipe often(path, Seed{5});
  std::vector<Delivery> many;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    auto const now = Time{1ms * i};
    late.on_datagram(numbered(i), now);
    often.on_datagram(numbered(i), now);
    for (auto& delivery : often.drain(now)) many.push_back(std::move(delivery));
  }
  for (auto& delivery : often.drain(Time{1h})) many.push_back(std::move(delivery));
  auto const once = late.drain(Time{1h});
  ASSERT_EQ(once.size(), many.size());
  for (std::size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].at, many[i].at);
    EXPECT_EQ(once[i].bytes, many[i].bytes);
  }
}

}  // namespace
}  // namespace cy::emulate
