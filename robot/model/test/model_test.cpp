#include <cy/model/catalogue.hpp>
#include <cy/model/control.hpp>
#include <cy/wire/audit.hpp>

#include <gtest/gtest.h>

namespace cy {
namespace {

using Faults = std::vector<std::string>;

TEST(Model, MessagesAreSound) {
  EXPECT_EQ(wire::audit(ModelMessages{}, 0x0200, 0x0fff), Faults{});
  EXPECT_EQ(wire::audit(ControlMessages{}, 0x2000, 0x20ff), Faults{});
}

TEST(Model, EveryReasonHasItsWords) {
  EXPECT_EQ(wire::name_of(DisarmReason::internal), "internal fault");
  EXPECT_EQ(wire::name_of(CapReason::sonar_silent), "sonar silent");
  EXPECT_EQ(wire::name_of(Mode::policy), "policy");
  EXPECT_EQ(wire::name_of(TaskPhase::cancelled), "cancelled");
  EXPECT_EQ(wire::name_of(Role::manager), "manager");
}

TEST(Model, StatusFindsItsParts) {
  RobotStatus status;
  status.parts.push_back({PartId{1}, Origin::measured, 0, wire::body_of(PowerState{.voltage = 12.5})});
  EXPECT_DOUBLE_EQ(*status.find<PowerState>()->voltage, 12.5);
  EXPECT_FALSE(status.find<BaseState>());
}

}  // namespace
}  // namespace cy
