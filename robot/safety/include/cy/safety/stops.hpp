// What a stop does to each kind of device: the stop table of docs/safety.md as data.
//
// Categories after IEC 60204-1, 9.2.2: 0 removes power at once, 1 brakes and then removes power,
// 2 brakes and keeps power.
#pragma once

#include <cy/model/driver.hpp>

namespace cy {

struct StopRow {
  std::string_view device;
  StopKind kind{};
  std::string_view orders;     // what the controller is told, in this order
  std::string_view then;       // what drops, and what it takes to go on
  bool motors_off_confirms{};  // power must be seen off before the stop counts as confirmed
};

inline constexpr std::array<StopRow, 3> stop_table{{
    {"arcos", StopKind::category_2, "STOP (29)", "brakes on the robot's own ramp; motors stay on and hold",
     false},
    {"arcos", StopKind::category_1, "E_STOP (55), then ENABLE 0 (4)",
     "brakes as hard as it can, then the motors go off; arming switches them on again", true},
    {"arcos", StopKind::category_0, "ENABLE 0 (4)",
     "the motors go off at once and the robot rolls out; arming switches them on again", true},
}};

constexpr bool needs_motors_off(StopKind kind) {
  return kind != StopKind::category_2;
}
// The smaller the category, the sooner the power is gone.
constexpr bool stronger(StopKind a, StopKind b) {
  return a < b;
}

}  // namespace cy
