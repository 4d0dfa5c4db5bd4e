#include "crc32.hpp"

#include <cy/base/crc.hpp>

namespace cy::record {

std::uint32_t crc32(Bytes bytes, std::uint32_t before) {
  return reflected_crc32<0xedb88320U>(bytes, before);
}

}  // namespace cy::record
