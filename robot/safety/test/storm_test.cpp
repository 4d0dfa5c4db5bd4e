#include "../fuzz/storm.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cy {
namespace {

RC_GTEST_PROP(ControlProperty, AnySequenceKeepsTheInvariants, (std::vector<std::uint8_t> const& bytes)) {
  rig::Storm(bytes.data(), bytes.size()).run();
}

// Long runs, and proof that they get as far as driving.
TEST(ControlProperty, LongStormsDriveAndKeepTheInvariants) {
  Random random{Seed{11}};
  std::size_t moved = 0;
  for (auto run = 0; run < 300; ++run) {
    // Noise alone seldom arms a robot: a person who knows how comes by now and then.
    static constexpr std::uint8_t recover[] = {20, 0,  1, 18, 1,  19, 1, 0, 15, 0, 23,
                                               90, 15, 0, 23, 90, 15, 0, 7, 0,  1, 0};
    static constexpr std::uint8_t drive[] = {0, 1,  0, 1, 0,  23, 255, 15, 0,   23, 255, 15,
                                             0, 3,  0, 0, 1,  0,  12,  0,  0,   10, 150, 2,
                                             0, 17, 3, 9, 12, 0,  0,   5,  120, 3,  2};
    std::vector<std::uint8_t> bytes;
    while (bytes.size() < 2000) {
      if (random.chance(0.05)) bytes.insert(bytes.end(), std::begin(recover), std::end(recover));
      if (random.chance(0.05)) bytes.insert(bytes.end(), std::begin(drive), std::end(drive));
      bytes.push_back(static_cast<std::uint8_t>(random.next()));
    }
    rig::Storm storm(bytes.data(), bytes.size());
    storm.run();
    moved += storm.moved();
  }
  EXPECT_GT(moved, 100u);
}

// A person drives over a link that delays, reorders and loses, and then dies with the key held.
// The robot is told to stop within the lifetime of the last set-point that was fresh.
TEST(ControlProperty, DrivingEndsWithTheLastFreshSetPoint) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random{Seed{seed}};
    rig::Desk d;
    d.armed_for(rig::olga);
    auto const loss = random.uniform(0, 0.3);
    auto const delay = random.uniform(0.001, 0.2);
    struct Flying {
      Time arrives;
      SetPoint sp;
    };
    std::vector<Flying> flying;
    auto const died = d.now + 3s;
    std::optional<Time> fresh_until;
    auto stops = d.all<control::StopDevice>().size();
    std::optional<Time> stopped_at;
    for (; d.now < died + 2s; d.now += 1ms) {
      auto const ms = (d.now - rig::start) / 1ms;
      if (ms % 50 == 0 && d.now < died) {
        SetPoint sp;
        sp.id = CommandId{++d.last_id};
        sp.lease = d.lease;
        sp.echo_us = stamp_us(d.now - from_seconds(delay));
        sp.lifetime_ms = 300;
        sp.what = wire::body_of(Drive{{0.5, 0}});
        if (!random.chance(loss))
          flying.push_back({d.now + from_seconds(delay * random.uniform(1, 1.4)), sp});
      }
      if (ms % 100 == 0) d.report();
      for (auto const& f : flying) {
        if (f.arrives > d.now || f.arrives + 1ms <= d.now) continue;
        d.desk.on_set_point(rig::olga, f.sp, 0ms, d.now);
        d.take();
        if (auto const* e = d.ending(f.sp.id); e && e->ending == Ending::applied) fresh_until = d.now + 300ms;
      }
      if (auto const due = d.desk.deadline(); due && *due <= d.now) d.desk.on_time(d.now);
      d.take();
      if (auto const told = d.all<control::StopDevice>().size(); told > stops && !stopped_at) {
        stopped_at = d.now;
        stops = told;
      }
      for (auto const& drive : d.all<control::ForwardDrive>()) {
        ASSERT_TRUE(fresh_until);
        ASSERT_LE(drive.until, *fresh_until);
      }
      std::erase_if(d.effects,
                    [](auto const& e) { return std::holds_alternative<control::ForwardDrive>(e); });
    }
    ASSERT_TRUE(fresh_until && stopped_at) << seed;
    EXPECT_LE(*stopped_at, *fresh_until) << seed;
    EXPECT_EQ(d.state().mode, Mode::disarmed) << seed;
  }
}

}  // namespace
}  // namespace cy
