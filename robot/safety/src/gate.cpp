#include <cy/safety/gate.hpp>

#include <algorithm>
#include <cmath>

namespace cy {
namespace {

// A magnitude that a robot told of itself; what it does not know bounds nothing.
double limit_or(double told, double otherwise) {
  return std::isfinite(told) && told > 0 ? std::min(told, otherwise) : otherwise;
}
double rate_or(double told, double otherwise) {
  return std::isfinite(told) && told > 0 ? told : otherwise;
}

// The narrowest of several caps for one wish. Both parts of a twist are scaled alike: slower,
// but on the same arc.
class Narrowing {
 public:
  Narrowing(Twist const& wish, Admitted& into) : wish_(wish), into_(into) {
    into_.cap_linear = into_.cap_angular = std::numeric_limits<double>::infinity();
  }

  void by(double linear, double angular, CapReason reason) {
    auto const needed = std::min(share(linear, wish_.linear), share(angular, wish_.angular));
    if (needed < scale_) {
      scale_ = needed;
      into_.reason = reason;
    }
    into_.cap_linear = std::min(into_.cap_linear, linear);
    into_.cap_angular = std::min(into_.cap_angular, angular);
  }
  // A hair less, so that no rounding lifts it over its cap again.
  Twist result() const {
    auto const k = scale_ < 1.0 ? scale_ * (1.0 - 1e-12) : 1.0;
    return {k * wish_.linear, k * wish_.angular};
  }

 private:
  static double share(double cap, double wish) { return std::abs(wish) > cap ? cap / std::abs(wish) : 1.0; }
  Twist wish_;
  Admitted& into_;
  double scale_ = 1.0;
};

Twist scaled(Twist const& twist, double k) {
  return {k * twist.linear, k * twist.angular};
}

}  // namespace

tl::expected<Admitted, Refusal> Gate::admit(Authority const& authority, Wanted const& wanted,
                                            Senses const& senses, Contact contact, Time now) const {
  auto const& o = options_;
  auto const& wish = wanted.twist;
  if (!finite(wish)) return tl::unexpected(Refusal::not_finite);
  if (std::abs(wish.linear) > o.absurd_linear || std::abs(wish.angular) > o.absurd_angular)
    return tl::unexpected(Refusal::limits);
  if (!senses.base_fresh(now, o.data_too_old)) return tl::unexpected(Refusal::stale_data);
  if (wanted.loop_age < 0ns) return tl::unexpected(Refusal::bad_value);
  if (wanted.loop_age >= o.loop_too_old || wanted.lifetime <= 0ns) return tl::unexpected(Refusal::too_old);
  auto const hand = authority.source() == Authority::Source::hand;
  if (hand && contact >= Contact::lost) return tl::unexpected(Refusal::link_lost);

  Admitted admitted;
  // What was decided by a picture ends at the latest when that picture is too old to decide by.
  auto const lifetime = std::min({wanted.lifetime, o.max_lifetime, o.loop_too_old - wanted.loop_age});
  admitted.until = now + lifetime;

  auto const& limits = senses.limits();
  auto const t = wanted.loop_age + lifetime;
  Narrowing narrow(wish, admitted);
  narrow.by(limit_or(limits.linear, o.absurd_linear), limit_or(limits.angular, o.absurd_angular),
            CapReason::robot_limits);
  narrow.by(o.max_linear, o.max_angular, CapReason::configuration);
  narrow.by(speed_within(o.blind_distance, rate_or(limits.linear_deceleration, o.deceleration), t),
            speed_within(o.blind_angle, rate_or(limits.angular_deceleration, o.angular_deceleration), t),
            CapReason::loop_age);
  if (hand && contact == Contact::late) narrow.by(o.late_linear, o.late_angular, CapReason::link_late);

  auto clear = clearance(senses, narrow.result(), o, now);
  if (clear.blind) {
    narrow.by(o.guard.blind_linear, o.guard.blind_angular, CapReason::sonar_silent);
    clear = clearance(senses, narrow.result(), o, now);
  }
  auto const open = narrow.result();
  admitted.twist = scaled(open, clear.scale);
  admitted.guard_distance = clear.distance;
  if (clear.scale < 1.0) {
    admitted.reason = CapReason::sonar_guard;
    if (open.linear != 0) admitted.cap_linear = std::abs(admitted.twist.linear);
    if (open.angular != 0) admitted.cap_angular = std::abs(admitted.twist.angular);
    // Blocked ahead, it may still turn as wished, to get out of there.
    if (clear.scale < 0.05 && open.linear != 0 && open.angular != 0) {
      Twist turn{0, open.angular};
      auto turning = clearance(senses, turn, o, now);
      if (turning.blind && std::abs(turn.angular) > o.guard.blind_angular) {
        turn.angular = std::copysign(o.guard.blind_angular, turn.angular);
        turning = clearance(senses, turn, o, now);
      }
      if (turning.scale > clear.scale) {
        admitted.twist = scaled(turn, turning.scale);
        admitted.cap_linear = 0;
        admitted.cap_angular = std::abs(admitted.twist.angular);
      }
    }
  }
  return admitted;
}

}  // namespace cy
