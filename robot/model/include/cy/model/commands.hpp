// What a robot can be told. Drive is a set-point: newest wins, it dies with its lifetime. The
// rest are events: done once, and answered.
#pragma once

#include <cy/model/ids.hpp>
#include <cy/wire/codec.hpp>

namespace cy {

struct Drive {
  static constexpr wire::Head head{0x0240, wire::Family::command, "drive"};
  Twist twist;
  static constexpr auto fields() { return std::tuple{wire::field("twist", &Drive::twist)}; }
};

struct Motors {
  static constexpr wire::Head head{0x0241, wire::Family::command, "motors"};
  bool on{};
  static constexpr auto fields() { return std::tuple{wire::field("on", &Motors::on)}; }
};

struct SonarPower {
  static constexpr wire::Head head{0x0242, wire::Family::command, "sonar_power"};
  bool on{};
  static constexpr auto fields() { return std::tuple{wire::field("on", &SonarPower::on)}; }
};

struct ResetOdometry {
  static constexpr wire::Head head{0x0243, wire::Family::command, "reset_odometry"};
  static constexpr auto fields() { return std::tuple{}; }
};

struct DigitalOut {
  static constexpr wire::Head head{0x0244, wire::Family::command, "digital_out"};
  std::uint8_t mask{};    // which outputs to change
  std::uint8_t states{};  // and how
  static constexpr auto fields() {
    return std::tuple{wire::field("mask", &DigitalOut::mask), wire::field("states", &DigitalOut::states)};
  }
};

// Does nothing and is answered: measures the whole way to a driver and back.
struct Probe {
  static constexpr wire::Head head{0x0245, wire::Family::command, "probe"};
  Buffer filling;
  static constexpr auto fields() { return std::tuple{wire::field("filling", &Probe::filling)}; }
};

}  // namespace cy
