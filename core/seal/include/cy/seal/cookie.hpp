// A cookie: 16 bytes that only the holder of a secret can have made for some text. Keyed BLAKE2b
// (RFC 7693). It proves to whoever made it that it has come back, and keeps no state meanwhile.
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/seal/secret.hpp>

#include <array>

namespace cy::seal {

inline constexpr std::size_t cookie_size = 16;
using Cookie = std::array<std::uint8_t, cookie_size>;

Cookie make_cookie(Secret<32> const& secret, Bytes text);
// Compares in constant time; false as well for another size.
[[nodiscard]] bool is_cookie(Bytes shown, Secret<32> const& secret, Bytes text);

}  // namespace cy::seal
