// Texts to worlds: MobileSim's line maps and our own TOML. The texts come in as strings; files
// are the caller's business. A fault names source, line, key or field, and what is allowed.
#pragma once

#include <cy/base/result.hpp>
#include <cy/world/model.hpp>

#include <cstddef>
#include <string_view>

namespace cy::sim {

struct MapText {
  WorldModel world;
  std::size_t skipped{};  // lines of an unknown kind
  std::size_t points{};   // laser points under DATA: read, checked and left out; walls are in LINES
};

// `2D-Map` and its extensions as MobileSim and ARNL read them (millimetres and degrees). Counts
// in the header are hints. Cairns: RobotHome and Dock become starts, goals become goals; other
// kinds are skipped. A world has at most a million walls.
Result<MapText> parse_map(std::string_view text, std::string_view source);

// Our own form; worlds/lab.toml uses every key of it. Metres and degrees, with the
// unit in the key. Unknown keys are refused: they are mistakes of spelling.
Result<WorldModel> parse_world_toml(std::string_view text, std::string_view source);

// Whichever of the two it is: a text whose first word begins with "2D-Map" is a map.
Result<WorldModel> parse_world(std::string_view text, std::string_view source);

}  // namespace cy::sim
