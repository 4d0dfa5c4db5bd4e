#include <cy/safety/stop_latch.hpp>

#include <cmath>

namespace cy {

void StopLatch::again(StopKind kind, Time now) {
  if (stronger(kind, kind_)) kind_ = kind;
  confirmed_ = false;
  still_since_.reset();
  repeat_at_ = now;
}

bool StopLatch::on_report(Senses const& senses, StopOptions const& options, Duration data_too_old, Time now) {
  auto const before = confirmed_;
  auto const still = senses.base_fresh(now, data_too_old) &&
                     std::abs(senses.base()->twist.linear) < options.still_linear &&
                     std::abs(senses.base()->twist.angular) < options.still_angular &&
                     !(needs_motors_off(kind_) && senses.base()->motors);
  if (!still) {
    still_since_.reset();
    confirmed_ = false;
    if (before) repeat_at_ = now;
  } else {
    if (!still_since_) still_since_ = now;
    confirmed_ = now - *still_since_ >= options.still_for;
  }
  return confirmed_ != before;
}

bool StopLatch::due(StopOptions const& options, Time now) {
  if (confirmed_ || now < repeat_at_) return false;
  repeat_at_ = now + options.repeat;
  return true;
}

}  // namespace cy
