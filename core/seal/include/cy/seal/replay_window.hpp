// Which sequence numbers have been accepted: a sliding bitmap after RFC 6479, which never
// shifts bits but moves round a ring of words.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace cy::seal {

class ReplayWindow {
 public:
  // As WireGuard: wide enough for any reordering a real path does, small enough for a cache.
  static constexpr std::uint64_t width = 2048;

  enum class Verdict : std::uint8_t { fresh, replayed, too_old };

  Verdict check(std::uint64_t sequence) const {
    if (sequence >= next_) return Verdict::fresh;
    if (next_ - sequence > width) return Verdict::too_old;
    return (words_[word(sequence)] & bit(sequence)) != 0 ? Verdict::replayed : Verdict::fresh;
  }

  // Precondition: check(sequence) is fresh and the datagram is authentic.
  void accept(std::uint64_t sequence) {
    if (sequence >= next_) {
      // Words between the old front and the new one hold numbers that nobody has seen.
      auto const front = next_ == 0 ? 0 : (next_ - 1) / 64;
      auto const steps = std::min<std::uint64_t>(sequence / 64 - front, ring);
      for (std::uint64_t i = 1; i <= steps; ++i) words_[(front + i) % ring] = 0;
      next_ = sequence + 1;
    }
    words_[word(sequence)] |= bit(sequence);
  }

  // One more than the highest accepted number; 0 before the first.
  std::uint64_t next() const { return next_; }

 private:
  // One word more than the width would do; a power of two makes the index a mask.
  static constexpr std::uint64_t ring = 64;
  static_assert(ring * 64 >= width + 64);
  static std::size_t word(std::uint64_t sequence) { return sequence / 64 % ring; }
  static std::uint64_t bit(std::uint64_t sequence) { return std::uint64_t{1} << (sequence % 64); }

  std::array<std::uint64_t, ring> words_{};
  std::uint64_t next_ = 0;
};

// The 64-bit number whose lower half is `low` and that lies nearest to `expected`
// (RFC 9000, appendix A.3).
constexpr std::uint64_t extend_sequence(std::uint32_t low, std::uint64_t expected) {
  constexpr std::uint64_t span = std::uint64_t{1} << 32;
  auto const candidate = (expected & ~(span - 1)) | low;
  if (candidate + span / 2 <= expected && candidate < ~std::uint64_t{0} - span) return candidate + span;
  if (candidate > expected + span / 2 && candidate >= span) return candidate - span;
  return candidate;
}

}  // namespace cy::seal
