// What differs between Pioneers: the numbers behind a controller's units, and where things sit.
//
// Both controllers that were sold in a "P3-DX" are here. The 0.485 mm and 1 mm units, the wheel
// factor and the sonar poses are those of the maker's own parameter files (p3dx.p, p3dx-sh.p);
// 4096 heading units a turn is what every known client reads, whatever one manual says.
#pragma once

#include <cy/base/geometry.hpp>
#include <cy/model/describe.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace cy::arcos {

struct Generation {
  std::string_view sub_type;  // as in the answer to SYNC2
  std::string_view model;
  double metres{};        // per odometry unit
  double wheel_factor{};  // rad/s of the body per mm/s of wheel difference, halved: w = f·(r-l)/2
  double gyro_scale{};    // of the analog gyro's rate
};

inline constexpr std::array generations{
    Generation{"p3dx", "Pioneer P3-DX (p3dx)", 0.485e-3, 0.0056, 1.626},
    Generation{"p3dx-sh", "Pioneer P3-DX (p3dx-sh)", 1.0e-3, 0.0056, 1.626},
};

// Letters of either case are the same.
inline Generation const* find_generation(std::string_view sub_type) {
  auto const same = [&](Generation const& g) {
    return std::equal(g.sub_type.begin(), g.sub_type.end(), sub_type.begin(), sub_type.end(),
                      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
  };
  auto const found = std::find_if(generations.begin(), generations.end(), same);
  return found == generations.end() ? nullptr : &*found;
}

inline constexpr double radians_per_unit = 2.0 * pi / 4096.0;
inline constexpr double speed_max = 2.2;            // m/s, of any P3-DX
inline constexpr double turn_max = radians(500.0);  // rad/s
inline constexpr Footprint footprint{0.210, 0.301, 0.2125, 0.250};

inline constexpr std::size_t sonar_count = 16;
inline constexpr std::uint16_t sonar_nothing = 5000;  // mm: no echo

struct SonarPose {
  double x, y, degrees;  // mm
};
inline constexpr std::array<SonarPose, sonar_count> sonar_poses{{{69, 136, 90},
                                                                 {114, 119, 50},
                                                                 {148, 78, 30},
                                                                 {166, 27, 10},
                                                                 {166, -27, -10},
                                                                 {148, -78, -30},
                                                                 {114, -119, -50},
                                                                 {69, -136, -90},
                                                                 {-157, -136, -90},
                                                                 {-203, -119, -130},
                                                                 {-237, -78, -150},
                                                                 {-255, -27, -170},
                                                                 {-255, 27, 170},
                                                                 {-237, 78, 150},
                                                                 {-203, 119, 130},
                                                                 {-157, 136, 90}}};
inline constexpr double sonar_height = 0.16;  // m above the floor, about; a range does not depend on it

}  // namespace cy::arcos
