// What every driver of the table must hold to. A new driver joins by its line in `entries`.
#include <cy/base/random.hpp>
#include <cy/drivers/drivers.hpp>

#include "arcos_peer.hpp"
#include <limits>

namespace cy {
namespace {

using test::Order;

struct Entry {
  std::string kind;
  std::string address;
  std::function<std::unique_ptr<test::Peer>()> peer;  // none: the driver has no channel
  std::function<std::vector<Buffer>()> recordings{};  // of what its controllers say
};

std::vector<Entry> const entries{
    {"arcos", "tcp:127.0.0.1:8101", [] { return std::make_unique<test::ArcosPeer>(); },
     test::arcos_recordings},
    {"null", "null:", {}, {}},
};

Entry const* find_entry(std::string_view kind) {
  for (auto const& entry : entries)
    if (entry.kind == kind) return &entry;
  return nullptr;
}
Entry const& entry_of(std::string_view kind) {
  if (auto const* entry = find_entry(kind)) return *entry;
  throw std::runtime_error(fmt::format("the driver \"{}\" has no line in `entries` of {}", kind, __FILE__));
}

class DriverContract : public testing::TestWithParam<std::string> {
 protected:
  Entry const& entry_{entry_of(GetParam())};
  std::unique_ptr<test::Peer> peer_{entry_.peer ? entry_.peer() : nullptr};
  std::unique_ptr<Driver> driver_{make()};
  test::Host host_{*driver_, peer_.get()};

  std::unique_ptr<Driver> make() const {
    DriverConfig config;
    config.device = DeviceId{1};
    config.first_robot = RobotId{1};
    config.name = "ada";
    config.address = entry_.address;
    auto driver = make_driver(entry_.kind, config);
    if (!driver) throw std::runtime_error(driver.error().what);
    return std::move(*driver);
  }
  void become_ready() {
    host_.start();
    ASSERT_TRUE(host_.run_until([&] { return host_.ready(); }, 10s)) << host_.trouble();
  }
  void become_drivable() {
    ASSERT_NO_FATAL_FAILURE(become_ready());
    auto const id = host_.command(Motors{true});
    ASSERT_TRUE(host_.run_until([&] { return host_.ending(id).has_value(); }, 3s));
    ASSERT_EQ(host_.ending(id), Refusal::none);
  }
  void become_driven() {
    ASSERT_NO_FATAL_FAILURE(become_drivable());
    host_.command(Drive{{0.2, 0.0}}, 1min);
    host_.run_for(500ms);
    ASSERT_GT(host_.base().twist.linear, 0.1);
  }
  static void stop_came_first(test::Host const& host, std::size_t mark) {
    auto const* first = host.first_order(mark);
    ASSERT_NE(first, nullptr) << "nothing was sent that stops it";
    EXPECT_EQ(first->order, Order::stops)
        << "before any stop, this was sent: " << testing::PrintToString(first->bytes);
  }
  // The moments after start at which things are done to a driver: in every phase of its life.
  static constexpr std::array<Duration, 8> moments{0ms, 2ms, 15ms, 30ms, 90ms, 140ms, 500ms, 3s};

