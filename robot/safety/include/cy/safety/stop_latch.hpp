// A stop that holds: from the moment it was asked for until a person releases it.
//
// Told is not done. It counts as confirmed only while the robot itself reports that it stands
// (and, where the stop removes power, that its motors are off), in reports that came after the
// order. Moves it again, it is unconfirmed again and the order is repeated.
#pragma once

#include <cy/safety/senses.hpp>
#include <cy/safety/stops.hpp>

namespace cy {

struct StopOptions {
  // A resting P3-DX reports a few mm/s of encoder noise.
  double still_linear = 0.02;   // m/s
  double still_angular = 0.05;  // rad/s
  // At least two reports of a controller with a 100 ms cycle.
  Duration still_for = 150ms;
  // Well within any controller's watchdog, and no flood on a 9600 baud line.
  Duration repeat = 250ms;
};

class StopLatch {
 public:
  StopLatch(StopKind kind, std::string by, std::string why, Time now)
      : kind_(kind), by_(std::move(by)), why_(std::move(why)), repeat_at_(now) {}

  StopKind kind() const { return kind_; }
  std::string const& by() const { return by_; }
  std::string const& why() const { return why_; }
  bool confirmed() const { return confirmed_; }

  // A stop on top of this one: the stronger kind counts, the first cause stays.
  void again(StopKind kind, Time now);
  // A report of the robot's base, or its silence. True: confirmed() has changed.
  bool on_report(Senses const& senses, StopOptions const& options, Duration data_too_old, Time now);
  // True: the order is due (again).
  bool due(StopOptions const& options, Time now);
  std::optional<Time> deadline() const { return confirmed_ ? std::nullopt : std::optional(repeat_at_); }

 private:
  StopKind kind_;
  std::string by_;
  std::string why_;
  Time repeat_at_;
  std::optional<Time> still_since_;
  bool confirmed_{};
};

}  // namespace cy
