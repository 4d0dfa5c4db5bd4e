// Pictures over bad networks, in virtual time: what parity wins, and what it costs.
#include <cy/emulate/spec.hpp>

#include <gtest/gtest.h>

#include "video_path.hpp"

namespace cy::media {
namespace {

struct Effort {
  bool parity{}, asks{};
};

// A minute of pictures, each way over the network.
VideoPath::Figures over(std::string const& network, Effort effort) {
  auto const spec = emulate::parse_spec(network);
  EXPECT_TRUE(spec) << network;
  RelayOptions relay;
  if (!effort.parity) relay.redundancy.most = 0.0;
  PoolOptions pool;
  if (!effort.asks) pool.asks = 0;
  VideoPath path(spec->schedule, relay, pool, Seed{11});
  path.run(30 * 60);
  auto const f = path.figures();
  auto const delay = spec->schedule.entries.front().path.delay;
  auto const row =
      fmt::format("good {:.2f} %, overhead {:.1f} %, added p95 {:.1f} ms, p99 {:.1f} ms", 100 * f.good,
                  100 * f.overhead, milliseconds(f.p95 - delay), milliseconds(f.p99 - delay));
  testing::Test::RecordProperty(
      fmt::format("{} {}{}", network, effort.parity ? "parity " : "", effort.asks ? "asks" : ""), row);
  return f;
}
constexpr Effort both{true, true};

TEST(Networks, ACleanLinkPaysNothing) {
  auto const f = over("delay=20ms", both);
  EXPECT_EQ(f.good, 1.0);
  EXPECT_LT(f.overhead, 1e-9);
  EXPECT_EQ(f.p95, 20ms);
}

// The bounds are our targets for these networks; most pictures need no resend.
TEST(Networks, RandomLossIsMadeGood) {
  auto const near = over("d20l2", both);
  EXPECT_GE(near.good, 0.998);
  EXPECT_LE(near.overhead, 0.25);
  EXPECT_LE(near.p95, 20ms + 25ms);
  EXPECT_LE(near.p99, 20ms + 60ms);
  auto const far = over("d50l5", both);
  EXPECT_GE(far.good, 0.995);
  EXPECT_LE(far.overhead, 0.45);
  EXPECT_LE(far.p95, 50ms + 40ms);
  EXPECT_LE(far.p99, 50ms + 120ms);
}

TEST(Networks, BurstsAreMadeGoodByResends) {
  auto const f = over("burst", both);
  EXPECT_GE(f.good, 0.99);
  EXPECT_LE(f.overhead, 0.30);
  EXPECT_LE(f.p95, 20ms + 65ms);
}

TEST(Networks, EachOfTheTwoHelps) {
  for (auto const* network : {"d20l2", "d50l5"}) {
    auto const none = over(network, {}), parity = over(network, {true, false}),
               asks = over(network, {false, true}), all = over(network, both);
    EXPECT_LT(none.good, 0.2) << network;
    EXPECT_GT(parity.good, 0.9) << network;
    EXPECT_GT(asks.good, 0.95) << network;
    EXPECT_GE(all.good, std::max(parity.good, asks.good)) << network;
    EXPECT_LT(all.p95, asks.p95) << network;
  }
}

TEST(Networks, AnOutageIsGotOver) {
  auto const f = over("delay=20ms,step=20s:down,step=21s:up", both);
  EXPECT_GE(f.good, 1.0 - 1.4 / 60.0);
}

TEST(Networks, DuplicatesAndReorderCostNothingButTheirCopies) {
  auto const f = over("delay=20ms,dup=5%,reorder=5%", both);
  EXPECT_GE(f.good, 0.998);
  EXPECT_LE(f.overhead, 0.2);
}

}  // namespace
}  // namespace cy::media
