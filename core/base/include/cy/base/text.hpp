// Text from others, before it is kept or shown.
#pragma once

#include <string_view>

namespace cy {

// The first `most` bytes of UTF-8 at the most, cut between characters.
constexpr std::string_view clipped(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  auto const continues = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  while (most > 0 && continues(text[most])) --most;
  return text.substr(0, most);
}

}  // namespace cy
