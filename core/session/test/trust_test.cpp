// A session is only ever what its key is trusted with now.
#include <gtest/gtest.h>

#include "world.hpp"

namespace cy::session {
namespace {

emulate::Path delayed(Duration delay) {
  emulate::Path path;
  path.delay = delay;
  return path;
}

struct TrustTest : testing::Test {
  World w;
  Station& station = w.join(delayed(10ms));
  void come_up() {
    ASSERT_TRUE(w.run_until([&] { return w.both_up(station); }, 1s));
  }
  // The hello is answered, and nothing has confirmed its session yet.
  void come_to_be_welcomed() {
    ASSERT_TRUE(w.run_until([&] { return station.up(); }, 1s));
    ASSERT_EQ(w.listener->sessions(), 0u);
  }
};

TEST_F(TrustTest, AKeyThatLeavesTheListBetweenHelloAndConfirmationIsRefused) {
  come_to_be_welcomed();
  w.trust.clear();
  w.run(1s);
  EXPECT_TRUE(w.opened.empty());
  EXPECT_EQ(w.listener->sessions(), 0u);
  EXPECT_EQ(station.why(LinkState::gone), "the other side ended it: this key is not trusted here");
  EXPECT_EQ(station.why(LinkState::connecting), "refused by agent: this key is not trusted here");
}

TEST_F(TrustTest, AKeyThatSinksBetweenHelloAndConfirmationComesInAsWhatItIs) {
  w.trust = {{w.station_key.public_key, {"lab", 3}}};
  come_to_be_welcomed();
  w.trust = {{w.station_key.public_key, {"lab", 0}}};
  ASSERT_TRUE(w.run_until([&] { return w.both_up(station); }, 2s));
  ASSERT_EQ(w.opened.size(), 1u);
  EXPECT_EQ(w.opened[0].trusted.rank, 0);
}

TEST_F(TrustTest, WhatWasHeldBackForLongConfirmsNothing) {
  come_to_be_welcomed();
  station.keep = true;
  station.there = emulate::Pipe(emulate::Path{.down = true}, Seed{1});
  w.run(100ms);
  ASSERT_FALSE(station.sent.empty());
  auto const held_back = station.sent.front();
  w.run(ListenerOptions{}.pending_time);
  w.at_agent(held_back, station.where);
  w.run(100ms);
  EXPECT_TRUE(w.opened.empty());
  EXPECT_EQ(w.listener->drops()[Drop::unknown_session], 1u);
}

TEST_F(TrustTest, ASessionEndsWithItsKeysTrustAndDisturbsNoOther) {
  auto const other_key = key_pair(5);
  w.trust.push_back({other_key.public_key, {"other", 1}});
  come_up();
  auto& other = w.join_as(other_key, w.agent_key.public_key, {}, {});
  ASSERT_TRUE(w.run_until([&] { return w.listener->sessions() == 2; }, 1s));
  w.trust.erase(w.trust.begin());
  w.run(ListenerOptions{}.trust_period + 20ms);
  EXPECT_EQ(w.listener->sessions(), 1u);
  EXPECT_EQ(station.why(LinkState::gone), "the other side ended it: this key is not trusted here");
  w.run(10s);
  EXPECT_FALSE(station.up());
  EXPECT_TRUE(other.up());
  EXPECT_EQ(other.changes.size(), 1u);
}

TEST_F(TrustTest, AnotherRankIsAnotherSession) {
  come_up();
  w.trust = {{w.station_key.public_key, {"lab", 0}}};
  w.run(2s);
  EXPECT_TRUE(station.up());
  ASSERT_EQ(w.opened.size(), 2u);
  EXPECT_EQ(w.opened[0].trusted.rank, 1);
  EXPECT_EQ(w.opened[1].trusted.rank, 0);
  EXPECT_EQ(station.why(LinkState::gone),
            "the other side ended it: what this key is trusted with has changed");
}

}  // namespace
}  // namespace cy::session
