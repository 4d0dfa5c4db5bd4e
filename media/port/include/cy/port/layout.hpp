// How frames lie in the file that a frame source and a camera process share. Little-endian, made
// and read on one machine.
//
//   0      PortHeader
//   128    SlotHeader[4], 64 bytes each
//   4096   picture of slot 0: I420, planes Y, U, V without padding; then slots 1..3, each `stride` on
//
// The writer fills slot (published mod 4) while its `sequence` is odd, makes it even, counts
// `published` up, then `wake`, and wakes who waits on `wake` (a futex). It never waits itself. A
// reader copies a slot and keeps the copy if `sequence` was even and the same before and after.
// `heartbeat` older than a second means that the writer is gone. A new writer makes a new file
// and renames it over the path, so that a reader finds it by its inode.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cy::media {

struct PortHeader {
  static constexpr std::uint32_t expected_magic = 0x50465943;  // "CYFP"
  static constexpr std::uint16_t expected_version = 1;
  static constexpr std::uint32_t i420 = 0x30323449;  // "I420"

  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t slots;
  std::uint32_t width;         // even, pixels
  std::uint32_t height;        // even
  std::uint32_t pixel_format;  // FourCC
  std::uint32_t frame_bytes;   // width * height * 3 / 2
  std::uint32_t stride;        // from one slot's picture to the next: frame_bytes in whole pages
  std::uint32_t reserved;
  std::uint64_t writer_pid;
  std::int64_t started;     // ns, CLOCK_BOOTTIME
  std::int64_t heartbeat;   // ns, CLOCK_BOOTTIME; atomic
  std::uint64_t published;  // frames so far; atomic
  std::uint32_t wake;       // futex; atomic
  std::uint32_t closed;     // 1 after an orderly end; atomic
};

struct SlotHeader {
  std::uint32_t sequence;  // odd while the picture is being written; atomic
  std::uint32_t frame_number;
  std::int64_t captured;  // ns, CLOCK_BOOTTIME
  std::uint8_t reserved[48];
};

inline constexpr std::uint16_t port_slots = 4;
inline constexpr std::size_t slot_headers_at = 128;
inline constexpr std::size_t pictures_at = 4096;
inline constexpr std::uint32_t largest_side = 8192;  // pixels

static_assert(sizeof(PortHeader) == 72 && offsetof(PortHeader, writer_pid) == 32);
static_assert(offsetof(PortHeader, heartbeat) == 48 && offsetof(PortHeader, wake) == 64);
static_assert(sizeof(SlotHeader) == 64 && offsetof(SlotHeader, captured) == 8);

constexpr std::size_t i420_bytes(std::uint32_t width, std::uint32_t height) {
  return static_cast<std::size_t>(width) * height * 3 / 2;
}
constexpr std::size_t whole_pages(std::size_t bytes) {
  return (bytes + 4095) / 4096 * 4096;
}

}  // namespace cy::media
