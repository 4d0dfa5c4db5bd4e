// The robot that hangs on a simulated Pioneer controller: motion servos, wheels, floor, odometry,
// stalls, bumpers, battery. Advances in fixed steps of virtual time, so runs repeat exactly.
#pragma once

#include <cy/controllers/arcos_options.hpp>
#include <cy/world/world.hpp>

#include "arcos_motion.hpp"

namespace cy::sim {

inline constexpr Duration servo_cycle = 10ms;
inline constexpr double half_track = WheelModel{}.half_track;  // what it believes is what is fitted

// What turns encoder ticks into a pose: FLASH's values, REVCOUNT, TICKSMM and DRIFTFACTOR of the
// session. The nominal values fit the nominal robot.
struct Calibration {
  double rev_count{nominal_rev_count};
  double ticks_mm{nominal_ticks_mm};
  double drift{};  // of the left wheel, in 1/8192

  static constexpr double nominal_rev_count = 32550.0;
  static constexpr double nominal_ticks_mm = 128.0;
};

struct Bumped {
  std::uint8_t front{};  // one bit a segment, from bit 0
  std::uint8_t rear{};
};

class ArcosBody {
 public:
  ArcosBody(World& world, Pose2 start, ArcosOptions const& options, Seed seed);
  ~ArcosBody();
  ArcosBody(ArcosBody const&) = delete;
  ArcosBody& operator=(ArcosBody const&) = delete;

  Motion motion;
  MotionLimits limits;
  Calibration calibration;
  unsigned bump_stall{};  // BUMPSTALL: bit 0 front, bit 1 rear
  bool charging{};

  // One servo cycle that ends at `now`.
  void step(Time now);

  // The controller's belief.
  Pose2 odometry() const { return {odometry_.x, odometry_.y, heading_}; }  // yaw unwrapped
  void zero_odometry();
  Twist measured() const { return measured_; }
  double left_speed() const { return measured_.linear - measured_.angular * half_track; }
  double right_speed() const { return measured_.linear + measured_.angular * half_track; }
  std::int32_t left_ticks() const;
  std::int32_t right_ticks() const;
  bool left_stalled() const { return left_stalled_; }
  bool right_stalled() const { return right_stalled_; }
  Bumped bumped() const;
  double volts() const;
  double charge() const { return charge_; }
  std::uint8_t charge_state() const;

  // The truth.
  BodyId id() const { return body_; }
  Pose2 pose() const { return world_.pose(body_); }
  void set_pose(Pose2 pose);
  Twist true_speed() const { return true_speed_; }
  bool resting() const { return resting_; }
  double sonar(Pose2 const& disc, Random& random) const;

 private:
  void meet(Contact const& contact, double fraction, Time now);
  bool pushes_bumper(double linear) const;
  void count(double left, double right);
  void use_battery();

  World& world_;
  Duration stall_time_;
  bool front_bumpers_;
  bool rear_bumpers_;
  WheelMotion wheels_;
  BodyId body_;

  Pose2 odometry_;
  double heading_{};
  double left_travel_{};   // m, as the encoders count
  double right_travel_{};  // m
  double moved_{};         // path of the last step, by the odometry
  Twist measured_;
  Twist true_speed_;
  bool resting_{true};

  std::optional<Contact> touching_;
  Duration blocked_for_{};
  bool left_stalled_{};
  bool right_stalled_{};
  std::optional<Time> no_power_until_;
  double charge_;
};

}  // namespace cy::sim
