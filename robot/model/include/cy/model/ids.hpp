// Names of things in an agent. All are given out by the agent's configuration order, from 1.
#pragma once

#include <cy/base/id.hpp>

namespace cy {

using DeviceId = Id<struct DeviceTag, std::uint16_t>;
using RobotId = Id<struct RobotTag, std::uint16_t>;
using PartId = Id<struct PartTag, std::uint16_t>;  // unique within its robot; 0 means the robot itself

}  // namespace cy
