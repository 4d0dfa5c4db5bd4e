#include "arcos_body.hpp"

#include <algorithm>
#include <cmath>

namespace cy::sim {
namespace {

// ARIA's p3dx: it turns in place within 250 mm.
constexpr double body_radius = 0.25;
// GUESS: how long the speed servo pushes against something until PWM reaches StallVal.
constexpr Duration stall_detection = 100ms;
// GUESSES: lead batteries of the size that the maker sells last most of a day idle, some hours moving.
constexpr double idle_seconds = 10 * 3600.0;
constexpr double moving_seconds = 3 * 3600.0;
constexpr double charging_seconds = 5 * 3600.0;
constexpr double empty_volts = 11.0;
constexpr double full_volts = 13.0;
constexpr double charging_volts = 0.8;

// Rest is reached below these speeds and left above three times as much: near zero the wheels'
// slip alone would be a new start each time.
bool within(Twist const& speed, double factor) {
  return std::abs(speed.linear) < 0.002 * factor && std::abs(speed.angular) < 0.005 * factor;
}

// Five segments over the half circle. GUESS: bit 0 is the leftmost in front, the rightmost at the
// back (clockwise all round).
std::uint8_t segment(double offset) {
  auto const index = std::clamp(static_cast<int>((pi / 2.0 - offset) / (pi / 5.0)), 0, 4);
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(index));
}

std::int32_t wrapped_ticks(double metres) {
  auto const ticks = std::llround(metres * 1000.0 * Calibration::nominal_ticks_mm);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::uint64_t>(ticks)));
}

}  // namespace

ArcosBody::ArcosBody(World& world, Pose2 start, ArcosOptions const& options, Seed seed)
    : world_{world},
      stall_time_{std::chrono::milliseconds{options.flash.stall_count}},
      front_bumpers_{options.front_bumpers},
      rear_bumpers_{options.rear_bumpers},
      wheels_{WheelModel{}, world.profile(), seed},
      body_{world.add_body({.radius = body_radius}, start)},
      charge_{std::clamp((options.battery_volts - empty_volts) / (full_volts - empty_volts), 0.0, 1.0)} {}

ArcosBody::~ArcosBody() {
  world_.remove_body(body_);
}

void ArcosBody::zero_odometry() {
  motion.shift_heading(-heading_);
  odometry_ = {};
  heading_ = 0.0;
}

void ArcosBody::set_pose(Pose2 pose) {
  world_.set_pose(body_, pose);
  touching_.reset();
}

std::int32_t ArcosBody::left_ticks() const {
  return wrapped_ticks(left_travel_);
}

std::int32_t ArcosBody::right_ticks() const {
  return wrapped_ticks(right_travel_);
}

bool ArcosBody::pushes_bumper(double linear) const {
  if (!touching_ || linear == 0.0) return false;
  auto const front = touching_->front();
  return front == (linear > 0.0) && (bump_stall & (front ? 1U : 2U)) != 0 &&
         (front ? front_bumpers_ : rear_bumpers_);
}

void ArcosBody::step(Time now) {
  auto const dt = seconds(servo_cycle);
  auto wanted = motion.step(servo_cycle, limits, heading_, moved_, measured_);
  auto const cut = no_power_until_ && now < *no_power_until_;
  if (no_power_until_ && !cut) no_power_until_.reset();
  // Maker's manual, stalls: no motor power for StallCount, then motion resumes by itself; a bumper
  // stalls only in the direction of travel.
  auto const bumper = pushes_bumper(wanted.linear);
  if (cut || bumper) {
    motion.blocked();
    wheels_.stall();
    wanted = {};
  }
  left_stalled_ = left_stalled_ && cut;
  right_stalled_ = right_stalled_ && cut;
  if (bumper) left_stalled_ = right_stalled_ = true;

  auto const turn = wanted.angular * half_track;
  auto const wheel = wheels_.step(wanted.linear - turn, wanted.linear + turn, servo_cycle);
  auto const result = world_.move(body_, wheel.twist, servo_cycle);
  true_speed_ = {result.travelled / dt, result.turned / dt};

  auto const part = [](double got, double asked) {
    return std::abs(asked) < 1e-9 ? 1.0 : std::clamp(got / asked, 0.0, 1.0);
  };
  auto const fraction = part(result.travelled, wheel.twist.linear * dt);
  if (result.contact) {
    meet(*result.contact, fraction, now);
  } else if (std::abs(result.travelled) > 1e-4) {
    touching_.reset();
  }
  if (!result.contact || fraction > 0.99) blocked_for_ = {};

  auto const mean = (wheel.left + wheel.right) / 2.0 * fraction;
  auto const half_difference =
      (wheel.right - wheel.left) / 2.0 * part(result.turned, wheel.twist.angular * dt);
  count(mean - half_difference, mean + half_difference);
  auto const factor = resting_ ? 3.0 : 1.0;
  resting_ = within(true_speed_, factor) && within(measured_, factor);
  use_battery();
}

