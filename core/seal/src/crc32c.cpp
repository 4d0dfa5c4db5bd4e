#include <cy/base/crc.hpp>
#include <cy/seal/crc32c.hpp>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace cy::seal {

namespace {

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t crc32c_sse42(Bytes bytes, std::uint32_t before) {
  std::uint64_t crc = static_cast<std::uint32_t>(~before);
  auto const* at = bytes.data();
  auto left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) crc = _mm_crc32_u64(crc, load_le<std::uint64_t>(at));
  auto tail = static_cast<std::uint32_t>(crc);
  for (; left > 0; --left, ++at) tail = _mm_crc32_u8(tail, *at);
  return ~tail;
}
#endif

}  // namespace

std::uint32_t crc32c_portable(Bytes bytes, std::uint32_t before) {
  return reflected_crc32<0x82f63b78U>(bytes, before);
}

std::uint32_t crc32c(Bytes bytes, std::uint32_t before) {
#if defined(__x86_64__)
  static bool const fast = __builtin_cpu_supports("sse4.2") != 0;
  if (fast) return crc32c_sse42(bytes, before);
#endif
  return crc32c_portable(bytes, before);
}

}  // namespace cy::seal
