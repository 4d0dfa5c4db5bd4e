// Every message of the robot model.
#pragma once

#include <cy/model/commands.hpp>
#include <cy/model/describe.hpp>
#include <cy/model/state.hpp>

namespace cy {

using ModelMessages =
    wire::Catalogue<DeviceState, Inventory, Describe, AgentPulse, BaseState, SonarState, BumperState,
                    CompassState, GyroState, PowerState, IoState, EncoderState, ArmState, GripperState,
                    HeadState, RobotStatus, Drive, Motors, SonarPower, ResetOdometry, DigitalOut, Probe>;

}  // namespace cy
