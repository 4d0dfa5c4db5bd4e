#include <cy/base/check.hpp>
#include <cy/world/mark.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace cy::sim {
namespace {

constexpr std::uint16_t sync = 0xA5C3;
constexpr std::uint32_t cells_a_width = 80;
constexpr std::uint32_t bits_a_row = 64;
constexpr std::uint8_t black = 16, white = 235;

using Bits = std::array<bool, 128>;

std::uint64_t take(Bits const& bits, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 1 | (bits[at + i] ? 1U : 0U);
  return value;
}
void put(Bits& bits, std::size_t at, std::size_t count, std::uint64_t value) {
  for (std::size_t i = 0; i < count; ++i) bits[at + i] = (value >> (count - 1 - i) & 1U) != 0;
}

// CRC-16/CCITT-FALSE over bits 16 to 111.
std::uint16_t crc_of(Bits const& bits) {
  std::uint32_t crc = 0xffff;
  for (std::size_t i = 16; i < 112; ++i) {
    auto const top = (crc >> 15) != (bits[i] ? 1U : 0U);
    crc = (crc << 1 & 0xffffU) ^ (top ? 0x1021U : 0U);
  }
  return static_cast<std::uint16_t>(crc);
}

std::uint32_t edge(std::uint32_t cell, std::uint32_t width) {
  return (cell * width + cells_a_width / 2) / cells_a_width;
}

void fill(std::uint8_t* plane, std::uint32_t stride, std::uint32_t x0, std::uint32_t y0, std::uint32_t x1,
          std::uint32_t y1, std::uint8_t value) {
  for (auto y = y0; y < y1; ++y)
    std::memset(plane + static_cast<std::size_t>(y) * stride + x0, value, x1 - x0);
}

}  // namespace

void draw_mark(MutableBytes i420, std::uint32_t width, std::uint32_t height, Mark mark) {
  auto const area = static_cast<std::size_t>(width) * height;
  CY_CHECK(width >= smallest_marked_width && width % 2 == 0 && height % 2 == 0 && height >= edge(4, width) &&
           i420.size() >= area * 3 / 2);
  Bits bits{};
  put(bits, 0, 16, sync);
  put(bits, 16, 32, mark.frame_number);
  put(bits, 48, 64, mark.captured_us);
  put(bits, 112, 16, crc_of(bits));
  fill(i420.data(), width, 0, 0, edge(66, width), edge(4, width), white);
  for (std::uint32_t i = 0; i < bits.size(); ++i) {
    auto const x = 1 + i % bits_a_row, y = 1 + i / bits_a_row;
    if (bits[i])
      fill(i420.data(), width, edge(x, width), edge(y, width), edge(x + 1, width), edge(y + 1, width), black);
  }
  for (auto* plane : {i420.data() + area, i420.data() + area * 5 / 4})
    fill(plane, width / 2, 0, 0, (edge(66, width) + 1) / 2, (edge(4, width) + 1) / 2, 128);
}

std::optional<Mark> read_mark(Bytes luma, std::uint32_t width, std::uint32_t height, std::uint32_t stride) {
  auto const cell = static_cast<double>(width) / cells_a_width;
  if (width < cells_a_width || stride < width || height < 4.0 * cell + 1.0 ||
      luma.size() < static_cast<std::size_t>(stride) * (height - 1) + width)
    return std::nullopt;
  std::array<double, 128> level{};
  for (std::uint32_t i = 0; i < level.size(); ++i) {
    // The middle half of the cell, where neither scaling nor the codec blurs its neighbours in.
    auto const left = (1.25 + i % bits_a_row) * cell, top = (1.25 + i / bits_a_row) * cell;
    auto const x0 = static_cast<std::uint32_t>(left), y0 = static_cast<std::uint32_t>(top);
    auto const x1 = std::max(x0 + 1, static_cast<std::uint32_t>(std::ceil(left + cell / 2.0)));
    auto const y1 = std::max(y0 + 1, static_cast<std::uint32_t>(std::ceil(top + cell / 2.0)));
    std::uint32_t sum = 0;
    for (auto y = y0; y < y1; ++y)
      for (auto x = x0; x < x1; ++x) sum += luma[static_cast<std::size_t>(y) * stride + x];
    level[i] = static_cast<double>(sum) / ((x1 - x0) * (y1 - y0));
  }
  double dark = 0.0, light = 0.0;  // sync has eight of each
  for (int i = 0; i < 16; ++i) ((sync >> (15 - i) & 1) != 0 ? dark : light) += level[i] / 8.0;
  if (light - dark < 40.0) return std::nullopt;
  Bits bits{};
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = level[i] < (dark + light) / 2.0;
  if (take(bits, 0, 16) != sync || take(bits, 112, 16) != crc_of(bits)) return std::nullopt;
  return Mark{static_cast<std::uint32_t>(take(bits, 16, 32)), take(bits, 48, 64)};
}

}  // namespace cy::sim
