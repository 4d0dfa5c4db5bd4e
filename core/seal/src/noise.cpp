#include <cy/base/check.hpp>
#include <cy/seal/noise.hpp>

#include <sodium.h>

namespace cy::seal {

static_assert(tag_size == crypto_aead_chacha20poly1305_ietf_ABYTES);
static_assert(CipherKey::size() == crypto_aead_chacha20poly1305_ietf_KEYBYTES);
static_assert(hash_size == crypto_generichash_blake2b_BYTES_MAX);

namespace {

using Nonce = std::array<std::uint8_t, crypto_aead_chacha20poly1305_ietf_NPUBBYTES>;
using HashOutput = Secret<hash_size>;

// libsodium picks the processor's best code in its init; without it everything works, slowly.
bool const sodium_ready = sodium_init() >= 0;

Nonce nonce_of(std::uint64_t counter) {
  Nonce nonce{};
  store_le(nonce.data() + 4, counter);
  return nonce;
}

void hash_two(Bytes a, Bytes b, std::uint8_t* out) {
  crypto_generichash_blake2b_state state;
  crypto_generichash_blake2b_init(&state, nullptr, 0, hash_size);
  crypto_generichash_blake2b_update(&state, a.data(), a.size());
  crypto_generichash_blake2b_update(&state, b.data(), b.size());
  crypto_generichash_blake2b_final(&state, out, hash_size);
  sodium_memzero(&state, sizeof state);
}

// HMAC (RFC 2104) over BLAKE2b, as Noise asks; not BLAKE2b's own keyed mode.
HashOutput hmac(HashOutput const& key, Bytes data) {
  constexpr std::size_t block = 128;
  Secret<block> pad;
  auto const fill = [&](std::uint8_t mask) {
    for (std::size_t i = 0; i < block; ++i) {
      pad.data()[i] = static_cast<std::uint8_t>((i < hash_size ? key.data()[i] : 0) ^ mask);
    }
  };
  HashOutput inner;
  fill(0x36);
  hash_two(pad.bytes(), data, inner.data());
  HashOutput outer;
  fill(0x5c);
  hash_two(pad.bytes(), inner.bytes(), outer.data());
  return outer;
}

// HKDF of section 4.3 with two outputs.
std::pair<HashOutput, HashOutput> hkdf(HashOutput const& chaining_key, Bytes input) {
  auto const temporary = hmac(chaining_key, input);
  std::uint8_t const one = 1;
  auto first = hmac(temporary, {&one, 1});
  Secret<hash_size + 1> text;
  std::copy_n(first.data(), hash_size, text.data());
  text.data()[hash_size] = 2;
  auto second = hmac(temporary, text.bytes());
  return {std::move(first), std::move(second)};
}

CipherKey truncated(HashOutput const& output) {
  return CipherKey(output.bytes().first<32>());
}

}  // namespace

void wipe(std::span<std::uint8_t> bytes) noexcept {
  sodium_memzero(bytes.data(), bytes.size());
}

void aead_encrypt(CipherKey const& key, std::uint64_t counter, Bytes additional, Bytes plain,
                  std::uint8_t* out, std::uint8_t* tag) {
  auto const nonce = nonce_of(counter);
  crypto_aead_chacha20poly1305_ietf_encrypt_detached(out, tag, nullptr, plain.data(), plain.size(),
                                                     additional.data(), additional.size(), nullptr,
                                                     nonce.data(), key.data());
}

bool aead_decrypt(CipherKey const& key, std::uint64_t counter, Bytes additional, Bytes sealed,
                  std::uint8_t const* tag, std::uint8_t* out) {
  auto const nonce = nonce_of(counter);
  return crypto_aead_chacha20poly1305_ietf_decrypt_detached(out, nullptr, sealed.data(), sealed.size(), tag,
                                                            additional.data(), additional.size(),
                                                            nonce.data(), key.data()) == 0;
}

CipherKey rekeyed(CipherKey const& key) {
  std::array<std::uint8_t, 32> const zeros{};
  std::array<std::uint8_t, tag_size> tag;
  CipherKey next;
  aead_encrypt(key, ~std::uint64_t{0}, {}, zeros, next.data(), tag.data());
  return next;
}

bool diffie_hellman(SecretKey const& own, PublicKey const& remote, Secret<32>& shared) {
  return crypto_scalarmult_curve25519(shared.data(), own.data(), remote.bytes.data()) == 0;
}

SymmetricState::SymmetricState(std::string_view protocol_name, Bytes prologue) {
  CY_CHECK(sodium_ready);
  // A longer name would have to be hashed; ours is padded with zeros.
  CY_CHECK(protocol_name.size() <= hash_size);
  std::copy(protocol_name.begin(), protocol_name.end(), hash_.begin());
  chaining_key_ = Secret<hash_size>(hash_);
  mix_hash(prologue);
}

SymmetricState SymmetricState::clone() const {
  SymmetricState copy;
  copy.hash_ = hash_;
  copy.chaining_key_ = chaining_key_.clone();
  copy.key_ = key_.clone();
  copy.nonce_ = nonce_;
  return copy;
}

void SymmetricState::mix_hash(Bytes data) {
  HandshakeHash mixed;
  hash_two(hash_, data, mixed.data());
  hash_ = mixed;
}

void SymmetricState::mix_key(Secret<32> const& input) {
  auto [chaining_key, key] = hkdf(chaining_key_, input.bytes());
  chaining_key_ = std::move(chaining_key);
  key_ = truncated(key);
  nonce_ = 0;
}

void SymmetricState::encrypt_and_hash(Bytes plain, Buffer& out) {
  auto const start = out.size();
  out.resize(start + plain.size() + tag_size);
  aead_encrypt(key_, nonce_++, hash_, plain, out.data() + start, out.data() + start + plain.size());
  mix_hash(Bytes(out).subspan(start));
}

bool SymmetricState::decrypt_and_hash(Bytes sealed, std::uint8_t* out) {
  auto const text = sealed.first(sealed.size() - tag_size);
  if (!aead_decrypt(key_, nonce_, hash_, text, sealed.data() + text.size(), out)) return false;
  ++nonce_;
  mix_hash(sealed);
  return true;
}

std::pair<CipherKey, CipherKey> SymmetricState::split() const {
  auto const keys = hkdf(chaining_key_, {});
  return {truncated(keys.first), truncated(keys.second)};
}

}  // namespace cy::seal
