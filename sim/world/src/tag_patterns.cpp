#include "tag_patterns.hpp"

#include <cy/base/check.hpp>
#include <cy/world/model.hpp>

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>

namespace cy::sim {

std::map<std::uint16_t, TagPattern> tag_patterns(std::span<AprilTag const> tags) {
  std::map<std::uint16_t, TagPattern> out;
  if (tags.empty()) return out;
  auto* family = tag36h11_create();
  CY_CHECK(family->total_width == tag_cells && family->width_at_border == tag_cells - 2);
  for (auto const& tag : tags) {
    CY_CHECK(tag.id < family->ncodes);
    if (out.contains(tag.id)) continue;
    auto& pattern = out[tag.id];
    auto const at = [&](std::uint32_t x, std::uint32_t y) -> bool& { return pattern[y * tag_cells + x]; };
    for (std::uint32_t i = 0; i < tag_cells; ++i)  // the white rim; inside it all is black at first
      at(i, 0) = at(i, tag_cells - 1) = at(0, i) = at(tag_cells - 1, i) = true;
    auto const code = family->codes[tag.id];
    for (std::uint32_t i = 0; i < family->nbits; ++i)
      at(family->bit_x[i] + 1, family->bit_y[i] + 1) = (code >> (family->nbits - 1 - i) & 1U) != 0;
  }
  tag36h11_destroy(family);
  return out;
}

}  // namespace cy::sim
