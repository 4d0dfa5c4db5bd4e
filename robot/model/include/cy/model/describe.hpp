// What a device, its robots and their parts are: sent once, and again when it changes.
// Frames: every mount is in the robot's frame (origin at the turning centre on the floor,
// x forward, y left, z up).
#pragma once

#include <cy/model/ids.hpp>
#include <cy/session/datagram.hpp>
#include <cy/wire/fields.hpp>

namespace cy {

enum class PartKind : std::uint8_t {
  base,
  arm,
  gripper,
  head,
  sonar,
  bumper,
  compass,
  gyro,
  power,
  io,
  jobs,
  axes,
  process,
  camera,
  alarms,
  encoder,
  channel
};
constexpr auto names(PartKind) {
  return std::array<std::string_view, 17>{"base",    "arm",    "gripper", "head",    "sonar",  "bumper",
                                          "compass", "gyro",   "power",   "io",      "jobs",   "axes",
                                          "process", "camera", "alarms",  "encoder", "channel"};
}

struct Mount {
  double x{}, y{}, z{};           // m
  double roll{}, pitch{}, yaw{};  // rad, applied yaw, then pitch, then roll
  static constexpr auto fields() {
    return std::tuple{wire::field("x", &Mount::x, "m"),           wire::field("y", &Mount::y, "m"),
                      wire::field("z", &Mount::z, "m"),           wire::field("roll", &Mount::roll, "rad"),
                      wire::field("pitch", &Mount::pitch, "rad"), wire::field("yaw", &Mount::yaw, "rad")};
  }
};

struct PartInfo {
  PartId id;
  PartKind kind{};
  std::string name;
  Mount mount;
  std::vector<Mount> elements;  // a sonar ring's discs, a bumper's segments, in their own order
  double range_max{};           // m; what a ranging part reports when it hears nothing; 0: does not apply
  static constexpr auto fields() {
    return std::tuple{wire::field("id", &PartInfo::id),
                      wire::field("kind", &PartInfo::kind),
                      wire::field("name", &PartInfo::name),
                      wire::field("mount", &PartInfo::mount),
                      wire::field("elements", &PartInfo::elements),
                      wire::field("range_max", &PartInfo::range_max, "m")};
  }
};

// Magnitudes that the robot keeps to, as read back from its controller where it tells.
struct BaseLimits {
  double linear{};                // m/s
  double angular{};               // rad/s
  double linear_acceleration{};   // m/s²
  double linear_deceleration{};   // m/s²
  double angular_acceleration{};  // rad/s²
  double angular_deceleration{};  // rad/s²
  static constexpr auto fields() {
    return std::tuple{wire::field("linear", &BaseLimits::linear, "m/s"),
                      wire::field("angular", &BaseLimits::angular, "rad/s"),
                      wire::field("linear_acceleration", &BaseLimits::linear_acceleration, "m/s²"),
                      wire::field("linear_deceleration", &BaseLimits::linear_deceleration, "m/s²"),
                      wire::field("angular_acceleration", &BaseLimits::angular_acceleration, "rad/s²"),
                      wire::field("angular_deceleration", &BaseLimits::angular_deceleration, "rad/s²")};
  }
};

// The outline on the floor, about the turning centre.
struct Footprint {
  double front{};       // m, from the turning centre to the front
  double rear{};        // m
  double half_width{};  // m
  double radius{};      // m, swept when turning in place
  static constexpr auto fields() {
    return std::tuple{wire::field("front", &Footprint::front, "m"),
                      wire::field("rear", &Footprint::rear, "m"),
                      wire::field("half_width", &Footprint::half_width, "m"),
                      wire::field("radius", &Footprint::radius, "m")};
  }
};

struct RobotInfo {
  RobotId id;
  DeviceId device;
  std::string name;   // as configured: "ada"
  std::string kind;   // "mobile", "arm", "positioner" …
  std::string model;  // "Pioneer P3-DX (p3dx-sh)"
  std::string serial;
  Footprint footprint;
  BaseLimits limits;
  std::vector<PartInfo> parts;
  static constexpr auto fields() {
    return std::tuple{wire::field("id", &RobotInfo::id),
                      wire::field("device", &RobotInfo::device),
                      wire::field("name", &RobotInfo::name),
                      wire::field("kind", &RobotInfo::kind),
                      wire::field("model", &RobotInfo::model),
                      wire::field("serial", &RobotInfo::serial),
                      wire::field("footprint", &RobotInfo::footprint),
                      wire::field("limits", &RobotInfo::limits),
                      wire::field("parts", &RobotInfo::parts)};
  }

