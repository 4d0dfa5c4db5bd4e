#include <gtest/gtest.h>

#include "world.hpp"

namespace cy::session {
namespace {

struct Note {
  static constexpr wire::Head head{0xc123, wire::Family::status, "note"};
  std::uint32_t number{};
  Buffer filling;
  static constexpr auto fields() {
    return std::tuple{wire::field("number", &Note::number), wire::field("filling", &Note::filling)};
  }
};

emulate::Path delayed(Duration delay, double loss = 0) {
  emulate::Path path;
  path.delay = delay;
  path.loss = loss;
  return path;
}

struct LinkTest : testing::Test {
  World w{Seed{1}};
  Station* station = nullptr;
  std::vector<Note> heard;  // at the agent

  Station& up(emulate::Schedule const& both, DialerOptions const& options = {}) {
    station = &w.join(both, options);
    w.on_agent_message = [this](SessionId, wire::Raw m) {
      if (auto note = wire::as<Note>(m)) heard.push_back(std::move(*note));
    };
    EXPECT_TRUE(w.run_until([&] { return w.both_up(*station); }, 20s));
    return *station;
  }
  // One sealed datagram of the station's with a note in it, taken off the line.
  Buffer datagram(std::uint32_t number, std::size_t filling = 8) {
    Outbox out;
    station->dialer.link()->post(Note{number, Buffer(filling, 0x55)});
    station->dialer.link()->flush(w.now, out);
    return copy_of(std::as_const(out).bytes(out.size() - 1));
  }
};

TEST_F(LinkTest, AnyFlippedBitInADataDatagramIsDroppedAndCounted) {
  up(delayed(5ms));
  auto const right = datagram(1);
  for (std::size_t bit = 0; bit < right.size() * 8; ++bit) {
    auto changed = right;
    changed[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    auto const before = w.listener->drops().total();
    w.at_agent(changed, ipv4(6, 6, 6, 6, 666));
    ASSERT_EQ(w.listener->drops().total(), before + 1) << "bit " << bit;
  }
  EXPECT_TRUE(heard.empty());
  EXPECT_EQ(w.agent_link()->peer(), station->where);
  w.at_agent(right, station->where);
  EXPECT_EQ(heard.size(), 1u);
  EXPECT_TRUE(w.both_up(*station));
}

TEST_F(LinkTest, AReplayedDatagramIsCountedAndNotHandedOn) {
  up(delayed(5ms));
  auto const once = datagram(1);
  for (auto i = 0; i < 3; ++i) w.at_agent(once, ipv4(6, 6, 6, 6, 666));
  EXPECT_EQ(heard.size(), 1u);
  EXPECT_EQ(w.listener->drops()[Drop::replayed], 2u);
}

TEST_F(LinkTest, EveryDatagramCostsTwentyEightBytes) {
  up(delayed(5ms));
  w.run(2s);
  EXPECT_EQ(overhead, 28u);
  auto const message = wire::size_of(Note{1, Buffer(100)});
  EXPECT_EQ(datagram(1, 100).size(), message + 28);
  EXPECT_EQ(station->dialer.link()->capacity(), 1200u - 28);
}

TEST_F(LinkTest, DatagramsOfAnOlderAgentMoveNothing) {
  up(delayed(5ms));
  auto const old = datagram(1);
  w.restart_agent();
  w.at_agent(old, station->where);
  EXPECT_EQ(w.listener->drops()[Drop::unknown_session], 1u);
  EXPECT_TRUE(heard.empty());
  // The station notices the silence, and comes back with a new session.
  auto const session = station->dialer.session();
  EXPECT_TRUE(w.run_until([&] { return station->dialer.session() != session && w.both_up(*station); }, 10s));
  EXPECT_TRUE(station->when(LinkState::gone));
  w.at_agent(old, station->where);
  EXPECT_TRUE(heard.empty());
}

TEST_F(LinkTest, TheSessionFollowsAChangeOfAddress) {
  up(delayed(5ms));
  auto const elsewhere = ipv4(192, 168, 7, 7, 9999);
  auto const older = datagram(1);
  station->where = elsewhere;
  w.run(200ms);
  EXPECT_EQ(w.agent_link()->peer(), elsewhere);
  EXPECT_TRUE(w.both_up(*station));
  EXPECT_EQ(w.opened.size(), 1u);
  // What was overtaken on the old path does not move it back.
  w.at_agent(older, ipv4(10, 0, 0, 2, 5000));
  EXPECT_EQ(heard.size(), 1u);
  EXPECT_EQ(w.agent_link()->peer(), elsewhere);
  w.run(5s);
  EXPECT_TRUE(w.both_up(*station));
  EXPECT_EQ(w.opened.size(), 1u);
}

TEST_F(LinkTest, SilenceIsLateThenLostThenGoneExactlyOnTime) {
  up(delayed(0ms));
  w.run(1s);
  station->changes.clear();
  auto const heard_last = station->dialer.link()->last_heard();
  w.run(1ms);
  auto const last = std::max(heard_last, station->dialer.link()->last_heard());
  // The agent hears nothing either: both paths are cut.
  auto const agent_last = w.agent_link()->last_heard();
  station->there = emulate::Pipe(emulate::Path{.down = true}, Seed{1});
  station->back = emulate::Pipe(emulate::Path{.down = true}, Seed{2});
  w.run(4s);
  EXPECT_EQ(station->when(LinkState::late), last + 150ms);
  EXPECT_EQ(station->when(LinkState::lost), last + 500ms);
  EXPECT_EQ(station->when(LinkState::gone), last + 3s);
  ASSERT_EQ(w.agent_changes.size(), 3u);
  EXPECT_EQ(w.agent_changes[0].first, agent_last + 150ms);
  EXPECT_EQ(w.agent_changes[1].first, agent_last + 500ms);
  EXPECT_EQ(w.agent_changes[2].first, agent_last + 3s);
  EXPECT_EQ(w.agent_changes[2].second.why, "nothing heard for 3.0 s");
  EXPECT_EQ(w.listener->sessions(), 0u);
}

TEST_F(LinkTest, AnOutageShorterThanGoneKeepsTheSession) {
  up(delayed(5ms));
  w.run(1s);
  station->there = emulate::Pipe(emulate::Path{.down = true}, Seed{1});
  w.run(2s);
  EXPECT_EQ(w.open.begin()->second, LinkState::lost);
  station->there = emulate::Pipe(delayed(5ms), Seed{1});
  EXPECT_TRUE(w.run_until([&] { return w.both_up(*station); }, 100ms));
  EXPECT_EQ(w.opened.size(), 1u);
  EXPECT_EQ(w.agent_changes.back().second.why, "heard again");
}

TEST_F(LinkTest, ThresholdsAreOptions) {
  DialerOptions options;
  options.link.late = 1s;
  options.link.lost = 60s;
  options.link.gone = 180s;
  up(delayed(5ms), options);
  w.run(1s);
  auto const last = station->dialer.link()->last_heard();
  station->back = emulate::Pipe(emulate::Path{.down = true}, Seed{1});
  w.run(200s);
  EXPECT_EQ(station->when(LinkState::late), last + 1s);
  EXPECT_EQ(station->when(LinkState::lost), last + 60s);
  EXPECT_EQ(station->when(LinkState::gone), last + 180s);
}

TEST_F(LinkTest, TheRoundTripIsThePathsOwn) {
  w.skew = 12345ms;
  up(delayed(40ms));
  w.run(3s);
  auto const here = station->dialer.link()->statistics();
  auto const there = w.agent_link()->statistics();
  ASSERT_TRUE(here.rtt && there.rtt && here.clock_offset && there.clock_offset);
  EXPECT_EQ(*here.rtt, 80ms);
  EXPECT_EQ(*here.rtt_min, 80ms);
  EXPECT_EQ(*there.rtt, 80ms);
  EXPECT_EQ(here.jitter, 0ns);
  EXPECT_EQ(here.loss, 0.0);
  EXPECT_EQ(*here.clock_offset, 12345ms);
  EXPECT_EQ(*there.clock_offset, -12345ms);
}

// 200 ppm and a path that is seldom at its best: after ten minutes the first estimate would be 120 ms off.
TEST_F(LinkTest, TheClockOffsetFollowsClocksThatDriftApart) {
  emulate::Path path = delayed(20ms);
  path.jitter = 4ms;
  up(path);
  for (auto second = 0; second < 600; ++second) {
    w.run(1s);
    w.skew += 200us;
    auto const s = station->dialer.link()->statistics();
    ASSERT_NEAR(milliseconds(*s.clock_offset - w.skew), 0.0, 10.0) << second;
  }
}

TEST_F(LinkTest, LossAndJitterAreEstimated) {
  emulate::Path path = delayed(20ms, 0.10);
  path.jitter = 10ms;
  up(path);
  w.run(60s);
  auto const s = station->dialer.link()->statistics();
  EXPECT_NEAR(s.loss, 0.10, 0.06);
  EXPECT_NEAR(s.loss_there, 0.10, 0.04);
  EXPECT_GT(s.jitter, 1ms);
  EXPECT_LT(s.jitter, 7ms);
  EXPECT_GT(*s.rtt, 40ms);
  EXPECT_LT(*s.rtt, 62ms);
}

TEST_F(LinkTest, KeysChangeByTimeAcrossLoss) {
  DialerOptions options;
  options.link.rekey = 1s;
  up(delayed(20ms, 0.3), options);
  auto sent = 0u;
  for (auto i = 0; i < 200; ++i) {
    station->dialer.link()->post(Note{++sent, {}});
    w.flush();
    w.run(50ms);
  }
  EXPECT_EQ(w.opened.size(), 1u);
  EXPECT_TRUE(w.listener->drops().total() == 0) << w.listener->drops().total();
  EXPECT_GT(heard.size(), 100u);
  EXPECT_LT(heard.size(), 180u);
  // A change of keys is no loss.
  EXPECT_LT(w.agent_link()->statistics().missing, 400u);
}

TEST_F(LinkTest, LargeMessagesGoInPieces) {
  up(delayed(5ms));
  Random random{Seed{4}};
  for (auto const size : {1171u, 1172u, 1173u, 5000u, 200'000u}) {
    heard.clear();
    Note note{size, Buffer(size)};
    for (auto& b : note.filling) b = static_cast<std::uint8_t>(random.next());
    station->dialer.link()->post(note);
    w.flush();
    w.run(20ms);
    ASSERT_EQ(heard.size(), 1u) << size;
    EXPECT_EQ(heard[0].filling, note.filling);
  }
}

TEST_F(LinkTest, AMessageThatNoLinkCarriesIsCountedAndNotSent) {
  up(delayed(5ms));
  auto* link = station->dialer.link();
  auto const head = wire::size_of(Note{1, Buffer(max_message)}) - max_message;
  link->post(Note{1, Buffer(max_message - head)});
  link->post(Note{2, Buffer(max_message - head + 1)});
  link->post(wire::Raw{Note::head.type, Buffer(max_message)});
  link->post(Note{3, {}});
  w.flush();
  w.run(200ms);
  EXPECT_EQ(link->drops()[Drop::too_large], 2u);
  ASSERT_EQ(heard.size(), 2u);
  EXPECT_EQ(heard[0].filling.size(), max_message - head);
  EXPECT_EQ(heard[1].number, 3u);
  EXPECT_TRUE(w.both_up(*station));
}

TEST_F(LinkTest, AMissingPieceLosesTheWholeAndNothingElse) {
  up(delayed(5ms));
  Outbox out;
  for (auto n = 1u; n <= 20; ++n) {
    out.clear();
    station->dialer.link()->post(Note{n, Buffer(5000)});
    station->dialer.link()->flush(w.now, out);
    for (std::size_t i = 0; i < out.size(); ++i)
      if (n % 2 == 0 || i != 2) w.at_agent(std::as_const(out).bytes(i), station->where);
  }
  ASSERT_EQ(heard.size(), 10u);
  for (auto const& note : heard) EXPECT_EQ(note.number % 2, 0u);
  EXPECT_EQ(w.listener->drops()[Drop::malformed], 0u);
}

TEST_F(LinkTest, PiecesThatContradictEachOtherAreCounted) {
  up(delayed(5ms));
  auto* link = station->dialer.link();
  link->post(Fragment{1, 0, 0, Buffer(4)});      // of none
  link->post(Fragment{2, 5, 3, Buffer(4)});      // beyond the last
  link->post(Fragment{3, 0, 65535, Buffer(4)});  // more than a whole may have
  link->post(Fragment{4, 0, 2, {}});             // empty
  link->post(Fragment{5, 0, 2, Buffer(4)});
  link->post(Fragment{5, 1, 3, Buffer(4)});                         // another count
  link->post(Fragment{6, 0, 1, Buffer(40, 0xff)});                  // a whole that is no message
  link->post(Fragment{7, 0, 1, wire::encoded(Goodbye{"hidden"})});  // the link's own, smuggled in
  w.flush();
  w.run(20ms);
  EXPECT_EQ(w.listener->drops()[Drop::malformed], 7u);
  EXPECT_TRUE(w.both_up(*station));
  EXPECT_TRUE(heard.empty());
}

TEST_F(LinkTest, GoodbyeEndsItAtOnce) {
  up(delayed(5ms, 0.2));
  Outbox out;
  w.listener->close("maintenance", w.now, out);
  for (std::size_t i = 0; i < out.size(); ++i) station->back.on_datagram(std::as_const(out).bytes(i), w.now);
  EXPECT_TRUE(w.run_until([&] { return station->when(LinkState::gone).has_value(); }, 10ms));
  EXPECT_EQ(station->why(LinkState::gone), "the other side ended it: maintenance");
}

TEST_F(LinkTest, TheCopiesOfAGoodbyeAreNoFault) {
  for (auto i = 0; i < 3; ++i) {
    up(delayed(5ms));
    Outbox out;
    station->dialer.close("done", w.now, out);
    for (std::size_t at = 0; at < out.size(); ++at) w.at_agent(std::as_const(out).bytes(at), station->where);
    w.run(100ms);
  }
  EXPECT_EQ(w.listener->sessions(), 0u);
  EXPECT_EQ(w.listener->drops()[Drop::unknown_session], 0u);
}

TEST_F(LinkTest, MessagesBesideTheLinksOwnArrive) {
  up(delayed(5ms));
  auto* link = station->dialer.link();
  link->post(Note{1, {}});
  link->post(Heartbeat{});
  link->post(Note{2, {}});
  link->post(wire::Raw{0x0077, {}});  // a session type of a later version
  link->post(Note{3, {}});
  w.flush();
  w.run(20ms);
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(heard[2].number, 3u);
}

// A station whose process hangs loses nothing but time.
TEST_F(LinkTest, AFrozenStationComesBackByItself) {
  up(delayed(5ms));
  station->stopped = true;
  w.run(10s);
  EXPECT_EQ(w.listener->sessions(), 0u);
  station->stopped = false;
  EXPECT_TRUE(w.run_until([&] { return w.both_up(*station); }, 5s));
  EXPECT_EQ(w.opened.size(), 2u);
}

}  // namespace
}  // namespace cy::session
