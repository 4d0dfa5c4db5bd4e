#include <gtest/gtest.h>

#include "rig.hpp"
#include <set>

namespace cy {
namespace {

using rig::ian, rig::mia, rig::olga, rig::otto, rig::start;

struct LeaseTest : testing::Test {
  LeaseDesk desk{Seed{1}};
};

TEST_F(LeaseTest, IsGrantedWhenFreeAndRefusedWhenHeld) {
  auto const granted = desk.request(olga, false, "", start);
  ASSERT_TRUE(granted);
  EXPECT_FALSE(granted->superseded);
  EXPECT_EQ(desk.request(otto, false, "my turn", start).error(), Refusal::busy);
  ASSERT_EQ(desk.wishes().size(), 1u);
  EXPECT_EQ(desk.wishes()[0].why, "my turn");
  EXPECT_TRUE(desk.authorise(olga, granted->lease, start));
  EXPECT_EQ(desk.authorise(otto, granted->lease, start).error(), Refusal::no_lease);
}

TEST_F(LeaseTest, AnObserverNeverHoldsIt) {
  EXPECT_EQ(desk.request(ian, false, "", start).error(), Refusal::role);
  auto nonsense = olga;
  nonsense.role = static_cast<Role>(77);
  EXPECT_EQ(desk.request(nonsense, true, "", start).error(), Refusal::role);
}

TEST_F(LeaseTest, OnlyAManagerTakesOver) {
  auto const first = desk.request(olga, false, "", start);
  EXPECT_EQ(desk.request(otto, true, "", start).error(), Refusal::role);
  auto const taken = desk.request(mia, true, "", start);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->superseded, first->lease);
  EXPECT_EQ(desk.authorise(olga, first->lease, start).error(), Refusal::no_lease);
}

TEST_F(LeaseTest, TheHolderHandsItToSomebodyWhoWished) {
  auto const first = desk.request(olga, false, "", start);
  EXPECT_EQ(desk.grant(olga, first->lease, otto.station, otto.id, start), Refusal::bad_value);
  EXPECT_FALSE(desk.request(otto, false, "", start));
  EXPECT_EQ(desk.grant(otto, first->lease, otto.station, otto.id, start), Refusal::no_lease);
  EXPECT_EQ(desk.grant(olga, first->lease, otto.station, otto.id, start), Refusal::none);
  EXPECT_TRUE(desk.holder()->same_as(otto));
  EXPECT_NE(desk.id(), first->lease);
  EXPECT_TRUE(desk.wishes().empty());
}

TEST_F(LeaseTest, IdsAreNeverUsedTwiceAndDifferFromRunToRun) {
  std::set<LeaseId> seen;
  LeaseDesk other(Seed{2});
  for (auto i = 0; i < 2000; ++i) {
    EXPECT_TRUE(seen.insert(desk.request(olga, false, "", start)->lease).second);
    EXPECT_TRUE(seen.insert(other.request(olga, false, "", start)->lease).second);
  }
}

TEST_F(LeaseTest, ASinkingRoleEndsIt) {
  EXPECT_TRUE(desk.request(olga, false, "", start));
  auto demoted = olga;
  demoted.role = Role::observer;
  desk.on_person(demoted);
  EXPECT_FALSE(desk.held());
}

TEST_F(LeaseTest, WishesAreBounded) {
  EXPECT_TRUE(desk.request(olga, false, "", start));
  for (std::uint16_t i = 1; i <= LeaseDesk::most_wishes; ++i)
    EXPECT_EQ(
        desk.request({StationId{9}, PersonId{i}, "", Role::operator_}, false, std::string(999, 'x'), start)
            .error(),
        Refusal::busy);
  EXPECT_EQ(desk.request(otto, false, "", start).error(), Refusal::full);
  EXPECT_EQ(desk.wishes()[0].why.size(), longest_words);
  desk.on_station_gone(StationId{9});
  EXPECT_TRUE(desk.wishes().empty());
}

TEST_F(LeaseTest, AuthorityCannotBeCopiedOrMadeUp) {
  static_assert(!std::is_copy_constructible_v<Authority> && !std::is_copy_assignable_v<Authority>);
  static_assert(!std::is_default_constructible_v<Authority>);
  static_assert(!std::is_constructible_v<Authority, Authority::Source, LeaseId>);
  EXPECT_FALSE(desk.bequeath());
}

TEST(People, RolesSinkToWhatTheStationIsTrustedWith) {
  People people;
  EXPECT_EQ(people.introduce(StationId{1}, Role::operator_, {PersonId{1}, "A", Role::manager}),
            Refusal::none);
  EXPECT_EQ(people.find(StationId{1}, PersonId{1})->role, Role::operator_);
  EXPECT_EQ(people.introduce(StationId{1}, Role::manager, {PersonId{2}, "B", static_cast<Role>(9)}),
            Refusal::bad_value);
  EXPECT_EQ(people.introduce(StationId{1}, static_cast<Role>(9), {PersonId{2}, "B", Role::editor}),
            Refusal::none);
  EXPECT_EQ(people.find(StationId{1}, PersonId{2})->role, Role::observer);
  EXPECT_EQ(people.find(StationId{2}, PersonId{1}), nullptr);
}

TEST(People, AStationCannotFillTheMemory) {
  People people;
  for (std::uint16_t i = 1; i <= People::most_per_station; ++i)
    EXPECT_EQ(people.introduce(StationId{1}, Role::manager, {PersonId{i}, "", Role::observer}),
              Refusal::none);
  EXPECT_EQ(people.introduce(StationId{1}, Role::manager, {PersonId{999}, "", Role::observer}),
            Refusal::full);
  EXPECT_EQ(people.introduce(StationId{1}, Role::manager, {PersonId{1}, "again", Role::observer}),
            Refusal::none);
  EXPECT_EQ(
      people.introduce(StationId{2}, Role::manager, {PersonId{1}, std::string(500, 'n'), Role::observer}),
      Refusal::none);
  EXPECT_EQ(people.find(StationId{2}, PersonId{1})->name.size(), People::longest_name);
  people.forget(StationId{1});
  EXPECT_EQ(people.find(StationId{1}, PersonId{1}), nullptr);
}

}  // namespace
}  // namespace cy
