#include <cy/model/catalogue.hpp>
#include <cy/safety/messages.hpp>
#include <cy/wire/print.hpp>
#include <cy/wire/sample.hpp>

#include <gtest/gtest.h>

#include <set>

namespace cy {
namespace {

template <class M>
void expect_round_trip(Random& random) {
  for (auto i = 0; i < 50; ++i) {
    auto const bytes = wire::encoded(wire::sample<M>(random));
    wire::Walk walk(bytes);
    auto const raw = walk.next();
    ASSERT_TRUE(raw);
    auto const again = wire::decode<M>(raw->payload);
    ASSERT_TRUE(again) << M::head.name;
    EXPECT_EQ(wire::encoded(*again), bytes) << wire::print(*again);
  }
}

TEST(SafetyMessages, EveryMessageComesBack) {
  Random random{Seed{5}};
  [&]<class... Ms>(wire::Catalogue<Ms...>) { (expect_round_trip<Ms>(random), ...); }(SafetyMessages{});
}

TEST(SafetyMessages, TypesAreUniqueAndInTheRoomsRange) {
  auto const all = []<class... Ms>(wire::Catalogue<Ms...>) {
    return std::multiset<wire::Type>{Ms::head.type...};
  }(SafetyMessages{});
  for (auto const type : all) {
    EXPECT_EQ(all.count(type), 1u) << type;
    EXPECT_GE(type, 0x2000);
    EXPECT_LE(type, 0x20ff);
  }
}

TEST(SafetyMessages, EveryReasonHasItsWords) {
  EXPECT_EQ(wire::name_of(DisarmReason::internal), "internal fault");
  EXPECT_EQ(wire::name_of(CapReason::sonar_silent), "sonar silent");
  EXPECT_EQ(wire::name_of(Mode::policy), "policy");
  EXPECT_EQ(wire::name_of(TaskPhase::cancelled), "cancelled");
  EXPECT_EQ(wire::name_of(Role::manager), "manager");
}

}  // namespace
}  // namespace cy
