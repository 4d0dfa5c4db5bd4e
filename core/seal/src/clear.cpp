#include <cy/base/check.hpp>
#include <cy/seal/clear.hpp>
#include <cy/seal/crc32c.hpp>

namespace cy::seal {

std::size_t ClearSealer::seal(MutableBytes plain_then_check, std::size_t plain_size, Bytes head) {
  CY_CHECK(plain_size <= plain_then_check.size() && plain_then_check.size() - plain_size >= check_size);
  auto const check = crc32c(plain_then_check.first(plain_size), crc32c(head));
  store_le(plain_then_check.data() + plain_size, check);
  ++next_;
  return plain_size + check_size;
}

tl::expected<Opened, SealFault> ClearOpener::open(MutableBytes plain_then_check, Bytes head,
                                                  std::uint32_t low_sequence) {
  if (plain_then_check.size() < check_size) return tl::unexpected(SealFault::short_);
  auto const sequence = extend_sequence(low_sequence, window_.next());
  auto const plain = plain_then_check.first(plain_then_check.size() - check_size);
  auto const check = load_le<std::uint32_t>(plain_then_check.data() + plain.size());
  if (crc32c(plain, crc32c(head)) != check) return tl::unexpected(SealFault::bad_tag);
  switch (window_.check(sequence)) {
    case ReplayWindow::Verdict::replayed:
      return tl::unexpected(SealFault::replayed);
    case ReplayWindow::Verdict::too_old:
      return tl::unexpected(SealFault::too_old);
    case ReplayWindow::Verdict::fresh:
      break;
  }
  window_.accept(sequence);
  return Opened(sequence, plain);
}

}  // namespace cy::seal
