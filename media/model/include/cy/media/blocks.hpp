// Cuts a coded frame into blocks a little under the MTU, and says where a block belongs.
//
// The share of a block follows from the frame's size and its number of blocks alone: all blocks
// are ceil(size / blocks) bytes, the last has the rest. So a block that arrives first already has
// its place, and one that contradicts itself is recognised at once.
#pragma once

#include <cy/media/messages.hpp>

namespace cy::media {

// 1200 B of datagram − 28 B head and tag − 4 B message head − 19 B of the block's other fields,
// with some left for a neighbour (an acknowledgement, a heartbeat).
inline constexpr std::size_t default_block_bytes = 1100;
inline constexpr std::size_t max_blocks = 0xffff;

struct FrameHead {
  StreamId stream;
  std::uint32_t number{};
  std::uint32_t capture_us{};
  bool key{};
};

// How many blocks a frame needs; 0 when it is empty or needs more than max_blocks.
std::size_t block_count(std::size_t frame_bytes, std::size_t block_bytes);

// All of a block but its data: the index-th of a frame of so many bytes and data blocks.
void name_block(FrameHead const& head, std::size_t frame_bytes, std::size_t blocks, std::size_t index,
                VideoBlock& into);

// The index-th block, into storage that is used again. Precondition: index < block_count.
void cut_block(FrameHead const& head, Bytes frame, std::size_t block_bytes, std::size_t index,
               VideoBlock& into);

// All of them. Empty when block_count is 0.
std::vector<VideoBlock> cut(FrameHead const& head, Bytes frame, std::size_t block_bytes);

// Where the block's data stands in its frame, or nothing when the block contradicts itself.
std::optional<std::size_t> place_of(VideoBlock const& block);

// Frame numbers wrap: a is newer than b when it is less than half the circle ahead.
constexpr bool newer(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::int32_t>(a - b) > 0;
}

}  // namespace cy::media
