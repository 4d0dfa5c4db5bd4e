// The printed form of AprilTags 36h11, from the AprilTag library's own tables.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>

namespace cy::sim {

struct AprilTag;

inline constexpr int tag_cells = 10;  // with the white rim; the black square is 8 of them
using TagPattern = std::array<bool, tag_cells * tag_cells>;  // white or not, rows from the top

std::map<std::uint16_t, TagPattern> tag_patterns(std::span<AprilTag const> tags);

}  // namespace cy::sim
