// The desk by itself.
#include <gtest/gtest.h>

#include "rig.hpp"

namespace cy::command {
namespace {

template <wire::Message M>
Desk::Taken take(Desk& desk, M const& m, Time now) {
  auto const body = wire::body_of(m);
  return desk.on_message(wire::view(body), now);
}
Event event_of(std::uint64_t id) {
  Event e;
  e.id = CommandId{id};
  return e;
}
SetPoint set_point_of(std::uint64_t id, std::uint16_t resource = 1) {
  SetPoint s;
  s.id = CommandId{id};
  s.resource = Resource{resource};
  return s;
}
constexpr Time noon = Time{} + 12h;

TEST(Desk, TakesEachEventOnceAndOnlyTheNewestSetPoint) {
  Desk desk;
  EXPECT_TRUE(take(desk, event_of(1), noon).event);
  EXPECT_FALSE(take(desk, event_of(1), noon).event);
  EXPECT_TRUE(take(desk, set_point_of(5), noon).set_point);
  EXPECT_FALSE(take(desk, set_point_of(5), noon).set_point);
  EXPECT_FALSE(take(desk, set_point_of(4), noon).set_point);
  EXPECT_TRUE(take(desk, set_point_of(4, 2), noon).set_point);
  EXPECT_EQ(desk.counts().repeated, 1u);
  EXPECT_EQ(desk.counts().overtaken, 2u);
  EXPECT_FALSE(desk.on_message({0xc001, {}}, noon).ours);
  auto const broken = desk.on_message({Event::head.type, Bytes(Buffer{1})}, noon);
  EXPECT_TRUE(broken.ours && !broken.event);
  EXPECT_EQ(desk.counts().malformed, 1u);
}

// Robots that do not exist cost as little as those that do.
TEST(Desk, ListensToSoManyResourcesOnly) {
  Desk desk;
  auto taken = 0;
  for (auto resource = 1u; resource <= 0xffff; ++resource) {
    auto const s = set_point_of(resource, static_cast<std::uint16_t>(resource));
    if (!take(desk, s, noon).set_point) continue;
    ++taken;
    desk.saw(s.resource, s.id, Refusal::unknown_robot, {}, noon);
  }
  EXPECT_EQ(taken, 64);
  EXPECT_EQ(desk.counts().beyond, 0xffffu - 64u);
  desk.saw(Resource{9999}, CommandId{99'999}, Refusal::none, {}, noon);
  EXPECT_TRUE(take(desk, set_point_of(100'000, 7), noon).set_point);
}

TEST(Desk, ForgetsTheOldestAndNeverDoesThemAgain) {
  DeskOptions options;
  options.memory = 4;
  Desk desk(options);
  for (auto id = std::uint64_t{1}; id <= 20; ++id) {
    ASSERT_TRUE(take(desk, event_of(id), noon).event);
    ASSERT_TRUE(desk.end(CommandId{id}, Ending::applied, Refusal::none, {}, noon));
  }
  for (auto id = std::uint64_t{1}; id <= 20; ++id) EXPECT_FALSE(take(desk, event_of(id), noon).event);
  EXPECT_GT(desk.counts().forgotten, 10u);
  EXPECT_FALSE(desk.end(CommandId{1}, Ending::applied, Refusal::none, {}, noon));
}

// The ids are the sender's: one that it uses twice must not bring the receiver down.
TEST(Desk, AnIdOfASetPointAndAnEventAsWellBreaksNothing) {
  Desk desk;
  ASSERT_TRUE(take(desk, set_point_of(5), noon).set_point);
  ASSERT_TRUE(take(desk, event_of(5), noon).event);
  EXPECT_TRUE(desk.end(CommandId{5}, Ending::refused, Refusal::no_lease, {}, noon));
  EXPECT_FALSE(desk.end(CommandId{5}, Ending::refused, Refusal::no_lease, {}, noon));
}

}  // namespace
}  // namespace cy::command
