#include <cy/base/check.hpp>
#include <cy/seal/key.hpp>

#include <sodium.h>

namespace cy::seal {

static_assert(key_size == crypto_scalarmult_curve25519_BYTES);
static_assert(key_size == crypto_scalarmult_curve25519_SCALARBYTES);

namespace {

constexpr std::string_view public_prefix = "cy-public:";
constexpr std::string_view secret_prefix = "cy-secret:";
constexpr int base64 = sodium_base64_VARIANT_ORIGINAL;

std::string print(std::string_view prefix, std::uint8_t const* key) {
  std::string text(prefix.size() + sodium_base64_ENCODED_LEN(key_size, base64), '\0');
  std::copy(prefix.begin(), prefix.end(), text.begin());
  sodium_bin2base64(text.data() + prefix.size(), text.size() - prefix.size(), key, key_size, base64);
  text.pop_back();  // the terminating zero that libsodium counts
  return text;
}

Result<Secret<key_size>> parse(std::string_view text, std::string_view prefix, std::string_view other) {
  constexpr std::string_view space = " \t\r\n";
  auto const first = text.find_first_not_of(space);
  if (first == text.npos) return fault("no key here: expected one line starting with \"{}\"", prefix);
  text = text.substr(first, text.find_last_not_of(space) - first + 1);
  if (text.starts_with(other)) {
    return fault("this is a key starting with \"{}\", but one starting with \"{}\" belongs here", other,
                 prefix);
  }
  if (!text.starts_with(prefix)) return fault("not a key: expected one line starting with \"{}\"", prefix);
  text.remove_prefix(prefix.size());
  Secret<key_size> key;
  std::size_t size = 0;
  char const* end = nullptr;
  auto const bad =
      sodium_base642bin(key.data(), key_size, text.data(), text.size(), nullptr, &size, &end, base64) != 0;
  if (bad || size != key_size || end != text.data() + text.size()) {
    return fault(
        "damaged key: after \"{}\" must come exactly 44 characters of base64 (32 bytes); copy the whole line",
        prefix);
  }
  return key;
}

}  // namespace

PublicKey public_key_of(SecretKey const& secret) {
  PublicKey key;
  // Fails only for a base point of low order, which the standard one is not.
  CY_CHECK(crypto_scalarmult_curve25519_base(key.bytes.data(), secret.data()) == 0);
  return key;
}

KeyPair make_key_pair(SecretKey entropy) {
  auto const public_key = public_key_of(entropy);
  return {std::move(entropy), public_key};
}

std::string to_text(PublicKey const& key) {
  return print(public_prefix, key.bytes.data());
}
std::string to_text(SecretKey const& key) {
  return print(secret_prefix, key.data());
}

Result<PublicKey> parse_public_key(std::string_view text) {
  auto const parsed = parse(text, public_prefix, secret_prefix);
  if (!parsed) return tl::unexpected(parsed.error());
  PublicKey key;
  std::copy_n(parsed->data(), key_size, key.bytes.begin());
  return key;
}

Result<SecretKey> parse_secret_key(std::string_view text) {
  auto const parsed = parse(text, secret_prefix, public_prefix);
  if (!parsed) return tl::unexpected(parsed.error());
  return SecretKey(parsed->bytes());
}

std::string fingerprint(PublicKey const& key) {
  std::array<std::uint8_t, 16> hash;  // the shortest that BLAKE2b gives here; the first 10 are shown
  crypto_generichash_blake2b(hash.data(), hash.size(), key.bytes.data(), key.bytes.size(), nullptr, 0);
  std::string text;
  for (std::size_t i = 0; i < 10; ++i) {
    if (i != 0 && i % 2 == 0) text += '-';
    text += fmt::format("{:02x}", hash[i]);
  }
  return text;
}

}  // namespace cy::seal
