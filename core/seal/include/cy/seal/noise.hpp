// The cipher state and symmetric state of the Noise Protocol Framework (revision 34,
// sections 5.1, 5.2 and 4.3) for ChaChaPoly and BLAKE2b. The handshake machines stand on it.
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/seal/key.hpp>
#include <cy/seal/secret.hpp>

#include <array>
#include <string_view>

namespace cy::seal {

inline constexpr std::size_t tag_size = 16;
inline constexpr std::size_t hash_size = 64;

using CipherKey = Secret<32>;
using HandshakeHash = std::array<std::uint8_t, hash_size>;

// What a finished handshake leaves behind. `hash` is the same on both sides and on no other
// session: a channel binding.
struct TransportKeys {
  CipherKey send;
  CipherKey receive;
  HandshakeHash hash{};
};

// ENCRYPT of section 12.3: nonce = 4 zero bytes and the counter in little-endian. `out` may be
// `plain`'s own memory; it takes plain.size() bytes, `tag` takes tag_size.
void aead_encrypt(CipherKey const& key, std::uint64_t counter, Bytes additional, Bytes plain,
                  std::uint8_t* out, std::uint8_t* tag);
// False when the tag does not fit; what is in `out` then means nothing.
[[nodiscard]] bool aead_decrypt(CipherKey const& key, std::uint64_t counter, Bytes additional, Bytes sealed,
                                std::uint8_t const* tag, std::uint8_t* out);
// REKEY of section 4.2: the first 32 bytes of ENCRYPT(k, 2^64 - 1, "", 32 zero bytes).
CipherKey rekeyed(CipherKey const& key);

// False for a peer's key of low order (all-zero result).
[[nodiscard]] bool diffie_hellman(SecretKey const& own, PublicKey const& remote, Secret<32>& shared);

class SymmetricState {
 public:
  SymmetricState(std::string_view protocol_name, Bytes prologue);
  SymmetricState(SymmetricState&&) = default;
  SymmetricState& operator=(SymmetricState&&) = default;
  // For trying a message on a copy, so that a forged one leaves the handshake as it was.
  SymmetricState clone() const;

  void mix_hash(Bytes data);
  void mix_key(Secret<32> const& input);
  // Appends plain.size() + tag_size bytes to `out`.
  void encrypt_and_hash(Bytes plain, Buffer& out);
  // Writes sealed.size() - tag_size bytes to `out`. Precondition: sealed.size() >= tag_size.
  [[nodiscard]] bool decrypt_and_hash(Bytes sealed, std::uint8_t* out);

  // First the key from the initiator to the responder, then the way back.
  std::pair<CipherKey, CipherKey> split() const;
  HandshakeHash const& hash() const { return hash_; }

 private:
  SymmetricState() = default;
  HandshakeHash hash_{};
  Secret<hash_size> chaining_key_;
  CipherKey key_;
  std::uint64_t nonce_{};
};

}  // namespace cy::seal
