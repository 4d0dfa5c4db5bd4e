// The client's machine against a listener and a desk, in virtual time.
#include <cy/client/core.hpp>
#include <cy/command/desk.hpp>
#include <cy/media/blocks.hpp>

#include <gtest/gtest.h>

#include "../../core/session/test/world.hpp"

namespace cy::client {
namespace {

// An agent that answers every event at once and says what it is told to.
struct World {
  explicit World(emulate::Path const& path = delayed(20ms, 0.0)) : there(path, Seed{1}), back(path, Seed{2}) {
    restart_agent();
    CoreOptions options;
    options.agent = agent;
    core = std::make_unique<Core>(station_key, agent_key.public_key, session::Identity{"test", "station", {}},
                                  options, session::seeded_entropy(Seed{3}), Random{Seed{4}});
    core->start(now, core_out);
    post();
  }
  static emulate::Path delayed(Duration delay, double loss) {
    emulate::Path p;
    p.delay = delay;
    p.loss = loss;
    return p;
  }

  void restart_agent() {
    ++runs;
    listener = std::make_unique<session::Listener>(
        agent_key, session::Identity{"test", "agent", {}},
        [this](auto const&) -> tl::expected<session::Trusted, std::string> {
          if (trusted) return session::Trusted{"lab", 1};
          return tl::unexpected(std::string("not trusted"));
        },
        session::seeded_entropy(Seed{10 + runs}), session::ListenerOptions{}, Random{Seed{20 + runs}});
    session.reset();
  }

  session::Link* link() { return session ? listener->find(*session) : nullptr; }
  bool up() { return core->state() == session::LinkState::up && link(); }

