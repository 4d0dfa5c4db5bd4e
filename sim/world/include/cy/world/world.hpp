// The one shared world of the simulator: bodies that move and collide, rays, sonars, wheels.
// Deterministic: the same model, seed and calls give the same answers on every run. Pure and
// single-threaded: virtual time comes in, nothing is read from outside. Only simulated
// controllers and cameras may look at its truth.
//
//   World world{model, Profile::real, model.seed};
//   auto const robot = world.add_body({.radius = 0.25}, model.starts.front().pose);
//   auto const step = wheels.step(0.4, 0.4, 20ms);          // WheelMotion: what the drive really does
//   auto const moved = world.move(robot, step.twist, 20ms);
//   if (moved.contact) wheels.stall();
#pragma once

#include <cy/base/id.hpp>
#include <cy/base/time.hpp>
#include <cy/world/model.hpp>

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace cy::sim {

using BodyId = Id<struct BodyTag>;

struct BodyShape {
  double radius{};              // of the round footprint; used when `footprint` is empty
  std::vector<Vec2> footprint;  // else: a convex polygon in the body's frame, in order, 3..16 points
  double height{0.25};
  Colour colour{40, 40, 46};
};

enum class HitKind : std::uint8_t { none, wall, box, cylinder, body };

struct Hit {
  double range{};  // m; the asked maximum when nothing was hit
  HitKind kind{HitKind::none};
  double normal{};  // direction of the surface's normal towards the ray's origin, world frame
  bool edge{};      // within 3 cm of the end of a straight surface
  BodyId body{};    // for HitKind::body
};

struct Contact {
  double bearing{};  // of the touched point, in the body's frame
  Vec2 point;        // in the world's frame
  HitKind kind{HitKind::none};
  BodyId body{};  // for HitKind::body
  bool front() const { return std::abs(bearing) <= pi / 2.0; }
  bool rear() const { return !front(); }
};

struct MoveResult {
  Pose2 pose;
  double travelled{};  // m along the path, signed like the twist
  double turned{};     // rad
  std::optional<Contact> contact;
};

// How a ranging sonar errs. Pioneer discs: arcos.md section 2 has their poses, and 5 m for
// "nothing heard". The other numbers are GUESSES after Polaroid 600 transducers.
struct SonarModel {
  double min_range{0.10};
  double max_range{5.0};
  // `real` only, from here:
  double half_cone{0.23};       // 13 degrees
  int rays{9};                  // across the cone
  double specular_angle{0.35};  // a ray that meets a smooth surface more obliquely is lost
  double noise{0.008};          // sigma, as a part of the range
  double noise_floor{0.003};    // sigma, m
  double cross_talk{0.002};     // chance that a reading is another disc's echo (too short)
};

class World {
 public:
  World(WorldModel model, Profile profile, Seed seed);
  ~World();
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;

  WorldModel const& model() const;
  Profile profile() const;
  // A stream of its own for a part that needs chance: the same (seed, name) gives the same stream.
  Random random_for(std::uint64_t name) const;

  BodyId add_body(BodyShape shape, Pose2 pose);
  void remove_body(BodyId);
  Pose2 pose(BodyId) const;
  // Puts it there, through whatever stands between. A body that overlaps something may only leave.
  void set_pose(BodyId, Pose2);
  BodyShape const& shape(BodyId) const;
  std::vector<BodyId> bodies() const;

  // Moves along the arc of the twist until something is touched. What stops translation does
  // not stop a round body's turning; a polygon that would turn into something stops altogether.
  MoveResult move(BodyId, Twist, Duration);

  // Somebody who walks the closed loop of points, and waits while a body stands in the way.
  BodyId add_pedestrian(std::vector<Vec2> loop, double speed = 0.8, double radius = 0.22, double height = 1.7,
                        Colour colour = {70, 90, 150});
  // Pedestrians walk up to `now`. The first call only sets their clock.
  void on_time(Time now);

  // The first thing along the ray from `origin` towards `angle`, up to `max`; `ignore` is transparent.
  Hit hit(Vec2 origin, double angle, double max, BodyId ignore = {}) const;
  // Would a body of this shape touch something there?
  bool is_free(BodyShape const& shape, Pose2 pose, BodyId ignore = {}) const;

  // What the disc that stands at `sensor` in the frame of `self` reports now, in m; max_range
  // when it hears nothing. In `ideal` the axis alone counts and nothing is drawn from `random`.
  double sonar_range(BodyId self, Pose2 sensor, SonarModel const& model, Random& random) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The error of one differential drive. GUESSES, of the size that UMBmark runs report for
// uncalibrated bases (Borenstein and Feng, 1996).
struct WheelModel {
  double half_track{0.1786};  // m; ARIA: DiffConv of 0.0056 rad per mm
  Duration lag{60ms};         // `real`: time constant from the wanted to the actual speed
  double scale_sigma{0.01};   // `real`: each wheel's true size, off by this part, drawn once
  double track_sigma{0.005};  // `real`: the same of the half track
  double slip_sigma{0.02};    // `real`: of each step's travel, for a step of 1 cm
};

struct WheelStep {
  Twist twist;     // what the body really does
  double left{};   // m that the encoder counted: wheel rotation times the nominal radius
  double right{};  // m
};

// Wheels between a controller's set-points and the floor. The controller integrates its own
// odometry from left and right; in `real` it drifts from the truth as a robot's does.
class WheelMotion {
 public:
  WheelMotion(WheelModel model, Profile profile, Seed seed);
  // The wanted speeds (m/s, by the nominal radius) hold for `dt`.
  WheelStep step(double left, double right, Duration dt);
  // Something blocks: both wheels stand. The next step starts from rest.
  void stall();
  double left_speed() const { return left_speed_; }
  double right_speed() const { return right_speed_; }

 private:
  WheelModel model_;
  Profile profile_;
  Random random_;
  double left_scale_{1.0};
  double right_scale_{1.0};
  double half_track_;
  double left_speed_{};
  double right_speed_{};
};

// Pose by dead reckoning from what the encoders counted (the controller's own belief).
Pose2 integrate_odometry(Pose2 const& pose, double left, double right, double half_track);

}  // namespace cy::sim
