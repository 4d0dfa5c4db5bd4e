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

// The nearest representable duration to `s` seconds.
constexpr Duration from_seconds(double s) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(s));
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
