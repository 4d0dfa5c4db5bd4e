// CRC-32C (Castagnoli, RFC 3720 appendix B.4): finds accidents, stops nobody with intent.
#pragma once

#include <cy/base/bytes.hpp>

#include <cstdint>

namespace cy::seal {

// `before` is the CRC of what came earlier, to check bytes that lie in several pieces.
std::uint32_t crc32c(Bytes bytes, std::uint32_t before = 0);

// The same without the processor's instruction; the tests hold one against the other.
std::uint32_t crc32c_portable(Bytes bytes, std::uint32_t before = 0);

}  // namespace cy::seal
