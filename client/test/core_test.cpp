// What the client says and keeps: persons, subscriptions, held set-points, deadlines.
#include "world.hpp"

namespace cy::client {
namespace {

TEST(Core, DescribesAtOnceAndAgainWhenTheRevisionChanges) {
  World w;
  ASSERT_TRUE(w.run_until([&] { return !w.got<Inventory>().empty(); }, 2s));
  EXPECT_EQ(w.described, 1u);
  AgentPulse pulse;
  pulse.inventory_revision = 1;
  w.link()->post(pulse);
  w.run(200ms);
  EXPECT_EQ(w.described, 1u);
  w.revision = pulse.inventory_revision = 2;
  w.link()->post(pulse);
  w.link()->post(pulse);
  w.run(200ms);
  EXPECT_EQ(w.described, 2u);
  EXPECT_EQ(w.got<Inventory>().back().revision, 2u);
}

TEST(Core, WhoWasIntroducedBeforeTheLinkIsIntroducedBeforeHeAsks) {
  World w;
  auto const olga = w.core->introduce("Olga", Role::operator_, w.now);
  w.core->event({Resource{1}, olga, {}}, wire::body_of(RequestLease{}), 10s, w.now);
  ASSERT_TRUE(w.run_until([&] { return !w.said<RequestLease>().empty(); }, 2s));
  ASSERT_EQ(w.said<Introduce>().size(), 1u);
  EXPECT_EQ(w.said<Introduce>()[0].name, "Olga");
  EXPECT_EQ(w.agent_events.back().type, RequestLease::head.type);
}

TEST(Core, AReconnectSaysPersonsAndSubscriptionsAgainAndNothingElse) {
  World w;
  auto const olga = w.core->introduce("Olga", Role::operator_, w.now);
  auto const ian = w.core->introduce("Ian", Role::observer, w.now);
  w.core->subscribe(media::StreamId{3}, true, w.now);
  w.core->subscribe(media::StreamId{4}, true, w.now);
  ASSERT_TRUE(w.run_until([&] { return w.up(); }, 2s));
  w.run(500ms);
  w.core->dismiss(ian, w.now);
  w.core->rename(olga, "Olga B.", Role::editor, w.now);
  w.core->subscribe(media::StreamId{4}, false, w.now);
  w.core->hold({Resource{1}, olga, LeaseId{9}}, wire::body_of(Drive{{0.3, 0}}), w.now + 1min, w.now);
  w.run(500ms);
  EXPECT_FALSE(w.set_points.empty());

  w.restart_agent();
  w.agent_events.clear();
  w.set_points.clear();
  ASSERT_TRUE(w.run_until([&] { return w.up(); }, 10s));
  w.run(1s);
  ASSERT_EQ(w.said<Introduce>().size(), 1u);
  EXPECT_EQ(w.said<Introduce>()[0].person, olga);
  EXPECT_EQ(w.said<Introduce>()[0].name, "Olga B.");
  EXPECT_EQ(w.said<Introduce>()[0].role, Role::editor);
  ASSERT_EQ(w.said<media::Subscribe>().size(), 1u);
  EXPECT_EQ(w.said<media::Subscribe>()[0].stream, media::StreamId{3});
  EXPECT_EQ(w.said<Describe>().size(), 1u);
  EXPECT_EQ(w.agent_events.size(), 3u);
  // What was held is not: the hand must grip anew.
  EXPECT_TRUE(w.set_points.empty());
}

TEST(Core, HoldSaysItAgainUntilItsEnd) {
  World w;
  ASSERT_TRUE(w.run_until([&] { return w.up(); }, 2s));
  w.run(200ms);
  auto const begin = w.now;
  w.core->hold({Resource{1}, {}, LeaseId{9}}, wire::body_of(Drive{{0.3, 0}}), begin + 1s, w.now,
               wire::body_of(Drive{}));
  w.core->hold({Resource{2}, {}, LeaseId{9}}, wire::body_of(Drive{{0.1, 0}}), w.now + 10s, w.now);
  w.run(500ms);
  w.core->release(Resource{2});
  w.run(2s);
  std::map<std::uint16_t, std::vector<Time>> times;
  std::vector<Time> rests;
  for (auto const& [at, s] : w.set_points) {
    EXPECT_NE(s.echo_us, 0u);
    auto const drive = wire::as<Drive>(wire::view(s.what));
    ASSERT_TRUE(drive);
    if (s.resource == Resource{1} && drive->twist.linear == 0.0) {
      rests.push_back(at);
      continue;
    }
    times[s.resource.value].push_back(at);
    EXPECT_LE(s.lifetime_ms, 300);
    // Even when all that follows is lost, it moves no longer than one period more.
    if (s.resource == Resource{1}) {
      EXPECT_LE(at - 20ms + std::chrono::milliseconds(s.lifetime_ms), begin + 1s + 50ms);
    }
  }
  EXPECT_EQ(times[1].size(), 20u);
  EXPECT_EQ(times[1].front(), begin + 20ms);
  EXPECT_LT(times[1].back(), begin + 1s + 20ms);
  EXPECT_EQ(rests, (std::vector<Time>{begin + 1s + 20ms, begin + 1s + 70ms}));
  EXPECT_LE(times[2].size(), 11u);
  // Each ended, once.
  std::map<std::uint64_t, int> ended;
  for (auto const& e : w.got<command::Ended>()) ++ended[e.id.value];
  for (auto const& [at, s] : w.set_points) EXPECT_EQ(ended[s.id.value], 1) << s.id.value;
}

TEST(Core, ASetPointsLifetimeCountsFromThePersonsInput) {
  World w;
  ASSERT_TRUE(w.run_until([&] { return w.up(); }, 2s));
  w.run(200ms);
  w.core->set_point({Resource{1}, {}, {}}, wire::body_of(Drive{}), w.now - 100ms, 77, 5, w.now);
  w.core->set_point({Resource{2}, {}, {}}, wire::body_of(Drive{}), w.now - 400ms, 77, 5, w.now);
  w.run(200ms);
  ASSERT_EQ(w.set_points.size(), 1u);
  EXPECT_EQ(w.set_points[0].second.lifetime_ms, 200);
  EXPECT_EQ(w.set_points[0].second.echo_us, 77u);
  EXPECT_EQ(w.set_points[0].second.picture, 5u);
}

TEST(Core, AStopFindsAPlaceInAnyFlood) {
  World w;
  ASSERT_TRUE(w.run_until([&] { return w.up(); }, 2s));
  w.run(200ms);
  for (auto i = 0; i < 3000; ++i) w.core->event({Resource{1}, {}, {}}, {0xc001, Buffer{1}}, 2s, w.now);
  auto const stop = w.core->event({Resource{1}, {}, {}}, wire::body_of(Stop{}), 5s, w.now);
  w.run(1s);
  for (auto const& e : w.got<command::Ended>())
    if (e.id == stop) {
      EXPECT_EQ(e.ending, Ending::applied) << wire::name_of(e.why);
    }
  EXPECT_EQ(w.said<Stop>().size(), 1u);
}

// Each command ends by its time, whether or not there is anybody to send it to.
TEST(Core, DeadlinesHoldWithoutALink) {
  for (auto const agent_key_is_right : {true, false}) {
    World w;
    if (agent_key_is_right) {
      w.trusted = false;  // the next try is 10 s away
      w.run(500ms);
    } else {
      w.core =
          std::make_unique<Core>(w.station_key, seal::PublicKey{}, session::Identity{"test", "station", {}},
                                 CoreOptions{}, session::seeded_entropy(Seed{3}), Random{Seed{4}});
      w.core->start(w.now, w.core_out);
    }
    auto const begin = w.now;
    auto const event = w.core->event({Resource{1}, {}, {}}, {0xc001, {}}, 2s, w.now);
    auto const set_point =
        w.core->set_point({Resource{1}, {}, {}}, wire::body_of(Drive{}), w.now, 0, 0, w.now);
    ASSERT_TRUE(w.core->deadline());
    EXPECT_LE(*w.core->deadline(), begin + 300ms);
    auto const ended = [&](CommandId id) {
      auto const all = w.got<command::Ended>();
      return std::any_of(all.begin(), all.end(),
                         [&](auto const& e) { return e.id == id && e.ending == Ending::expired_unsent; });
    };
    EXPECT_TRUE(w.run_until([&] { return ended(set_point); }, 300ms));
    EXPECT_TRUE(w.run_until([&] { return ended(event); }, 1700ms));
    EXPECT_EQ(w.now, begin + 2s);
  }
}

TEST(Core, ANewPersonNeverTakesALivingOnesNumber) {
  World w;
  auto const first = w.core->introduce("Olga", Role::operator_, w.now);
  for (auto i = 0; i < 70'000; ++i) {
    auto const next = w.core->introduce("Ian", Role::observer, w.now);
    ASSERT_NE(next, first);
    ASSERT_NE(next, PersonId{});
    w.core->dismiss(next, w.now);
  }
}

TEST(Core, CloseSaysGoodbyeAndEndsEverything) {
  World w;
  ASSERT_TRUE(w.run_until([&] { return w.up(); }, 2s));
  w.there = emulate::Pipe(emulate::Path{}, Seed{1});
  auto const id = w.core->event({Resource{1}, {}, {}}, {0xc001, {}}, 1min, w.now);
  w.core->close("done", w.now, w.core_out);
  w.post();
  w.agent_events.clear();
  w.run(10s);
  EXPECT_NE(w.core->state(), session::LinkState::up);
  EXPECT_EQ(w.listener->sessions(), 0u);
  auto times = 0;
  for (auto const& e : w.got<command::Ended>()) times += e.id == id;
  EXPECT_EQ(times, 1);
}

}  // namespace
}  // namespace cy::client
