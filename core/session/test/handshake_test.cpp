#include <cy/seal/crc32c.hpp>

#include <gtest/gtest.h>

#include "world.hpp"

namespace cy::session {
namespace {

emulate::Path delayed(Duration delay, double loss = 0) {
  emulate::Path path;
  path.delay = delay;
  path.loss = loss;
  return path;
}

Kind kind_of(Bytes datagram) {
  return static_cast<Kind>(datagram[0] & 0x0f);
}

class HandshakeUnderLoss : public testing::TestWithParam<std::uint64_t> {};

TEST_P(HandshakeUnderLoss, Succeeds) {
  World w{Seed{GetParam()}};
  auto& station = w.join(delayed(40ms, 0.3));
  EXPECT_TRUE(w.run_until([&] { return w.both_up(station); }, 30s));
  EXPECT_EQ(w.opened.back().trusted.name, "lab");
  EXPECT_EQ(w.opened.back().hello.name, "station");
  EXPECT_EQ(station.dialer.welcome().name, "agent");
  EXPECT_EQ(station.dialer.welcome().capabilities, std::vector<std::string>{"b"});
}
INSTANTIATE_TEST_SUITE_P(Seeds, HandshakeUnderLoss, testing::Range<std::uint64_t>(1, 21));

TEST(Handshake, TakesOneRoundTripAndAHalf) {
  World w;
  auto& station = w.join(delayed(40ms));
  auto const begin = w.now;
  ASSERT_TRUE(w.run_until([&] { return w.both_up(station); }, 1s));
  EXPECT_EQ(w.now - begin, 120ms);
}

TEST(Handshake, AStrangerIsToldWhy) {
  World w;
  w.trust.clear();
  auto& station = w.join(delayed(10ms));
  w.run(5s);
  EXPECT_FALSE(station.up());
  EXPECT_EQ(station.why(LinkState::connecting), "refused by agent: this key is not trusted here");
  EXPECT_EQ(w.listener->drops()[Drop::untrusted], 1u);
  EXPECT_TRUE(w.opened.empty());
  // Trusted meanwhile: its next try succeeds.
  w.trust.push_back({w.station_key.public_key, {"lab"}});
  EXPECT_TRUE(w.run_until([&] { return w.both_up(station); }, 10s));
}

TEST(Handshake, TheRefusalIsSealed) {
  World w;
  w.trust.clear();
  w.keep = true;
  w.join(delayed(10ms));
  w.run(1s);
  ASSERT_FALSE(w.agent_sent.empty());
  for (auto const& datagram : w.agent_sent)
    EXPECT_EQ(text_of(datagram).find("trusted"), std::string_view::npos);
}

TEST(Handshake, AWrongAgentKeyGetsNoAnswer) {
  World w;
  w.keep = true;
  auto& station = w.join_as(w.station_key, key_pair(9).public_key, {}, {});
  w.run(6s);
  EXPECT_FALSE(station.up());
  EXPECT_TRUE(w.agent_sent.empty());
  EXPECT_GE(w.listener->drops()[Drop::bad_handshake], 4u);
  EXPECT_NE(station.why(LinkState::connecting).find("no answer"), std::string::npos);
}

TEST(Handshake, AReplayedHelloMovesNothingAndDisturbsNobody) {
  World w;
  auto& station = w.join(delayed(10ms));
  w.join(delayed(10ms));
  ASSERT_TRUE(w.run_until([&] { return w.listener->sessions() == 2; }, 1s));
  // A hello of the station's, caught on its way.
  Dialer dialer(w.station_key, w.agent_key.public_key, w.agent, {"s", "n", {}}, seeded_entropy(Seed{3}), {},
                Random{Seed{4}});
  Outbox out;
  dialer.start(w.now, out);
  auto const hello = copy_of(std::as_const(out).bytes(0));
  auto const sessions = w.open;
  auto const peer = w.agent_link()->peer();
  auto const changes = w.agent_changes.size();
  for (auto i = 0; i < 100; ++i) {
    w.at_agent(hello, ipv4(6, 6, 6, 6, 666));
    w.run(100ms);
  }
  EXPECT_EQ(w.open, sessions);
  EXPECT_EQ(w.agent_link()->peer(), peer);
  EXPECT_EQ(w.agent_changes.size(), changes);
  EXPECT_EQ(w.listener->sessions(), 2u);
  EXPECT_TRUE(station.up());
}

TEST(Handshake, AnyFlippedBitInAHelloIsDroppedAndCounted) {
  World w;
  Dialer dialer(w.station_key, w.agent_key.public_key, w.agent, {"s", "n", {}}, seeded_entropy(Seed{3}), {},
                Random{Seed{4}});
  Outbox out;
  dialer.start(w.now, out);
  auto const hello = copy_of(std::as_const(out).bytes(0));
  // Session and sequence of a hello are the sender's own and prove nothing: they are not bound.
  for (auto at = std::size_t{0}; at < hello.size(); ++at) {
    if (at >= 1 && at < head_size) continue;
    auto changed = hello;
    changed[at] ^= static_cast<std::uint8_t>(1u << (at % 8));
    auto const before = w.listener->drops().total();
    w.at_agent(changed, ipv4(10, 0, 0, 2, 5000));
    w.run(50ms);
    EXPECT_GT(w.listener->drops().total(), before) << "byte " << at;
  }
  EXPECT_EQ(w.listener->sessions(), 0u);
}

TEST(Handshake, TheSealedListenerRefusesClear) {
  ListenerOptions sealed;
  World w{Seed{1}, sealed};
  DialerOptions clear;
  clear.clear = true;
  auto& station = w.join(delayed(1ms), clear);
  w.run(3s);
  EXPECT_FALSE(station.up());
  EXPECT_GE(w.listener->drops()[Drop::clear_refused], 3u);
  EXPECT_TRUE(w.opened.empty());
}

TEST(Handshake, ClearIsForLoopbackUnlessForced) {
  for (auto const anywhere : {false, true}) {
    ListenerOptions options;
    options.allow_clear = true;
    options.clear_from_anywhere = anywhere;
    World w{Seed{1}, options};
    DialerOptions clear;
    clear.clear = true;
    auto& station = w.join(delayed(1ms), clear);
    w.run(1s);
    EXPECT_EQ(station.up(), anywhere);
    EXPECT_EQ(w.listener->drops()[Drop::clear_refused] > 0, !anywhere);
    if (anywhere) {
      EXPECT_FALSE(station.dialer.link()->sealed());
    }
  }
}

TEST(Handshake, ASealedDialerTakesNoClearWelcome) {
  World w;
  auto& station = w.join(emulate::Path{.down = true});
  Welcome welcome;
  welcome.accepted = true;
  welcome.index = 7;
  // Whatever index it claims: all are tried that its own hello could have shown.
  station.keep = true;
  w.run(300ms);
  ASSERT_FALSE(station.sent.empty());
  auto const index = load_le<std::uint32_t>(station.sent.back().data()) >> 8;
  Buffer forged(head_size);
  store_head(forged.data(), {Kind::clear_welcome, index, 0});
  auto const payload = wire::encoded(welcome);
  forged.insert(forged.end(), payload.begin(), payload.end());
  auto const check = seal::crc32c(forged);
  forged.resize(forged.size() + seal::check_size);
  store_le(forged.data() + forged.size() - seal::check_size, check);
  w.at_station(station, forged);
  EXPECT_FALSE(station.up());
  EXPECT_EQ(station.dialer.drops()[Drop::unexpected], 1u);
}

// A listener may be another's; whatever it says, the dialer goes on.
TEST(Handshake, AWelcomeThatCannotBeReadIsDroppedAndSoIsItsCopy) {
  World w;
  Dialer dialer(w.station_key, w.agent_key.public_key, w.agent, {"s", "n", {}}, seeded_entropy(Seed{3}), {},
                Random{Seed{4}});
  Outbox out;
  dialer.start(w.now, out);
  auto const hello = copy_of(std::as_const(out).bytes(0));
  seal::Responder responder(w.agent_key, bytes_of(prologue));
  ASSERT_TRUE(responder.read_hello(Bytes(hello).subspan(head_size)));
  auto const reply = responder.write_reply(key_pair(7).secret_key.clone(), bytes_of("no message"));
  Buffer welcome(head_size);
  store_head(welcome.data(), {Kind::welcome, load_le<std::uint32_t>(hello.data()) >> 8, 0});
  welcome.insert(welcome.end(), reply.begin(), reply.end());
  for (auto i = 0; i < 2; ++i) {
    auto copy = welcome;
    EXPECT_FALSE(dialer.on_datagram(copy, w.agent, w.now, out));
  }
  EXPECT_EQ(dialer.drops()[Drop::malformed], 1u);
  EXPECT_EQ(dialer.drops()[Drop::unexpected], 1u);
  out.clear();
  dialer.on_time(w.now + 1s, out);
  EXPECT_EQ(out.size(), 1u);
}

TEST(Handshake, OtherVersionsAreCountedAtBothEnds) {
  World w;
  auto& station = w.join(delayed(10ms));
  ASSERT_TRUE(w.run_until([&] { return w.both_up(station); }, 1s));
  Buffer const other(40, 0x23);
  w.at_agent(other, station.where);
  w.at_station(station, other);
  EXPECT_EQ(w.listener->drops()[Drop::other_version], 1u);
  EXPECT_EQ(station.dialer.drops()[Drop::other_version], 1u);
  EXPECT_TRUE(w.both_up(station));
}

TEST(Handshake, AFloodOfHellosIsBounded) {
  World w;
  auto& station = w.join(delayed(10ms));
  ASSERT_TRUE(w.run_until([&] { return w.both_up(station); }, 1s));
  w.keep = true;
  w.agent_sent.clear();
  Random random{Seed{3}};
  Entropy entropy = seeded_entropy(Seed{8});
  Outbox out;
  auto sent = 0;
  for (auto ms = 0; ms < 1000; ++ms) {
    Dialer dialer(w.station_key, w.agent_key.public_key, w.agent, {"s", "n", {}}, entropy, {},
                  Random{Seed{random.next()}});
    if (ms % 4 == 0) {
      out.clear();
      dialer.start(w.now, out);
    }
    w.at_agent(std::as_const(out).bytes(0), ipv4(6, 6, 6, 6, 666));
    ++sent;
    w.run(1ms);
  }
  auto const answers = std::count_if(w.agent_sent.begin(), w.agent_sent.end(),
                                     [](auto const& d) { return kind_of(d) == Kind::welcome; });
  EXPECT_LE(answers, 101);
  EXPECT_GE(w.listener->drops()[Drop::busy], static_cast<std::uint64_t>(sent - 101));
  EXPECT_TRUE(w.both_up(station));
  EXPECT_EQ(w.listener->sessions(), 1u);
}

TEST(Handshake, TheLimitOfSessionsHoldsEvenWhenAllComeAtOnce) {
  ListenerOptions options;
  options.max_sessions = 3;
  World w{Seed{1}, options};
  for (auto i = 0; i < 6; ++i) w.join(delayed(20ms));
  auto most = std::size_t{0};
  w.run_until(
      [&] {
        most = std::max(most, w.listener->sessions());
        return false;
      },
      3s);
  EXPECT_EQ(most, 3u);
  auto const up = std::count_if(w.stations.begin(), w.stations.end(), [](auto const& s) { return s->up(); });
  EXPECT_EQ(up, 3);
  EXPECT_GT(w.listener->drops()[Drop::busy], 0u);
  // The seventh is told why in words.
  auto& late = w.join(delayed(20ms));
  w.run(1s);
  EXPECT_EQ(late.why(LinkState::connecting), "refused by agent: 3 sessions are open, which is the limit");
}

TEST(Handshake, AnyBytesAtAnyPortAreOnlyCounted) {
  World w;
  auto& station = w.join(delayed(10ms));
  ASSERT_TRUE(w.run_until([&] { return w.both_up(station); }, 1s));
  Random random{Seed{11}};
  auto const before_agent = w.listener->drops().total();
  auto const before_station = station.dialer.drops().total();
  constexpr auto count = 3000u;
  for (auto i = 0u; i < count; ++i) {
    Buffer any(random.below(200));
    for (auto& b : any) b = static_cast<std::uint8_t>(random.next());
    if (!any.empty() && random.chance(0.7)) any[0] = static_cast<std::uint8_t>(0x10 | random.below(8));
    w.at_agent(any, ipv4(6, 6, 6, 6, 666));
    w.at_station(station, any);
  }
  EXPECT_EQ(w.listener->drops().total() - before_agent, count);
  EXPECT_EQ(station.dialer.drops().total() - before_station, count);
  EXPECT_TRUE(w.both_up(station));
  EXPECT_EQ(w.listener->sessions(), 1u);
}

TEST(Handshake, AClosedDialerCallsNoMore) {
  World w;
  auto& station = w.join(delayed(10ms));
  ASSERT_TRUE(w.run_until([&] { return w.both_up(station); }, 1s));
  Outbox out;
  station.dialer.close("done", w.now, out);
  for (std::size_t i = 0; i < out.size(); ++i) station.there.on_datagram(std::as_const(out).bytes(i), w.now);
  station.keep = true;
  w.run(10s);
  EXPECT_TRUE(station.sent.empty());
  EXPECT_EQ(station.why(LinkState::gone), "done");
  EXPECT_EQ(w.listener->sessions(), 0u);
  EXPECT_EQ(w.agent_changes.back().second.why, "the other side ended it: done");
}

}  // namespace
}  // namespace cy::session
