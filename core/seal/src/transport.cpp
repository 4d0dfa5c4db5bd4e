#include <cy/base/check.hpp>
#include <cy/seal/transport.hpp>

namespace cy::seal {

std::size_t Sealer::seal(MutableBytes plain_then_tag, std::size_t plain_size, Bytes head) {
  CY_CHECK(plain_size <= plain_then_tag.size() && plain_then_tag.size() - plain_size >= tag_size);
  CY_CHECK(next_ != ~std::uint64_t{0});  // Noise keeps the last nonce for REKEY
  for (; key_epoch_ < epoch(); ++key_epoch_) key_ = rekeyed(key_);
  auto const plain = plain_then_tag.first(plain_size);
  aead_encrypt(key_, next_++, head, plain, plain.data(), plain_then_tag.data() + plain_size);
  return plain_size + tag_size;
}

void Sealer::advance_epoch() {
  auto const start = epoch() << epoch_bits;
  if (next_ != start) next_ = start + (std::uint64_t{1} << epoch_bits);
}

tl::expected<Opened, SealFault> Opener::open(MutableBytes sealed_then_tag, Bytes head,
                                             std::uint32_t low_sequence) {
  if (sealed_then_tag.size() < tag_size) return tl::unexpected(SealFault::short_);
  auto const sequence = extend_sequence(low_sequence, next_);
  auto const number = sequence >> epoch_bits;
  auto const text = sealed_then_tag.first(sealed_then_tag.size() - tag_size);
  auto const* tag = sealed_then_tag.data() + text.size();

  if (number > current_.number) {
    if (number - current_.number > max_epoch_steps) return tl::unexpected(SealFault::wrong_epoch);
    auto key = rekeyed(current_.key);
    for (auto step = current_.number + 1; step < number; ++step) key = rekeyed(key);
    if (!aead_decrypt(key, sequence, head, text, tag, text.data())) return tl::unexpected(SealFault::bad_tag);
    enter(number, std::move(key));
  } else {
    auto const in_current = number == current_.number;
    if (!in_current && !(previous_ && previous_->number == number)) return tl::unexpected(SealFault::too_old);
    auto const& epoch = in_current ? current_ : *previous_;
    // Before the tag, as it is cheaper: nothing is changed by it.
    switch (epoch.window.check(sequence)) {
      case ReplayWindow::Verdict::replayed:
        return tl::unexpected(SealFault::replayed);
      case ReplayWindow::Verdict::too_old:
        return tl::unexpected(SealFault::too_old);
      case ReplayWindow::Verdict::fresh:
        break;
    }
    if (!aead_decrypt(epoch.key, sequence, head, text, tag, text.data())) {
      return tl::unexpected(SealFault::bad_tag);
    }
  }

  (number == current_.number ? current_ : *previous_).window.accept(sequence);
  next_ = std::max(next_, sequence + 1);
  if (previous_ && next_ - (current_.number << epoch_bits) > ReplayWindow::width) previous_.reset();
  return Opened(sequence, text);
}

void Opener::enter(std::uint64_t number, CipherKey key) {
  previous_ = std::move(current_);
  current_.number = number;
  current_.key = std::move(key);
  current_.window = ReplayWindow();
}

}  // namespace cy::seal
