// CRC-32 as zlib and MCAP use it (ISO 3309, reflected polynomial 0xedb88320).
#pragma once

#include <cy/base/bytes.hpp>

#include <cstdint>

namespace cy::record {

// `before` is the CRC of what came earlier.
std::uint32_t crc32(Bytes bytes, std::uint32_t before = 0);

}  // namespace cy::record
