#include <cy/base/check.hpp>
#include <cy/media/blocks.hpp>

namespace cy::media {

std::size_t block_count(std::size_t frame_bytes, std::size_t block_bytes) {
  if (frame_bytes == 0 || block_bytes == 0 || frame_bytes > 0xffff'ffff) return 0;
  auto const count = (frame_bytes + block_bytes - 1) / block_bytes;
  return count <= max_blocks ? count : 0;
}

void name_block(FrameHead const& head, std::size_t frame_bytes, std::size_t blocks, std::size_t index,
                VideoBlock& into) {
  into.stream = head.stream;
  into.frame = head.number;
  into.block = static_cast<std::uint16_t>(index);
  into.blocks = static_cast<std::uint16_t>(blocks);
  into.capture_us = head.capture_us;
  into.key = head.key;
  into.size = static_cast<std::uint32_t>(frame_bytes);
}

void cut_block(FrameHead const& head, Bytes frame, std::size_t block_bytes, std::size_t index,
               VideoBlock& into) {
  auto const count = block_count(frame.size(), block_bytes);
  CY_CHECK(index < count);
  auto const share = (frame.size() + count - 1) / count;
  auto const data = frame.subspan(index * share, std::min(share, frame.size() - index * share));
  name_block(head, frame.size(), count, index, into);
  into.data.assign(data.begin(), data.end());
}

std::vector<VideoBlock> cut(FrameHead const& head, Bytes frame, std::size_t block_bytes) {
  std::vector<VideoBlock> blocks(block_count(frame.size(), block_bytes));
  for (std::size_t i = 0; i < blocks.size(); ++i) cut_block(head, frame, block_bytes, i, blocks[i]);
  return blocks;
}

std::optional<std::size_t> place_of(VideoBlock const& block) {
  std::size_t const size = block.size, blocks = block.blocks, index = block.block;
  if (size == 0 || index >= blocks) return std::nullopt;
  auto const share = (size + blocks - 1) / blocks;
  if ((blocks - 1) * share >= size) return std::nullopt;
  auto const place = index * share;
  if (block.data.size() != std::min(share, size - place)) return std::nullopt;
  return place;
}

}  // namespace cy::media
