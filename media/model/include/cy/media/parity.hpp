// Reed-Solomon parity over the blocks of one frame: any `blocks` of its data and parity blocks give
// the frame back.
//
// Systematic, over GF(2^8), with a Cauchy matrix (ISA-L; J. Blömer et al., An XOR-Based
// Erasure-Resilient Coding Scheme, 1995). Row r of the parity depends on r and the number of data
// blocks alone. So a sender may make as many rows as it likes, and more of them when it hears that
// they were too few: one fresh row repairs whatever block each receiver lacks.
//
// On the link row r of a frame is a VideoBlock whose `block` is blocks + r, with data of the size of
// the frame's shares; the last data block counts as filled up with zeros.
#pragma once

#include <cy/media/blocks.hpp>

#include <span>

namespace cy::media {

// Data and parity blocks of a frame together; frames of more blocks have no parity.
inline constexpr std::size_t max_coded = 255;

// Which row a block is; nothing when it is data, or contradicts itself.
std::optional<std::size_t> row_of(VideoBlock const& block);

// Rows `first` to first + count − 1. Precondition: blocks > 0, blocks + first + count ≤ max_coded.
std::vector<Buffer> parity_rows(Bytes frame, std::size_t blocks, std::size_t first, std::size_t count);

struct ParityRow {
  std::size_t row{};
  Buffer data;
};

// Fills the blocks of `frame` that `have` lacks. False, with nothing changed, when the rows are fewer
// than the gaps. Precondition: rows differ, blocks + row < max_coded, data has a share's size.
bool restore(MutableBytes frame, std::vector<bool> const& have, std::span<ParityRow const> rows);

}  // namespace cy::media
