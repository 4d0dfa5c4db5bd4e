// How fast events are on bad networks: 50,000 each, in virtual time.
#include <cy/emulate/spec.hpp>

#include <gtest/gtest.h>

#include "rig.hpp"

namespace cy::command {
namespace {

struct Latencies {
  double p50, p99, p999, worst;
  std::size_t unanswered, twice;
};

// Open loop: `count` events at a fixed rate, each from issue to its report.
Latencies measure(emulate::Schedule const& each_way, unsigned count, Duration period,
                  session::LinkOptions const& link) {
  Rig rig(each_way, each_way, Seed{42}, link);
  EXPECT_TRUE(rig.w.run_until([&] { return rig.up(); }, 1min));
  rig.w.run(1s);
  auto next = rig.now();
  for (auto i = 0u; i < count; ++i) {
    rig.event(2s);
    rig.go();
    next += period;
    rig.w.run(next - rig.now());
  }
  rig.w.run(3s);
  std::vector<double> ms;
  Latencies l{};
  for (auto const& [id, at] : rig.issued) {
    auto const* e = rig.ending(CommandId{id});
    if (e && e->ending == Ending::applied)
      ms.push_back(milliseconds(rig.ended_at[id] - at));
    else
      ++l.unanswered;
    if (rig.executed[id] > 1) ++l.twice;
  }
  std::sort(ms.begin(), ms.end());
  auto const at = [&](double q) { return ms[static_cast<std::size_t>(q * double(ms.size() - 1))]; };
  l.p50 = at(0.5);
  l.p99 = at(0.99);
  l.p999 = at(0.999);
  l.worst = ms.back();
  testing::Test::RecordProperty("p50_ms", std::to_string(l.p50));
  testing::Test::RecordProperty("p99_ms", std::to_string(l.p99));
  testing::Test::RecordProperty("p99.9_ms", std::to_string(l.p999));
  testing::Test::RecordProperty("worst_ms", std::to_string(l.worst));
  return l;
}

TEST(EventLatency, FiftyASecondOverTwentyMillisecondsAndTwoPercent) {
  auto const l = measure(path(20ms, 0.02), 50'000, 20ms, {});
  EXPECT_EQ(l.twice, 0u);
  EXPECT_EQ(l.unanswered, 0u);
  EXPECT_LE(l.p99, 50.0);
  EXPECT_LE(l.p999, 70.0);
}

// Nothing else is on the line that copies could ride on: heartbeats are as rare as the events.
session::LinkOptions quiet() {
  session::LinkOptions options;
  options.heartbeat = 1s;
  options.late = 10s;
  options.lost = 20s;
  options.gone = 60s;
  return options;
}

TEST(EventLatency, OneASecondOnAQuietLink) {
  auto const l = measure(path(20ms, 0.02), 50'000, 1s, quiet());
  EXPECT_EQ(l.twice, 0u);
  EXPECT_EQ(l.unanswered, 0u);
  EXPECT_LE(l.p99, 50.0);
  EXPECT_LE(l.p999, 70.0);
}

TEST(EventLatency, InBursts) {
  auto const burst = emulate::parse_spec("burst");
  ASSERT_TRUE(burst);
  auto const l = measure(burst->schedule, 50'000, 20ms, {});
  EXPECT_EQ(l.twice, 0u);
  EXPECT_EQ(l.unanswered, 0u);
  EXPECT_LE(l.p99, 200.0);
}

// The model counts bursts in packets: on a line that carries little else, one outlives all copies that
// two seconds have room for, once in a thousand events. That event ends as expired.
TEST(EventLatency, OneASecondInBursts) {
  auto const burst = emulate::parse_spec("burst");
  ASSERT_TRUE(burst);
  auto const l = measure(burst->schedule, 50'000, 1s, quiet());
  EXPECT_EQ(l.twice, 0u);
  EXPECT_LE(l.unanswered, 100u);
  EXPECT_LE(l.p99, 1000.0);
}

}  // namespace
}  // namespace cy::command
