#include <cy/model/catalogue.hpp>
#include <cy/model/driver.hpp>
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

template <class... Ms>
std::multiset<wire::Type> types(wire::Catalogue<Ms...>) {
  return {Ms::head.type...};
}

TEST(Model, EveryMessageComesBack) {
  Random random{Seed{3}};
  [&]<class... Ms>(wire::Catalogue<Ms...>) { (expect_round_trip<Ms>(random), ...); }(ModelMessages{});
}

TEST(Model, TypesAreUniqueAndInTheModelsRange) {
  auto const all = types(ModelMessages{});
  for (auto const type : all) {
    EXPECT_EQ(all.count(type), 1u) << type;
    EXPECT_GE(type, 0x0200);
    EXPECT_LT(type, 0x1000);
  }
}

TEST(Model, StatusFindsItsParts) {
  RobotStatus status;
  status.parts.push_back({PartId{1}, Origin::measured, 0, wire::body_of(PowerState{.voltage = 12.5})});
  EXPECT_DOUBLE_EQ(*status.find<PowerState>()->voltage, 12.5);
  EXPECT_FALSE(status.find<BaseState>());
}

}  // namespace
}  // namespace cy