  // A driver like driver_, with a peer of its own.
  struct Fresh {
    std::unique_ptr<test::Peer> peer;
    std::unique_ptr<Driver> driver;
    test::Host host;
    Fresh(DriverContract const& test)
        : peer(test.entry_.peer ? test.entry_.peer() : nullptr),
          driver(test.make()),
          host(*driver, peer.get()) {}
  };
};

TEST_P(DriverContract, BecomesReadyAndDescribesItsRobot) {
  become_ready();
  ASSERT_EQ(host_.robots.size(), 1u);
  EXPECT_EQ(host_.robots[0].id, RobotId{1});
  EXPECT_EQ(host_.robots[0].name, "ada");
  EXPECT_NE(host_.robots[0].find(PartKind::base), nullptr);
  EXPECT_GT(host_.robots[0].limits.linear, 0.0);
  std::set<PartId> parts;
  for (auto const& part : host_.robots[0].parts) EXPECT_TRUE(parts.insert(part.id).second);
  host_.run_for(1s);
  EXPECT_GE(host_.reports, 5u);
  for (auto const& [part, state] : host_.parts) EXPECT_EQ(parts.count(part), 1u) << part.value;
}

TEST_P(DriverContract, MovesAndStopsByItself) {
  become_drivable();
  auto const id = host_.command(Drive{{0.2, 0.0}}, 400ms);
  auto const until = host_.now() + 400ms;
  host_.run_for(390ms);
  EXPECT_EQ(host_.ending(id), Refusal::none);
  EXPECT_GT(host_.base().twist.linear, 0.1);
  auto const mark = host_.sent.size();
  host_.run_for(10ms);
  if (peer_) {
    stop_came_first(host_, mark);
    EXPECT_EQ(host_.sent[mark].at, until);
  }
  host_.run_for(300ms);
  EXPECT_EQ(host_.base().twist, Twist{});
}

TEST_P(DriverContract, RefusesToMoveWhenNotReady) {
  host_.start();
  auto const early = host_.command(Drive{{0.1, 0.0}});
  host_.run_until([&] { return host_.ready(); }, 10s);
  auto const without_power = host_.command(Drive{{0.1, 0.0}});
  EXPECT_EQ(host_.ending(early), Refusal::not_ready);
  EXPECT_EQ(host_.ending(without_power), Refusal::not_ready);
}

TEST_P(DriverContract, RefusesWhatMakesNoSense) {
  become_drivable();
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  auto const inf = std::numeric_limits<double>::infinity();
  for (auto const& twist : {Twist{nan, 0}, Twist{0, nan}, Twist{inf, 0}, Twist{0, -inf}})
    EXPECT_EQ(host_.ending(host_.command(Drive{twist})), Refusal::not_finite);
  EXPECT_EQ(host_.ending(host_.command(Drive{{0.1, 0.0}}, -1ms)), Refusal::too_old);
  EXPECT_EQ(host_.ending(host_.command(wire::Body{0xc123, {}})), Refusal::unknown_command);
  EXPECT_EQ(host_.ending(host_.command(wire::Body{Drive::head.type, {200}})), Refusal::bad_value);
  EXPECT_EQ(host_.ending(host_.command(wire::body_of(Drive{}), 300ms, RobotId{9})), Refusal::unknown_robot);
  host_.run_for(500ms);
  EXPECT_EQ(host_.base().twist, Twist{});
}

TEST_P(DriverContract, EveryCommandEndsOnce) {
  for (auto const moment : moments) {
    Fresh fresh{*this};
    auto& host = fresh.host;
    host.start();
    host.run_for(moment);
    auto expected = 0u;
    for (auto round = 0; round < 3; ++round) {
      for (auto const& what :
           {wire::body_of(Motors{true}), wire::body_of(Drive{{0.1, 0.1}}), wire::body_of(SonarPower{true}),
            wire::body_of(ResetOdometry{}), wire::body_of(DigitalOut{1, 1}), wire::body_of(Probe{}),
            wire::body_of(Drive{{0.2, 0.1}}), wire::body_of(Motors{false}), wire::body_of(Motors{true})}) {
        host.command(what);
        ++expected;
      }
      host.stop(static_cast<StopKind>(round));
      host.run_for(30ms);
    }
    host.close();
    host.run_for(2s);
    EXPECT_TRUE(fresh.driver->closed());
    EXPECT_EQ(host.endings.size(), expected) << "moment " << moment.count();
    for (auto const& [id, endings] : host.endings)
      EXPECT_EQ(endings.size(), 1u) << "command " << id << " at moment " << moment.count();
  }
}

TEST_P(DriverContract, StopsInEveryPhase) {
  for (auto const moment : moments) {
    for (auto kind : {StopKind::category_0, StopKind::category_1, StopKind::category_2}) {
      Fresh fresh{*this};
      auto& host = fresh.host;
      host.start();
      host.run_for(moment);
      auto const mark = host.sent.size();
      host.stop(kind);
      if (host.lines_open()) {
        SCOPED_TRACE(fmt::format("at {} ms", milliseconds(moment)));
        stop_came_first(host, mark);
      }
      EXPECT_TRUE(host.run_until([&] { return host.ready(); }, 20s)) << "moment " << moment.count();
    }
  }
}

TEST_P(DriverContract, AStopEndsADrive) {
  for (auto kind : {StopKind::category_0, StopKind::category_1, StopKind::category_2}) {
    Fresh fresh{*this};
    auto& host = fresh.host;
    host.start();
    host.run_until([&] { return host.ready(); }, 10s);
    auto const on = host.command(Motors{true});
    host.run_until([&] { return host.ending(on).has_value(); }, 3s);
    host.command(Drive{{0.3, 0.0}}, 10s);
    host.run_for(500ms);
    ASSERT_GT(host.base().twist.linear, 0.1);
    host.stop(kind);
    host.run_for(600ms);
    EXPECT_EQ(host.base().twist, Twist{}) << names(kind)[static_cast<std::size_t>(kind)];
    host.run_for(3s);
    EXPECT_EQ(host.base().twist, Twist{});
    EXPECT_EQ(host.base().motors, kind == StopKind::category_2);
  }
}

TEST_P(DriverContract, SurvivesAnyBytesInEveryPhase) {
  Random random{Seed{42}};
  auto const recordings = entry_.recordings ? entry_.recordings() : std::vector<Buffer>{};
  for (auto const moment : moments) {
    for (auto round = 0; round < 20; ++round) {
      Fresh fresh{*this};
      auto& host = fresh.host;
      host.start();
      host.run_for(moment);
      for (auto piece = 0; piece < 10; ++piece) {
        Buffer bytes;
        if (recordings.empty() || random.chance(0.5)) {
          bytes.resize(random.below(300));
          for (auto& b : bytes) b = static_cast<std::uint8_t>(random.next());
        } else {
          bytes = recordings[random.below(recordings.size())];
          bytes.resize(random.below(bytes.size() + 1));
          if (!bytes.empty()) bytes[random.below(bytes.size())] ^= static_cast<std::uint8_t>(random.next());
        }
        host.feed(bytes);
        host.run_for(from_seconds(random.uniform(0.0, 0.2)));
      }
      EXPECT_TRUE(host.run_until([&] { return host.ready(); }, 40s)) << "moment " << moment.count();
    }
  }
}

TEST_P(DriverContract, ClosesInEveryPhase) {
  for (auto const moment : moments) {
    Fresh fresh{*this};
    auto& host = fresh.host;
    host.start();
    host.run_for(moment);
    auto const was_open = host.lines_open();
    auto const mark = host.sent.size();
    host.close();
    EXPECT_TRUE(host.run_until([&] { return fresh.driver->closed(); }, driver::close_most))
        << "moment " << moment.count();
    EXPECT_FALSE(host.any_line_open());
    EXPECT_EQ(fresh.driver->deadline(), std::nullopt);
    if (was_open) {
      SCOPED_TRACE(fmt::format("at {} ms", milliseconds(moment)));
      stop_came_first(host, mark);
    }
    // And stays closed.
    auto const after_close = host.sent.size();
    host.close();
    host.stop(StopKind::category_0);
    host.command(Probe{});
    host.run_for(60s);
    EXPECT_EQ(host.sent.size(), after_close);
  }
}

// ---- a line that goes, and comes back ------------------------------------------------------

class DriverContractOnALine : public DriverContract {
 protected:
  // Ready again, and of what was before the gap nothing is left: it stands, without power, and says
  // that its odometry is another one. `mark`: what was sent by the beginning of the gap.
  void comes_back_standing(std::size_t mark, std::uint32_t epoch_before) {
    host_.parts.clear();
    auto const* base = host_.robots.front().find(PartKind::base);
    auto powered = false;
    auto const back = [&] {
      if (host_.parts.count(base->id) == 0) return false;
      powered = powered || host_.base().motors;
      return host_.ready();
    };
    ASSERT_TRUE(host_.run_until(back, 1min)) << host_.trouble();
    EXPECT_FALSE(powered) << "motors are reported on, though nobody has asked for them since the gap";
    EXPECT_EQ(host_.trouble(), "");
    stop_came_first(host_, mark);
    EXPECT_GT(host_.base().odometry_epoch, epoch_before);
    EXPECT_EQ(host_.ending(host_.command(Drive{{0.2, 0.0}})), Refusal::not_ready);

    host_.run_for(1s);
    EXPECT_EQ(host_.base().twist, Twist{});
    auto const on = host_.command(Motors{true});
    ASSERT_TRUE(host_.run_until([&] { return host_.ending(on).has_value(); }, 3s));
    EXPECT_EQ(host_.ending(on), Refusal::none);
    host_.run_for(1s);
    EXPECT_EQ(host_.base().twist, Twist{}) << "with its motors on it takes up its old motion";
  }
};

TEST_P(DriverContractOnALine, ALineThatIsLostLeavesNothingToGoOn) {
  ASSERT_NO_FATAL_FAILURE(become_driven());
  auto const epoch = host_.base().odometry_epoch;
  auto const mark = host_.sent.size();
  host_.drop_lines("reset by peer");
  EXPECT_FALSE(host_.ready());
  EXPECT_NE(host_.trouble().find("reset by peer"), std::string::npos) << host_.trouble();
  comes_back_standing(mark, epoch);
}

TEST_P(DriverContractOnALine, SilenceIsNoticedAndLeavesNothingToGoOn) {
  ASSERT_NO_FATAL_FAILURE(become_driven());
  auto const epoch = host_.base().odometry_epoch;
  peer_->mute = true;
  ASSERT_TRUE(host_.run_until([&] { return !host_.ready(); }, driver::silence_most))
      << "ready, though nothing was heard for " << seconds(driver::silence_most) << " s";
  EXPECT_NE(host_.trouble(), "");
  auto const mark = host_.sent.size();
  host_.run_for(5s);
  EXPECT_FALSE(host_.ready());
  peer_->mute = false;
  comes_back_standing(mark, epoch);
}

TEST_P(DriverContract, NeverSpins) {
  // With a peer that says nothing, and with a line that is not there.
  for (auto const absent : {false, true}) {
    driver_ = make();
    test::Host host{*driver_, nullptr};
    host.refuse_to_open = absent;
    host.start();
    host.run_for(300s);
    EXPECT_LT(host.devices.size(), 400u);
  }
}

TEST_P(DriverContract, RefusesUnknownOptionsByName) {
  DriverConfig config;
  config.address = entry_.address;
  config.options.emplace_back("no_such_thing", "1");
  auto const made = make_driver(entry_.kind, config);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find("no_such_thing"), std::string::npos);
}

std::vector<std::string> kinds() {
  std::vector<std::string> all;
  for (auto const& entry : drivers()) all.emplace_back(entry.name);
  return all;
}

std::vector<std::string> kinds_on_a_line() {
  auto all = kinds();
  std::erase_if(all, [](auto const& kind) {
    auto const* entry = find_entry(kind);
    return entry == nullptr || !entry->peer;
  });
  return all;
}

auto const by_kind = [](auto const& made) { return made.param; };
INSTANTIATE_TEST_SUITE_P(All, DriverContract, testing::ValuesIn(kinds()), by_kind);
INSTANTIATE_TEST_SUITE_P(All, DriverContractOnALine, testing::ValuesIn(kinds_on_a_line()), by_kind);

TEST(DriverContractEntries, AreDriversOfTheTable) {
  auto const table = kinds();
  for (auto const& entry : entries)
    EXPECT_EQ(std::count(table.begin(), table.end(), entry.kind), 1)
        << "no cy_add_driver(" << entry.kind << ") in robot/drivers/CMakeLists.txt";
}

TEST(MakeDriver, NamesTheDriversThatThereAre) {
  auto const made = make_driver("r2d2", {});
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().what.find("r2d2"), std::string::npos);
  for (auto const& kind : kinds()) EXPECT_NE(made.error().what.find(kind), std::string::npos) << kind;
}

}  // namespace
}  // namespace cy