  PartInfo const* find(PartKind kind_wanted) const {
    for (auto const& part : parts)
      if (part.kind == kind_wanted) return &part;
    return nullptr;
  }
};

// How a driver stands with its controller.
enum class DevicePhase : std::uint8_t { closed, opening, greeting, configuring, ready, closing, waiting };
constexpr auto names(DevicePhase) {
  return std::array<std::string_view, 7>{"closed", "opening", "greeting", "configuring",
                                         "ready",  "closing", "waiting"};
}

// One thing that happened how often: "bad checksum" 3.
struct Counter {
  std::string reason;
  std::uint64_t count{};
  static constexpr auto fields() {
    return std::tuple{wire::field("reason", &Counter::reason), wire::field("count", &Counter::count)};
  }
};

// Those that counted something.
inline std::vector<Counter> counters_of(session::Drops const& drops) {
  std::vector<Counter> counters;
  for (std::size_t i = 0; i < session::drop_kinds; ++i) {
    auto const why = static_cast<session::Drop>(i);
    if (drops[why] > 0) counters.push_back({std::string(wire::name_of(why)), drops[why]});
  }
  return counters;
}

struct DeviceState {
  static constexpr wire::Head head{0x0201, wire::Family::status, "device_state"};
  DeviceId device;
  DevicePhase phase{};
  std::string step;         // which step it is in, or failed in: "SYNC1"
  std::string trouble;      // what came instead and what to do; empty when all is well
  std::uint32_t attempt{};  // how often it was tried since it was last ready
  double watchdog{};        // s, the controller's own; 0 unknown
  std::vector<Counter> counters;
  static constexpr auto fields() {
    return std::tuple{
        wire::field("device", &DeviceState::device),    wire::field("phase", &DeviceState::phase),
        wire::field("step", &DeviceState::step),        wire::field("trouble", &DeviceState::trouble),
        wire::field("attempt", &DeviceState::attempt),  wire::field("watchdog", &DeviceState::watchdog, "s"),
        wire::field("counters", &DeviceState::counters)};
  }
};

// Everything the agent has: the answer to describe, and sent on every change.
struct Inventory {
  static constexpr wire::Head head{0x0202, wire::Family::report, "inventory"};
  std::uint32_t revision{};
  std::vector<RobotInfo> robots;
  std::vector<DeviceState> devices;
  static constexpr auto fields() {
    return std::tuple{wire::field("revision", &Inventory::revision),
                      wire::field("robots", &Inventory::robots), wire::field("devices", &Inventory::devices)};
  }
};

struct Describe {
  static constexpr wire::Head head{0x0203, wire::Family::command, "describe"};
  static constexpr auto fields() { return std::tuple{}; }
};

// What the agent says of itself: once a second, to a new session, and on every change of the inventory.
struct AgentPulse {
  static constexpr wire::Head head{0x0204, wire::Family::status, "agent_pulse"};
  std::string name;
  std::uint32_t inventory_revision{};  // ask again (describe) when it is not the one you have
  std::uint32_t clock_us{};            // the agent's clock, as in time stamps
  std::uint32_t sessions{};
  double uptime{};
  bool black_box{};            // its records go to a disk
  std::vector<Counter> drops;  // datagrams that it dropped since it began, from whomever they came
  static constexpr auto fields() {
    return std::tuple{wire::field("name", &AgentPulse::name),
                      wire::field("inventory_revision", &AgentPulse::inventory_revision),
                      wire::field("clock_us", &AgentPulse::clock_us, "µs"),
                      wire::field("sessions", &AgentPulse::sessions),
                      wire::field("uptime", &AgentPulse::uptime, "s"),
                      wire::field("black_box", &AgentPulse::black_box),
                      wire::field("drops", &AgentPulse::drops)};
  }
};

}  // namespace cy
