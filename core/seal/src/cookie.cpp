#include <cy/seal/cookie.hpp>

#include <sodium.h>

namespace cy::seal {

Cookie make_cookie(Secret<32> const& secret, Bytes text) {
  Cookie cookie;
  crypto_generichash_blake2b(cookie.data(), cookie.size(), text.data(), text.size(), secret.data(),
                             Secret<32>::size());
  return cookie;
}

bool is_cookie(Bytes shown, Secret<32> const& secret, Bytes text) {
  auto const right = make_cookie(secret, text);
  return shown.size() == right.size() && sodium_memcmp(shown.data(), right.data(), right.size()) == 0;
}

}  // namespace cy::seal
