// The clear mode: Sealer and Opener's shape with a CRC-32C for a check and no secrecy at all,
// for teaching and measuring. The owner decides by an explicit flag that it is allowed; nothing
// in the protocol can lead from sealed to clear.
#pragma once

#include <cy/seal/transport.hpp>

namespace cy::seal {

inline constexpr std::size_t check_size = 4;

class ClearSealer {
 public:
  std::uint64_t next_sequence() const { return next_; }
  // Puts the check behind the plain text; returns plain_size + check_size.
  std::size_t seal(MutableBytes plain_then_check, std::size_t plain_size, Bytes head);

 private:
  std::uint64_t next_ = 0;
};

class ClearOpener {
 public:
  // A wrong check is SealFault::bad_tag.
  tl::expected<Opened, SealFault> open(MutableBytes plain_then_check, Bytes head, std::uint32_t low_sequence);
  std::uint64_t next_sequence() const { return window_.next(); }

 private:
  ReplayWindow window_;
};

}  // namespace cy::seal