  void run(Duration how_long) {
    run_until([] { return false; }, how_long);
  }
  template <class Predicate>
  bool run_until(Predicate&& done, Duration limit) {
    auto const end = now + limit;
    auto standing = 0;
    while (!done()) {
      auto next = end;
      for (auto const d : {there.deadline(), back.deadline(), core->deadline(), listener->deadline(),
                           link() ? desk.deadline() : std::nullopt})
        if (d) next = std::min(next, std::max(*d, now));
      standing = next == now ? standing + 1 : 0;
      CY_CHECK(standing < 10'000);
      now = next;
      turn();
      if (now == end) return done();
    }
    return true;
  }
  void turn() {
    for (auto& d : there.drain(now)) {
      auto const delivery = listener->on_datagram(d.bytes, home, now, agent_out);
      for (auto& event : listener->take_events()) {
        if (auto const* opened = std::get_if<session::Listener::Opened>(&event)) {
          session = opened->session;
          desk = command::Desk{};
        }
      }
      if (!delivery) continue;
      wire::Walk walk(delivery->messages);
      while (auto const m = walk.next()) at_agent(*m);
    }
    for (auto& d : back.drain(now)) core->on_datagram(d.bytes, agent, now, core_out);
    core->on_time(now, core_out);
    listener->on_time(now);
    if (auto* l = link()) desk.fill(*l, now);
    post();
  }
  void post() {
    core->flush(now, core_out);
    for (std::size_t i = 0; i < core_out.size(); ++i)
      there.on_datagram(std::as_const(core_out).bytes(i), now);
    core_out.clear();
    listener->flush(now, agent_out);
    for (std::size_t i = 0; i < agent_out.size(); ++i)
      back.on_datagram(std::as_const(agent_out).bytes(i), now);
    agent_out.clear();
    core->drain(events);
  }
  void at_agent(wire::Raw m) {
    auto const taken = desk.on_message(m, now);
    if (taken.set_point) set_points.emplace_back(now, *taken.set_point);
    if (taken.event) {
      std::optional<wire::Body> reply;
      auto const what = wire::view(taken.event->what);
      if (what.type == Describe::head.type) {
        ++described;
        Inventory inventory;
        inventory.revision = revision;
        reply = wire::body_of(inventory);
      }
      agent_events.push_back(taken.event->what);
      desk.end(taken.event->id, Ending::applied, Refusal::none, std::move(reply), now);
    }
    if (!taken.ours) others.push_back({m.type, copy_of(m.payload)});
  }
  template <wire::Message M>
  std::vector<M> said() const {
    std::vector<M> found;
    for (auto const& body : agent_events)
      if (auto m = wire::as<M>(wire::view(body))) found.push_back(std::move(*m));
    return found;
  }
  template <wire::Message M>
  std::vector<M> told() const {
    std::vector<M> found;
    for (auto const& body : others)
      if (auto m = wire::as<M>(wire::view(body))) found.push_back(std::move(*m));
    return found;
  }
  template <class E>
  std::vector<E> got() const {
    std::vector<E> found;
    for (auto const& e : events)
      if (auto const* x = std::get_if<E>(&e)) found.push_back(*x);
    return found;
  }

  Time now = Time{} + 1000s;
  seal::KeyPair station_key = session::key_pair(1), agent_key = session::key_pair(2);
  Endpoint agent = ipv4(10, 0, 0, 1, 4747), home = ipv4(10, 0, 0, 2, 5000);
  emulate::Pipe there, back;
  std::uint64_t runs = 0;
  bool trusted = true;
  std::unique_ptr<session::Listener> listener;
  std::optional<session::SessionId> session;
  command::Desk desk;
  std::unique_ptr<Core> core;
  session::Outbox core_out, agent_out;
  std::vector<Event> events;
  std::vector<wire::Body> agent_events, others;
  std::vector<std::pair<Time, SetPoint>> set_points;
  unsigned described = 0;
  std::uint32_t revision = 1;
};

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

Buffer frame_of(std::uint32_t number) {
  Buffer data(4000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * number);
  return data;
}

TEST(Core, VideoBlocksBecomePictures) {
  World w;
  w.core->subscribe(media::StreamId{3}, true, w.now);
  ASSERT_TRUE(w.run_until([&] { return w.up(); }, 2s));
  w.run(300ms);
  media::StreamInfo info;
  info.stream = media::StreamId{3};
  info.codec_string = "avc1.42C01F";
  w.link()->post(info);
  for (auto n = 1u; n <= 10; ++n) {
    for (auto const& block : media::cut({media::StreamId{3}, n, stamp_us(w.now), n == 1}, frame_of(n),
                                        media::default_block_bytes))
      w.link()->post(block);
    // Of a stream that nobody asked for.
    for (auto const& block : media::cut({media::StreamId{8}, n, stamp_us(w.now), true}, frame_of(n), 1000))
      w.link()->post(block);
    w.post();
    w.run(33ms);
  }
  w.run(100ms);
  auto const pictures = w.got<media::Picture>();
  ASSERT_EQ(pictures.size(), 10u);
  for (auto n = 1u; n <= 10; ++n) {
    auto const& p = pictures[n - 1];
    EXPECT_EQ(p.stream, media::StreamId{3});
    EXPECT_EQ(p.number, n);
    EXPECT_TRUE(p.clean);
    EXPECT_EQ(p.data, frame_of(n));
    EXPECT_EQ(p.codec_string, "avc1.42C01F");
    EXPECT_NEAR(p.age_us, 20'000, 1'000);
  }
  EXPECT_FALSE(w.told<media::ReceiverReport>().empty());
  EXPECT_TRUE(w.told<media::KeyframeWanted>().empty());
}

TEST(Core, ALossAsksForAKeyframeAndCleanPicturesComeBack) {
  World w;
  w.core->subscribe(media::StreamId{3}, true, w.now);
  ASSERT_TRUE(w.run_until([&] { return w.up(); }, 2s));
  w.run(300ms);
  auto key_at = 0u;
  for (auto n = 1u; n <= 40; ++n) {
    auto const wanted = w.told<media::KeyframeWanted>().size();
    auto const key = n == 1 || (key_at == 0 && wanted > 0);
    if (key && n > 1) key_at = n;
    auto const blocks = media::cut({media::StreamId{3}, n, stamp_us(w.now), key}, frame_of(n), 1000);
    for (std::size_t i = 0; i < blocks.size(); ++i)
      if (n != 10 || i != 2) w.link()->post(blocks[i]);
    w.run(33ms);
  }
  w.run(600ms);
  ASSERT_GT(key_at, 10u);
  EXPECT_EQ(w.told<media::KeyframeWanted>().front().newest_good, 9u);
  for (auto const& p : w.got<media::Picture>()) {
    EXPECT_NE(p.number, 10u);
    EXPECT_EQ(p.clean, p.number < 10 || p.number >= key_at) << p.number;
  }
  EXPECT_EQ(w.got<media::Picture>().back().number, 40u);
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
