// Time as the pure rooms know it: a point that was handed in. There is no now() here, so a
// pure room cannot read a clock; net/ supplies CLOCK_BOOTTIME, tests supply numbers.
#pragma once

#include <chrono>
#include <cstdint>

namespace cy {

using Duration = std::chrono::nanoseconds;
using namespace std::chrono_literals;

// Satisfies the needs of time_point only. Monotonic, runs on through suspend, epoch unspecified.
struct Clock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<Clock, Duration>;
  static constexpr bool is_steady = true;
};

using Time = Clock::time_point;

constexpr double seconds(Duration d) {
  return std::chrono::duration<double>(d).count();
}
constexpr double milliseconds(Duration d) {
  return std::chrono::duration<double, std::milli>(d).count();
}

// The nearest representable duration to `s` seconds: what is beyond ±292 years becomes that, and no
// number at all becomes none.
constexpr Duration from_seconds(double s) {
  auto const ns = s * 1e9;
  if (ns != ns) return Duration::zero();
  if (ns >= 0x1p63) return Duration::max();
  if (ns < -0x1p63) return Duration::min();
  auto const whole = static_cast<Duration::rep>(ns);
  auto const rest = ns - static_cast<double>(whole);
  return Duration(whole + (rest >= 0.5 ? 1 : rest <= -0.5 ? -1 : 0));
}

// The 32-bit µs stamp that datagrams carry. Wraps every 71.6 minutes; compare only differences.
constexpr std::uint32_t stamp_us(Time t) {
  return static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(t.time_since_epoch()).count());
}

// How long ago the stamp was taken, given that this is less than 35 minutes away.
constexpr Duration since_stamp(Time now, std::uint32_t stamp) {
  return std::chrono::microseconds(static_cast<std::int32_t>(stamp_us(now) - stamp));
}

}  // namespace cy
