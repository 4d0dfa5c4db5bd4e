// The key pairs that stations and agents are known by, and their text form.
//
// X25519 (RFC 7748). Entropy comes in from outside: 32 bytes of the system's best make a
// secret key. In files a key is one line, `cy-secret:<base64>` or `cy-public:<base64>`.
#pragma once

#include <cy/base/result.hpp>
#include <cy/seal/secret.hpp>

#include <array>
#include <compare>
#include <string>
#include <string_view>

namespace cy::seal {

inline constexpr std::size_t key_size = 32;

struct PublicKey {
  std::array<std::uint8_t, key_size> bytes{};
  constexpr auto operator<=>(PublicKey const&) const = default;
};

class SecretKey : public Secret<key_size> {
 public:
  using Secret<key_size>::Secret;
  SecretKey clone() const { return SecretKey(bytes()); }
};

struct KeyPair {
  SecretKey secret_key;
  PublicKey public_key;
};

PublicKey public_key_of(SecretKey const& secret);
// Any 32 bytes are a valid X25519 secret; they must come from a cryptographic source.
KeyPair make_key_pair(SecretKey entropy);

std::string to_text(PublicKey const& key);
// The line that goes into the secret key's file, without a line end; wipe the string after use.
std::string to_text(SecretKey const& key);

// White space around the line is allowed. Faults never repeat the text, as it may be a secret.
Result<PublicKey> parse_public_key(std::string_view text);
Result<SecretKey> parse_secret_key(std::string_view text);

// "3f9a-01c4-77be-90d2-e15c": 80 bits of BLAKE2b of the key, for two people to compare aloud.
std::string fingerprint(PublicKey const& key);

}  // namespace cy::seal