void ArcosBody::meet(Contact const& contact, double fraction, Time now) {
  touching_ = contact;
  if (fraction > 0.99) return;
  wheels_.stall();
  // What only rolls out or brakes has lost its speed here; what is driven pushes on.
  if (!motion.wants_motion()) motion.blocked();
  blocked_for_ += servo_cycle;
  if (blocked_for_ < stall_detection) return;
  // The wheel on the side that touches is held; what stands straight ahead holds both.
  auto const side = std::sin(contact.bearing);
  left_stalled_ = side > -0.42;
  right_stalled_ = side < 0.42;
  blocked_for_ = {};
  no_power_until_ = now + stall_time_;
  motion.blocked();
}

void ArcosBody::count(double left, double right) {
  left_travel_ += left;
  right_travel_ += right;
  // Maker's manual, calibration: DRIFTFACTOR corrects the left wheel's ticks in 1/8192, TICKSMM
  // makes path of ticks, REVCOUNT makes turns of their difference.
  auto const corrected = left * (1.0 + calibration.drift / 8192.0);
  auto const scale = Calibration::nominal_ticks_mm / calibration.ticks_mm;
  auto const path = (corrected + right) / 2.0 * scale;
  auto const turn =
      (right - corrected) / (2.0 * half_track) * (Calibration::nominal_rev_count / calibration.rev_count);
  auto const along = heading_ + turn / 2.0;
  odometry_.x += path * std::cos(along);
  odometry_.y += path * std::sin(along);
  heading_ += turn;
  moved_ = path;
  auto const dt = seconds(servo_cycle);
  measured_ = {path / dt, turn / dt};
}

Bumped ArcosBody::bumped() const {
  Bumped pressed;
  if (!touching_) return pressed;
  if (touching_->front() && front_bumpers_) pressed.front = segment(touching_->bearing);
  if (touching_->rear() && rear_bumpers_) pressed.rear = segment(normalised(touching_->bearing - pi));
  return pressed;
}

void ArcosBody::use_battery() {
  auto const dt = seconds(servo_cycle);
  if (charging) {
    charge_ += dt / charging_seconds;
  } else {
    charge_ -= dt / idle_seconds + dt / moving_seconds * std::min(1.0, std::abs(measured_.linear));
  }
  charge_ = std::clamp(charge_, 0.0, 1.0);
}

double ArcosBody::volts() const {
  auto const sag = 0.2 * std::min(1.0, std::abs(measured_.linear));
  return empty_volts + (full_volts - empty_volts) * charge_ - sag + (charging ? charging_volts : 0.0);
}

// Maker's manual, SIP: 0 not charging, 1 bulk, 2 overcharge, 3 float.
std::uint8_t ArcosBody::charge_state() const {
  if (!charging) return 0;
  if (charge_ < 0.9) return 1;
  return charge_ < 1.0 ? 2 : 3;
}

double ArcosBody::sonar(Pose2 const& disc, Random& random) const {
  return world_.sonar_range(body_, disc, SonarModel{}, random);
}

}  // namespace cy::sim
