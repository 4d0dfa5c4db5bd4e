// Stop categories after IEC 60204-1, 9.2.2: 0 removes power at once, 1 brakes and then removes
// power, 2 brakes and keeps power. What each controller is told stands in docs/safety.md.
#pragma once

#include <cy/model/driver.hpp>

namespace cy {

// The power must be seen off before such a stop counts as confirmed.
constexpr bool needs_motors_off(StopKind kind) {
  return kind != StopKind::category_2;
}
// The smaller the category, the sooner the power is gone.
constexpr bool stronger(StopKind a, StopKind b) {
  return a < b;
}

}  // namespace cy
