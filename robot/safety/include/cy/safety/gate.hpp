// The gate: what of a wish to move may reach a driver, at this moment.
//
// Stateless and pure: everything that it judges by is handed in. It needs an Authority, so what
// has no lease behind it cannot even ask.
//
// The speed cap. A set-point was born of a picture that is `loop age` old and keeps moving the
// robot for `lifetime` when nothing follows it. T = loop age + lifetime. In T at speed v, and
// then braking at a, the robot covers v·T + v²/2a, all of it unseen. That must not exceed the
// blind distance D:   v·T + v²/2a ≤ D   ⇔   v ≤ a·(√(T² + 2D/a) − T).   Turning likewise with
// the blind angle. (Stopping distance as in any textbook of kinematics; the time term is the
// reaction path of ISO 13855, with the loop as the reaction time.)
//
// The sonar guard. The footprint is moved along the arc of the wished twist, and the echoes are
// where they were heard: what the robot has driven and turned since then, its odometry tells. With
// the twist scaled by k, the robot must be able to stop before the first contact, less a margin:
// k·T + k²·b ≤ u, where u is the time to contact at full wish, b the braking path over the speed,
// and T the reaction time of controller and drive. Motion away from an obstacle is never held back.
// Where no disc has looked lately (one that should is deaf, or there is none that way), it creeps.
#pragma once

#include <cy/safety/lease.hpp>
#include <cy/safety/senses.hpp>

namespace cy {

// Contact with the station that holds the lease, as its link sees it. `gone` fell silent; `ended`
// was closed in order, by either side.
enum class Contact : std::uint8_t { up, late, lost, gone, ended };
constexpr auto names(Contact) {
  return std::array<std::string_view, 5>{"up", "late", "lost", "gone", "ended"};
}

struct GuardOptions {
  bool on = true;
  // Sonars measure to within about 1 % and a wheel brakes within a hand's breadth of its ramp.
  double margin = 0.10;  // m
  // Turning in place wins no way, and the outline's corners are sharper than the robot's: from
  // where the margin stopped it, it must still be able to turn away. What a turn overshoots within
  // the reaction time on a P3-DX's ramp, twice.
  double turning_margin = 0.03;  // m
  // A controller's cycle (100 ms of a P3-DX) and its way through driver and drive.
  Duration reaction = 150ms;
  // A ring of 16 needs 320 ms for a round; three rounds without a disc: it is deaf.
  Duration disc_too_old = 1s;
  // Walking pace of somebody in the dark: 0.25 m/s stops within 10 cm on a P3-DX's ramp. So drives,
  // too, what has no sonar at all that looks where it goes; whoever wants it faster says so here.
  double blind_linear = 0.25;   // m/s
  double blind_angular = 0.50;  // rad/s
  // Half the opening of a sonar's beam: an echo may come from anywhere in it.
  double beam = radians(15.0);
};

struct GateOptions {
  // What the robot is meant for, whatever it can do: a brisk walk's half, 100°/s.
  double max_linear = 0.75;   // m/s
  double max_angular = 1.75;  // rad/s
  // Nobody means this by hand: refused, not cut.
  double absurd_linear = 20.0;   // m/s
  double absurd_angular = 60.0;  // rad/s
  // Of robots that do not tell theirs: the ramps of a P3-DX out of the box, the gentlest met.
  double deceleration = 0.3;          // m/s²
  double angular_deceleration = 1.7;  // rad/s²
  // One and a half lengths of the robot; an eighth of a turn.
  double blind_distance = 0.8;    // m
  double blind_angle = pi / 4.0;  // rad
  // Driving by hand collapses between 150 and 225 ms one way; at 500 ms it is locked.
  Duration loop_too_old = 500ms;
  // The dead man's handle: the longest that one set-point moves anything.
  Duration max_lifetime = 300ms;
  // Three reports of a P3-DX.
  Duration data_too_old = 300ms;
  // While the link is late.
  double late_linear = 0.25;   // m/s
  double late_angular = 0.50;  // rad/s
  GuardOptions guard;
};

struct Wanted {
  Twist twist;
  Duration loop_age{};  // of what it was decided by: the picture; for a task, the robot's report
  Duration lifetime{};  // what is left of it
};

struct Admitted {
  Twist twist;
  Time until{};
  double cap_linear{};          // m/s, before the wish's own direction
  double cap_angular{};         // rad/s
  CapReason reason{};           // what cut the wish most; none: it passed whole
  double guard_distance{-1.0};  // m to the obstacle that matters most; negative: none
};

// Highest speed at which reaction path and braking path stay within `distance`.
double speed_within(double distance, double deceleration, Duration reaction);

// How the surroundings scale a twist.
struct Clearance {
  double scale{1.0};      // 0 to 1
  double distance{-1.0};  // m, to the nearest obstacle in the way; negative: none
  bool blind{};           // no sonar looks where it goes, or one that should has not lately
};
Clearance clearance(Senses const& senses, Twist const& twist, GateOptions const& options, Time now);

class Gate {
 public:
  explicit Gate(GateOptions options) : options_(options) {}

  tl::expected<Admitted, Refusal> admit(Authority const& authority, Wanted const& wanted,
                                        Senses const& senses, Contact contact, Time now) const;
  GateOptions const& options() const { return options_; }

 private:
  GateOptions options_;
};

}  // namespace cy
