// What the motion servers of a Pioneer controller do with set-points: trapezoids within the
// session's limits, distance and heading moves, the stops. It commands speeds; wheels and floor
// make of them what they can. Pure; m, rad, s.
#pragma once

#include <cy/base/geometry.hpp>
#include <cy/base/time.hpp>

#include <variant>

namespace cy::sim {

// Of the session: SETV, SETA, SETRV, SETRA; FLASH's values at its start.
struct MotionLimits {
  double speed{};       // m/s
  double accel{};       // m/s^2
  double decel{};       // m/s^2
  double turn{};        // rad/s
  double turn_accel{};  // rad/s^2
  double turn_decel{};  // rad/s^2
};

// GUESSES: nobody documents how hard "at once" is (E_STOP), nor how the gears brake a base
// without power. Both are far above any session's deceleration.
inline constexpr double estop_decel = 4.0;        // m/s^2
inline constexpr double estop_turn_decel = 15.0;  // rad/s^2
inline constexpr double unpowered_decel = 2.0;
inline constexpr double unpowered_turn_decel = 8.0;

class Motion {
 public:
  // What the last heading move aims at; `odometry` angles are unwrapped.
  struct Speed {
    double value{};
  };
  struct Distance {
    double remaining{};  // m, signed
  };
  struct Heading {
    double target{};  // rad, in the unwrapped odometry
  };

  // Set-points. `now` is the unwrapped odometry heading.
  void vel(double speed);
  void move(double distance);
  void rvel(double speed);
  void head(double angle, double now);     // the shortest way to that direction
  void turn(double delta, double now);     // DHEAD: from where it points
  void turn_on(double delta, double now);  // DCHEAD: from the heading set-point
  void vel2(double linear, double angular);
  void stop();
  // Brakes as hard as it can; until it rests, set-points are ignored.
  void estop();
  bool estopping() const { return estopping_; }

  // Without power the base only rolls out, and set-points are dropped.
  void power(bool on);
  // Held, it comes to rest but keeps its set-points and resumes them afterwards.
  void hold(bool on) { held_ = on; }
  bool held() const { return held_; }
  // Something blocks the wheels: ramps start again from zero.
  void blocked();
  // SETO and calibration shift the odometry by this angle.
  void shift_heading(double by);

  // One servo cycle: `moved` is the path since the last one, by the odometry. `measured` is
  // what the wheels do. Returns the speeds that the wheels are asked for.
  Twist step(Duration dt, MotionLimits const& limits, double heading, double moved, Twist const& measured);

  Twist commanded() const { return commanded_; }
  bool wants_motion() const;
  // What SIP reports as CONTROL.
  double heading_setpoint(double now) const;

 private:
  bool accepts() const { return powered_ && !estopping_; }
  void leave_vel2();
  double wanted_speed(Duration dt, MotionLimits const& limits) const;
  double wanted_turn(Duration dt, MotionLimits const& limits, double heading) const;

  std::variant<Speed, Distance> translation_{Speed{}};
  std::variant<Speed, Heading> rotation_{Speed{}};
  Twist commanded_{};
  bool powered_{};
  bool held_{};
  bool estopping_{};
  bool vel2_{};  // the set-points come from VEL2, which other commands drop and which drops them
};

}  // namespace cy::sim
