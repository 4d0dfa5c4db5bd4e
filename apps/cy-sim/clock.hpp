// The clock that everything here is stamped with.
#pragma once

#include <cy/base/time.hpp>

#include <ctime>

namespace cy::sim {

inline Time now() {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return Time{std::chrono::seconds{t.tv_sec} + std::chrono::nanoseconds{t.tv_nsec}};
}

}  // namespace cy::sim
