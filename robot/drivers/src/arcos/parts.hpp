// The parts of a Pioneer, by number.
#pragma once

#include <cy/model/ids.hpp>

namespace cy::arcos::part {

inline constexpr PartId base{1}, sonar{2}, bumper{3}, compass{4}, gyro{5}, power{6}, io{7}, encoder{8};

}  // namespace cy::arcos::part
