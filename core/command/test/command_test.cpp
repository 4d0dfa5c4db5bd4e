// Lane and desk over links and bad networks: one ending each, at most one execution, in time.
#include <cy/emulate/spec.hpp>

#include <gtest/gtest.h>

#include "rig.hpp"

namespace cy::command {
namespace {

// ---- any network, any seed -----------------------------------------------------------------

emulate::Schedule any_network(Random& random) {
  emulate::Path p;
  p.delay = std::chrono::milliseconds(random.below(60));
  p.jitter = std::chrono::milliseconds(random.below(20));
  p.loss = random.uniform(0.0, 0.4);
  p.duplicate = random.uniform(0.0, 0.3);
  p.reorder = random.uniform(0.0, 0.3);
  p.late = std::chrono::milliseconds(random.below(80));
  if (random.chance(0.3)) p.rate_bps = 200'000;
  emulate::Schedule schedule(p);
  auto at = Duration{};
  while (random.chance(0.7)) {
    at += std::chrono::milliseconds(300 + random.below(4000));
    auto down = p;
    down.down = true;
    schedule.entries.push_back({at, down});
    at += std::chrono::milliseconds(50 + random.below(5000));  // longer than `gone`, at times
    schedule.entries.push_back({at, p});
  }
  return schedule;
}

class AnyNetwork : public testing::TestWithParam<std::uint64_t> {};

TEST_P(AnyNetwork, OneEndingEachAndAtMostOneExecution) {
  Random random{Seed{GetParam()}};
  auto const there = any_network(random);
  auto const back = any_network(random);
  Rig rig(there, back, Seed{GetParam()});
  rig.judge = [&](Event const& e) {
    auto const slow = std::chrono::milliseconds(random.chance(0.3) ? random.below(500) : 0);
    return std::pair{e.id.value % 5 == 0 ? Refusal::limits : Refusal::none, Duration(slow)};
  };
  rig.steer = [](SetPoint const& s) { return s.id.value % 7 == 0 ? Refusal::not_armed : Refusal::none; };
  for (auto i = 0; i < 150; ++i) {
    if (random.chance(0.6))
      rig.event(std::chrono::milliseconds(20 + random.below(3000)));
    else
      rig.set_point(std::chrono::milliseconds(20 + random.below(280)),
                    static_cast<std::uint16_t>(1 + random.below(2)));
    rig.w.run(std::chrono::milliseconds(random.below(100)));
  }
  // A link that never came, or an outage at the end: the owner's close ends the rest.
  rig.w.run(8s);
  rig.lane.on_time(rig.now() + 1min);
  rig.go();

  for (auto const& [id, at] : rig.issued) {
    auto const found = rig.endings.find(id);
    ASSERT_TRUE(found != rig.endings.end()) << "command " << id << " never ended";
    ASSERT_EQ(found->second.size(), 1u) << "command " << id << " ended more than once";
    auto const& e = found->second.front();
    auto const times = rig.executed.contains(id) ? rig.executed[id] : 0u;
    ASSERT_LE(times, 1u) << "event " << id << " was carried out twice";
    auto const refused = e.ending == Ending::refused && e.why == Refusal::limits;
    if (e.ending == Ending::expired_unsent || refused) {
      EXPECT_EQ(times, 0u) << "event " << id;
    }
  }
  std::map<std::uint16_t, std::uint64_t> newest;
  for (auto const& [resource, id] : rig.steered) {
    EXPECT_GT(id, newest[resource]) << "an older set-point, or the same again";
    newest[resource] = id;
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, AnyNetwork, testing::Range<std::uint64_t>(1, 41));
// ---- events --------------------------------------------------------------------------------

struct CommandTest : testing::Test {
  Rig rig{path(10ms), path(10ms)};
  session::Outbox scratch;
  void SetUp() override {
    ASSERT_TRUE(rig.w.run_until([&] { return rig.up(); }, 1s));
    rig.w.run(200ms);
  }
  void cut() { rig.station->there = emulate::Pipe(emulate::Path{.down = true}, Seed{1}); }
};

TEST_F(CommandTest, AnEventIsRefusedWithItsReason) {
  rig.judge = [](auto const&) { return std::pair{Refusal::no_lease, Duration{}}; };
  auto const id = rig.event();
  rig.w.run(100ms);
  ASSERT_TRUE(rig.ending(id));
  EXPECT_EQ(rig.ending(id)->ending, Ending::refused);
  EXPECT_EQ(rig.ending(id)->why, Refusal::no_lease);
}

TEST_F(CommandTest, AnEventWithoutAnswerEndsAtItsDeadline) {
  cut();
  auto const id = rig.event(700ms);
  auto const begin = rig.now();
  rig.w.run(2s);
  ASSERT_TRUE(rig.ending(id));
  EXPECT_EQ(rig.ending(id)->ending, Ending::expired_maybe_applied);
  EXPECT_EQ(rig.ended_at[id.value], begin + 700ms);
}

TEST_F(CommandTest, ASlowEventIsCarriedOutOnceHoweverOftenItIsRepeated) {
  rig.judge = [](auto const&) { return std::pair{Refusal::none, Duration(800ms)}; };
  auto const id = rig.event(3s);
  rig.w.run(2s);
  ASSERT_TRUE(rig.ending(id));
  EXPECT_EQ(rig.ending(id)->ending, Ending::applied);
  EXPECT_EQ(rig.executed[id.value], 1u);
  EXPECT_GT(rig.desks.begin()->second.counts().repeated, 3u);
}

TEST_F(CommandTest, TheLinksEndEndsWhatIsUnderWay) {
  cut();
  auto const sent = rig.event(1min);
  auto const moving = rig.set_point(60s);
  rig.w.run(10s);
  ASSERT_TRUE(rig.ending(sent) && rig.ending(moving));
  EXPECT_EQ(rig.ending(sent)->ending, Ending::expired_maybe_applied);
  EXPECT_EQ(rig.ending(moving)->ending, Ending::expired_maybe_applied);
  auto const unsent = rig.event(100ms);  // there is no link now
  rig.w.run(4s);
  EXPECT_EQ(rig.ending(unsent)->ending, Ending::expired_unsent);
}

TEST_F(CommandTest, MoreThanTheLaneHoldsAreRefused) {
  cut();
  LaneOptions few;
  few.max_events = 3;
  few.reserve = 0;
  Lane lane(few);
  for (auto i = 0; i < 5; ++i) lane.event({}, {0xc001, {}}, 1s, rig.now());
  std::vector<Ended> ended;
  lane.take_endings(ended);
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].ending, Ending::refused);
  EXPECT_EQ(ended[0].why, Refusal::full);
}

TEST_F(CommandTest, TheLastPlacesAreForUrgentEvents) {
  LaneOptions few;
  few.max_events = 5;
  few.reserve = 2;
  Lane lane(few);
  for (auto i = 0; i < 9; ++i) lane.event({}, {0xc001, {}}, 1s, rig.now());
  for (auto i = 0; i < 3; ++i) lane.event({}, {0xc001, {}}, 1s, rig.now(), Urgency::urgent);
  std::vector<Ended> ended;
  lane.take_endings(ended);
  ASSERT_EQ(ended.size(), 7u);  // ids 1 to 3, 10 and 11 are under way
  for (auto i = 0u; i < 6; ++i) EXPECT_EQ(ended[i].id, CommandId{4 + i});
  EXPECT_EQ(ended[6].id, CommandId{12});
  EXPECT_EQ(ended[6].why, Refusal::full);
}

TEST_F(CommandTest, WhatIsOverIsNotSent) {
  Lane lane;
  auto const begin = rig.now();
  lane.set_point({}, {0xc002, {}}, begin + 300ms, 0, 0, begin);
  lane.event({}, {0xc001, {}}, 2s, begin);
  EXPECT_EQ(lane.expiry(), begin + 300ms);
  auto& link = *rig.station->dialer.link();
  link.flush(rig.now(), scratch);
  lane.fill(link, begin + 2s);
  EXPECT_FALSE(link.has_posted());
  EXPECT_FALSE(lane.expiry());
  std::vector<Ended> ended;
  lane.take_endings(ended);
  ASSERT_EQ(ended.size(), 2u);
  for (auto const& e : ended) EXPECT_EQ(e.ending, Ending::expired_unsent);
}

TEST_F(CommandTest, ALargeReplyComesWhole) {
  Buffer large(20'000);
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<std::uint8_t>(i * 7);
  rig.judge = [](auto const&) { return std::pair{Refusal::none, Duration(1h)}; };
  auto const id = rig.event(3s);
  rig.go();
  rig.w.run(15ms);
  ASSERT_EQ(rig.executed[id.value], 1u);
  ASSERT_TRUE(rig.desks.begin()->second.end(id, Ending::applied, Refusal::none, wire::Body{0xc003, large},
                                            rig.now()));
  rig.w.run(300ms);
  ASSERT_TRUE(rig.ending(id) && rig.ending(id)->reply);
  EXPECT_EQ(rig.ending(id)->reply->payload, large);
}

TEST_F(CommandTest, WhatIsForTheAgentItselfGoesFirst) {
  Lane lane;
  auto const robot = lane.event({Resource{1}, {}, {}}, {0xc001, {}}, 1s, rig.now());
  auto const agent = lane.event({Resource{}, {}, {}}, {0xc001, {}}, 1s, rig.now());
  std::vector<CommandId> order;
  rig.w.on_agent_message = [&](auto, wire::Raw m) {
    if (auto const e = wire::as<Event>(m)) order.push_back(e->id);
  };
  lane.fill(*rig.station->dialer.link(), rig.now());
  rig.w.flush();
  rig.w.run(20ms);
  EXPECT_EQ(order, (std::vector<CommandId>{agent, robot}));
}

// ---- set-points ----------------------------------------------------------------------------

TEST_F(CommandTest, ASetPointIsAppliedOrRefusedByTheAgentsReport) {
  rig.steer = [](SetPoint const& s) { return s.resource.value == 2 ? Refusal::no_lease : Refusal::none; };
  auto const good = rig.set_point(300ms, 1);
  auto const bad = rig.set_point(300ms, 2);
  rig.w.run(200ms);
  EXPECT_EQ(rig.ending(good)->ending, Ending::applied);
  EXPECT_EQ(rig.ending(bad)->ending, Ending::refused);
  EXPECT_EQ(rig.ending(bad)->why, Refusal::no_lease);
}

TEST_F(CommandTest, ANewerSetPointSupersedesTheOneThatWaits) {
  auto const old = rig.set_point();
  auto const other = rig.set_point(300ms, 2);
  auto const fresh = rig.set_point();
  rig.w.run(200ms);
  EXPECT_EQ(rig.ending(old)->ending, Ending::superseded);
  EXPECT_EQ(rig.ending(other)->ending, Ending::applied);
  EXPECT_EQ(rig.ending(fresh)->ending, Ending::applied);
  EXPECT_EQ(rig.steered.size(), 2u);
}

TEST_F(CommandTest, ASetPointIsSentOnceAndEndsUnknownWhenNobodyAnswers) {
  cut();
  rig.station->keep = true;
  rig.station->sent.clear();
  auto const id = rig.set_point(300ms);
  auto const begin = rig.now();
  rig.w.run(2s);
  ASSERT_TRUE(rig.ending(id));
  EXPECT_EQ(rig.ending(id)->ending, Ending::expired_maybe_applied);
  EXPECT_EQ(rig.ended_at[id.value], begin + 800ms);
}

TEST_F(CommandTest, ASetPointThatIsTooLateIsNotSent) {
  auto const id = rig.set_point(0ms);
  rig.w.run(100ms);
  EXPECT_EQ(rig.ending(id)->ending, Ending::expired_unsent);
  EXPECT_TRUE(rig.steered.empty());
}

TEST_F(CommandTest, ReportsOfSetPointsAreFew) {
  auto reports = 0;
  rig.station->on_message = [&](wire::Raw m) {
    reports += m.type == SetPointReport::head.type;
    rig.lane.on_message(m, rig.now());
  };
  for (auto i = 0; i < 100; ++i) {
    rig.set_point();
    rig.w.run(10ms);
  }
  rig.w.run(1s);
  EXPECT_GE(reports, 10);
  EXPECT_LE(reports, 50);
  auto applied = 0, superseded = 0;
  for (auto const& [id, ended] : rig.endings) {
    applied += ended.front().ending == Ending::applied;
    superseded += ended.front().ending == Ending::superseded;
  }
  EXPECT_EQ(applied + superseded, 100);
  EXPECT_EQ(applied, reports);
}

}  // namespace
}  // namespace cy::command
