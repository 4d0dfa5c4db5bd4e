// Reflected 32-bit CRCs of any polynomial, eight bytes at a time (slicing by eight, Kounavis and
// Berry, 2005). Include it in sources: the tables are 8 KiB for each polynomial.
#pragma once

#include <cy/base/bytes.hpp>

#include <array>
#include <cstdint>

namespace cy {

// Table j advances a byte over j more zero bytes.
template <std::uint32_t Polynomial>
constexpr auto make_crc_tables() {
  std::array<std::array<std::uint32_t, 256>, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    auto crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? Polynomial : 0U);
    tables[0][byte] = crc;
  }
  for (std::size_t j = 1; j < 8; ++j) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      auto const last = tables[j - 1][byte];
      tables[j][byte] = (last >> 8) ^ tables[0][last & 0xff];
    }
  }
  return tables;
}

// `before` is the CRC of what came earlier; 0 at the start.
template <std::uint32_t Polynomial>
std::uint32_t reflected_crc32(Bytes bytes, std::uint32_t before) {
  static constexpr auto tables = make_crc_tables<Polynomial>();
  auto crc = ~before;
  auto const* at = bytes.data();
  auto left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    auto const low = load_le<std::uint32_t>(at) ^ crc;
    auto const high = load_le<std::uint32_t>(at + 4);
    crc = tables[7][low & 0xff] ^ tables[6][(low >> 8) & 0xff] ^ tables[5][(low >> 16) & 0xff] ^
          tables[4][low >> 24] ^ tables[3][high & 0xff] ^ tables[2][(high >> 8) & 0xff] ^
          tables[1][(high >> 16) & 0xff] ^ tables[0][high >> 24];
  }
  for (; left > 0; --left, ++at) crc = (crc >> 8) ^ tables[0][(crc ^ *at) & 0xff];
  return ~crc;
}

}  // namespace cy
