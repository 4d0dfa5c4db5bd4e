// A mark in the picture that a machine can read: which frame it is and when it was taken. It
// survives H.264 at 1.5 Mbit/s, 4:2:0 and scaling, so that delays can be measured at the far end.
//
// Layout. A cell is width/80 wide and high (8 px at 640), whatever the picture is scaled to. The
// mark is 66 x 4 cells in the top left corner: white, and in it 64 x 2 cells from column 1, row 1
// on. Each cell is a bit, black = 1, read by rows from the left, most significant bit first:
//   16 bits  sync 0xA5C3        also gives the levels of black and white
//   32 bits  frame number
//   64 bits  capture time, µs
//   16 bits  CRC-16/CCITT-FALSE (0x1021, start 0xFFFF) of the twelve bytes before it
//
// In JavaScript, from a canvas of any size:
//   function readMark(image) {                       // ImageData
//     const c = image.width / 80, bit = [], level = [];
//     for (let i = 0; i < 128; i++) {
//       const x0 = (1 + i % 64 + 0.25) * c, y0 = (1 + (i >> 6) + 0.25) * c;
//       let sum = 0, n = 0;
//       for (let y = Math.floor(y0); y < Math.max(y0 + c / 2, Math.floor(y0) + 1); y++)
//         for (let x = Math.floor(x0); x < Math.max(x0 + c / 2, Math.floor(x0) + 1); x++, n++)
//           sum += image.data[4 * (y * image.width + x) + 1];
//       level.push(sum / n);
//     }
//     const sync = 0xA5C3, mean = (want) => { let s = 0; for (let i = 0; i < 16; i++)
//       if ((sync >> (15 - i) & 1) === want) s += level[i]; return s / 8; };
//     const middle = (mean(0) + mean(1)) / 2;
//     const bits = level.map((l) => l < middle ? 1n : 0n);
//     const take = (at, count) => bits.slice(at, at + count).reduce((v, b) => v << 1n | b, 0n);
//     let crc = 0xFFFF;
//     for (let i = 16; i < 112; i++) {
//       const top = (crc >> 15) ^ Number(bits[i]);
//       crc = (crc << 1 & 0xFFFF) ^ (top ? 0x1021 : 0);
//     }
//     if (mean(0) - mean(1) < 40 || take(0, 16) !== 0xA5C3n || take(112, 16) !== BigInt(crc)) return null;
//     return { frame: Number(take(16, 32)), capturedUs: take(48, 64) };
//   }
#pragma once

#include <cy/base/bytes.hpp>

#include <cstdint>
#include <optional>

namespace cy::sim {

struct Mark {
  std::uint32_t frame_number{};
  std::uint64_t captured_us{};
  friend bool operator==(Mark const&, Mark const&) = default;
};

// The smallest picture whose cells are at least 4 px. Under 640 px the mark may not survive coding.
inline constexpr std::uint32_t smallest_marked_width = 320;

// Into an I420 picture of even sides, at least 320 wide and 32 high; chroma under it becomes grey.
void draw_mark(MutableBytes i420, std::uint32_t width, std::uint32_t height, Mark mark);

// From a luma plane of any size; nothing when there is no mark or a bit of it is wrong.
std::optional<Mark> read_mark(Bytes luma, std::uint32_t width, std::uint32_t height, std::uint32_t stride);

}  // namespace cy::sim
