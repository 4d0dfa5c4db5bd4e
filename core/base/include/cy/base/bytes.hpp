// Bytes that are borrowed, bytes that are owned, and little-endian numbers in them.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace cy {

static_assert(std::endian::native == std::endian::little,
              "the wire formats are written for little-endian hosts");

using Bytes = std::span<std::uint8_t const>;
using MutableBytes = std::span<std::uint8_t>;
using Buffer = std::vector<std::uint8_t>;

// Precondition of both: sizeof(T) bytes at `at`.
template <class T>
requires std::is_arithmetic_v<T> T load_le(std::uint8_t const* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
requires std::is_arithmetic_v<T>
void store_le(std::uint8_t* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

inline Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<std::uint8_t const*>(text.data()), text.size()};
}
inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}
inline Buffer copy_of(Bytes bytes) {
  return {bytes.begin(), bytes.end()};
}

}  // namespace cy
