// What a device's configuration may say to the arcos driver, with its defaults.
#pragma once

#include <cy/base/result.hpp>
#include <cy/base/time.hpp>
#include <cy/model/driver.hpp>

#include "generation.hpp"

namespace cy::arcos {

struct Options {
  // Taken when the robot's own sub-type is unknown; a known one always wins.
  Generation const* parameters{};

  // Limits set for the session; unset ones stay as the controller has them.
  std::optional<double> speed;              // speed_m_s
  std::optional<double> turn;               // turn_rad_s
  std::optional<double> acceleration;       // acceleration_m_s2
  std::optional<double> deceleration;       // deceleration_m_s2
  std::optional<double> turn_acceleration;  // turn_acceleration_rad_s2
  std::optional<double> turn_deceleration;  // turn_deceleration_rad_s2

  // Odometry calibration for the session, in the controller's units.
  std::optional<int> rev_count;     // rev_count
  std::optional<int> drift_factor;  // drift_factor
  std::optional<int> ticks_mm;      // ticks_mm

  // Streams to ask for.
  bool io{};                  // io = true
  bool encoder{};             // encoder = true
  bool gyro{};                // gyro = true
  std::optional<bool> sonar;  // sonar = true|false; unset: as the controller starts it

  // A live set-point is repeated this often, so that a lost packet costs little.
  Duration resend{200ms};  // resend_ms, 50 to 1000
  // On a serial line the controller may be told to go to 38400 baud, as a full report at 9600
  // takes a whole report period.
  bool switch_baud{true};  // switch_baud
};

Result<Options> parse_options(std::vector<std::pair<std::string, std::string>> const& options);

}  // namespace cy::arcos
