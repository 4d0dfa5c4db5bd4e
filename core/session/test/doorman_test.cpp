// Floods at the door: who behaves gets in meanwhile, and what is kept and answered is bounded.
#include <gtest/gtest.h>

#include "world.hpp"

namespace cy::session {
namespace {

constexpr Time noon = Time{} + 12h;
Endpoint const home = ipv4(10, 0, 0, 2, 5000);

struct DoormanTest : testing::Test {
  DoormanOptions options;
  Entropy entropy = seeded_entropy(Seed{3});
  Doorman::Answer admit(Doorman& doorman, Endpoint const& from, Bytes cookie, Time now) {
    return doorman.admit(from, cookie, now, entropy);
  }
  // So many strangers that from now on cookies are asked for.
  void crowd(Doorman& doorman, Time now) {
    while (admit(doorman, ipv4(6, 6, 6, 6, 6), {}, now) == Doorman::Answer::enter) {
    }
  }
};

TEST_F(DoormanTest, FewStrangersJustEnter) {
  Doorman doorman(options);
  for (auto i = 0; i < 1000; ++i)
    ASSERT_EQ(admit(doorman, home, {}, noon + i * 20ms), Doorman::Answer::enter);
}

TEST_F(DoormanTest, ACookieIsGoodForItsAddressAndItsTime) {
  Doorman doorman(options);
  crowd(doorman, noon);
  auto const cookie = doorman.cookie_for(home);
  EXPECT_EQ(admit(doorman, home, cookie, noon), Doorman::Answer::enter);
  for (auto const& other : {ipv4(10, 0, 0, 2, 5001), ipv4(10, 0, 0, 3, 5000)})
    EXPECT_EQ(admit(doorman, other, cookie, noon), Doorman::Answer::prove);
  auto changed = cookie;
  changed[3] ^= 1;
  EXPECT_EQ(admit(doorman, home, changed, noon), Doorman::Answer::prove);
  crowd(doorman, noon + options.secret_life);
  EXPECT_EQ(admit(doorman, home, cookie, noon + options.secret_life), Doorman::Answer::enter);
  crowd(doorman, noon + 2 * options.secret_life);
  EXPECT_EQ(admit(doorman, home, cookie, noon + 2 * options.secret_life), Doorman::Answer::prove);
}

TEST_F(DoormanTest, OneTrueAddressCannotUseUpTheRoomOfAll) {
  Doorman doorman(options);
  crowd(doorman, noon);
  auto const rude = ipv4(6, 6, 6, 6, 6);
  auto const rude_cookie = doorman.cookie_for(rude), cookie = doorman.cookie_for(home);
  auto entered = 0;
  for (auto i = 0; i < 1000; ++i) {
    entered += admit(doorman, rude, rude_cookie, noon + i * 1ms) == Doorman::Answer::enter;
    if (i % 250 == 0) {
      EXPECT_EQ(admit(doorman, home, cookie, noon + i * 1ms), Doorman::Answer::enter);
    }
  }
  EXPECT_LE(entered, 10);
}

TEST_F(DoormanTest, TheOneThatWasQuietLongestIsForgottenFirst) {
  options.addresses = 2;
  Doorman doorman(options);
  crowd(doorman, noon);
  auto const use_up = [&](Endpoint const& e, Time t) {
    while (admit(doorman, e, doorman.cookie_for(e), t) == Doorman::Answer::enter) {
    }
  };
  auto const a = ipv4(1, 0, 0, 1, 1), b = ipv4(1, 0, 0, 2, 1), c = ipv4(1, 0, 0, 3, 1);
  use_up(a, noon);
  use_up(b, noon + 1ms);
  use_up(c, noon + 2ms);  // in place of a
  EXPECT_EQ(admit(doorman, b, doorman.cookie_for(b), noon + 3ms), Doorman::Answer::wait);
  EXPECT_EQ(admit(doorman, a, doorman.cookie_for(a), noon + 4ms), Doorman::Answer::enter);
}

// What floods: whole datagrams, so many a millisecond, each from its own source.
struct Flood {
  char const* name;
  std::function<Buffer(Random&)> datagram;
  std::function<Endpoint(Random&)> from;
};
Buffer head_and(Kind kind, std::size_t size, Random& random) {
  Buffer junk(head_size + size);
  for (auto& b : junk) b = static_cast<std::uint8_t>(random.next());
  store_head(junk.data(), {kind, static_cast<std::uint32_t>(random.below(index_mask)), 0});
  return junk;
}
Endpoint one(Random&) {
  return ipv4(6, 6, 6, 6, 666);
}
Endpoint any(Random& random) {
  return ipv4(static_cast<std::uint8_t>(random.below(250)), static_cast<std::uint8_t>(random.below(250)),
              static_cast<std::uint8_t>(random.below(250)), static_cast<std::uint8_t>(random.below(250)), 6);
}
Buffer right_hello(Random&) {
  static auto const hello = [] {
    auto const station = key_pair(1), agent = key_pair(2);
    Dialer dialer(station, agent.public_key, {}, {"s", "n", {}}, seeded_entropy(Seed{3}), {},
                  Random{Seed{4}});
    Outbox out;
    dialer.start(noon, out);
    return copy_of(std::as_const(out).bytes(0));
  }();
  return hello;
}

class FloodTest : public testing::TestWithParam<Flood> {};

TEST_P(FloodTest, ANewStationGetsInAndWhoStandsIsNotDisturbed) {
  World w;
  auto& standing = w.join();
  ASSERT_TRUE(w.run_until([&] { return w.both_up(standing); }, 1s));
  w.keep = true;
  Random random{Seed{7}};
  Station* fresh = nullptr;
  auto const& flood = GetParam();
  for (auto ms = 0; ms < 3000; ++ms) {
    for (auto i = 0; i < 5; ++i) w.at_agent(flood.datagram(random), flood.from(random));
    if (ms == 500) {
      emulate::Path path;
      path.delay = 20ms;
      fresh = &w.join(path);
    }
    w.run(1ms);
    if (fresh && fresh->up() && w.listener->sessions() == 2) break;
  }
  ASSERT_TRUE(fresh && fresh->up());
  EXPECT_EQ(w.listener->sessions(), 2u);
  EXPECT_TRUE(standing.up());
  EXPECT_EQ(standing.changes.size(), 1u);
  auto const longest = std::max_element(w.agent_sent.begin(), w.agent_sent.end(),
                                        [](auto const& a, auto const& b) { return a.size() < b.size(); });
  EXPECT_LT(longest->size(), 300u);
}
INSTANTIATE_TEST_SUITE_P(
    Kinds, FloodTest,
    testing::Values(
        Flood{"Short", [](Random& r) { return head_and(Kind::hello, 8, r); }, one},
        Flood{"OfTheRightLength", [](Random& r) { return head_and(Kind::hello, 120, r); }, one},
        Flood{"FromForgedAddresses", [](Random& r) { return head_and(Kind::hello, 120, r); }, any},
        Flood{"WithWrongCookies", [](Random& r) { return head_and(Kind::proven_hello, 150, r); }, any},
        Flood{"OfACaughtHello", right_hello, any}),
    [](auto const& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace cy::session
