// Bytes that nobody else may see: move-only, compared by nobody, zeroed when they go.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace cy::seal {

// sodium_memzero: the compiler may not remove it.
void wipe(std::span<std::uint8_t> bytes) noexcept;

template <std::size_t Size>
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::span<std::uint8_t const, Size> bytes) {
    std::copy(bytes.begin(), bytes.end(), bytes_.begin());
  }
  Secret(Secret&& other) noexcept : bytes_(other.bytes_) { wipe(other.bytes_); }
  Secret& operator=(Secret&& other) noexcept {
    if (this != &other) {
      bytes_ = other.bytes_;
      wipe(other.bytes_);
    }
    return *this;
  }
  ~Secret() { wipe(bytes_); }

  // A second copy has to be asked for by name.
  Secret clone() const { return Secret(bytes()); }

  std::span<std::uint8_t const, Size> bytes() const { return bytes_; }
  std::span<std::uint8_t, Size> bytes() { return bytes_; }
  std::uint8_t const* data() const { return bytes_.data(); }
  std::uint8_t* data() { return bytes_.data(); }
  static constexpr std::size_t size() { return Size; }

 private:
  std::array<std::uint8_t, Size> bytes_{};
};

}  // namespace cy::seal
