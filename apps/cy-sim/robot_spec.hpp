// The texts by which cy-sim is told what to simulate.
//
//   p3dx-sh@1,2,90:8101          a robot at x, y in m, heading in degrees, on TCP port 8101
//   p3dx:0                       at the world's next start, on any free port
//   p3dx-sh:pty:/tmp/pioneer     on a pty, with a link to it at that path
//   2:silent@3s                  a fault order for the second robot; without a number for all
//   2=/dev/shm/eye               a camera of the second robot; without a number of the first
#pragma once

#include <cy/base/geometry.hpp>
#include <cy/base/result.hpp>
#include <cy/controllers/arcos_options.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cy::sim {

struct RobotSpec {
  Generation generation{};
  std::optional<Pose2> pose;
  std::uint16_t port{};  // with an empty pty
  std::string pty;
};
Result<RobotSpec> parse_robot_spec(std::string_view text);

struct FaultSpec {
  std::size_t robot{};  // from 1; 0: all
  std::vector<FaultOrder> orders;
};
Result<FaultSpec> parse_fault_spec(std::string_view text);

struct CameraSpec {
  std::size_t robot{1};
  std::string path;
};
Result<CameraSpec> parse_camera_spec(std::string_view text);

// "1,2;3,2;3,5": corners of a walk, in m; at least two.
Result<std::vector<Vec2>> parse_walk(std::string_view text);

}  // namespace cy::sim
