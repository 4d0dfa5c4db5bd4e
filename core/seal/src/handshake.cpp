#include <cy/base/check.hpp>
#include <cy/seal/handshake.hpp>

namespace cy::seal {

namespace {

constexpr std::string_view protocol_name = "Noise_IK_25519_ChaChaPoly_BLAKE2b";

void append(Buffer& out, Bytes bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

PublicKey take_key(Bytes message) {
  PublicKey key;
  std::copy_n(message.begin(), key_size, key.bytes.begin());
  return key;
}

// The ways to mix a Diffie-Hellman result; false for a key of low order.
[[nodiscard]] bool mix_dh(SymmetricState& noise, SecretKey const& own, PublicKey const& remote) {
  Secret<32> shared;
  if (!diffie_hellman(own, remote, shared)) return false;
  noise.mix_key(shared);
  return true;
}

}  // namespace

Initiator::Initiator(KeyPair const& own, PublicKey const& responder, Bytes prologue)
    : own_(&own), responder_(responder), noise_(protocol_name, prologue) {
  noise_.mix_hash(responder.bytes);
}

tl::expected<Buffer, SealFault> Initiator::write_hello(SecretKey ephemeral, Bytes payload) {
  CY_CHECK(stage_ == Stage::fresh && payload.size() <= max_payload);
  ephemeral_ = std::move(ephemeral);
  auto const e = public_key_of(ephemeral_);
  Buffer out;
  out.reserve(hello_overhead + payload.size());
  append(out, e.bytes);
  noise_.mix_hash(e.bytes);
  if (!mix_dh(noise_, ephemeral_, responder_)) return tl::unexpected(SealFault::bad_key);
  noise_.encrypt_and_hash(own_->public_key.bytes, out);
  if (!mix_dh(noise_, own_->secret_key, responder_)) return tl::unexpected(SealFault::bad_key);
  noise_.encrypt_and_hash(payload, out);
  stage_ = Stage::waiting;
  return out;
}

tl::expected<Buffer, SealFault> Initiator::read_reply(Bytes reply) {
  CY_CHECK(stage_ == Stage::waiting);
  if (reply.size() < reply_overhead) return tl::unexpected(SealFault::short_);
  auto noise = noise_.clone();
  auto const e = take_key(reply);
  noise.mix_hash(e.bytes);
  if (!mix_dh(noise, ephemeral_, e)) return tl::unexpected(SealFault::bad_key);
  if (!mix_dh(noise, own_->secret_key, e)) return tl::unexpected(SealFault::bad_key);
  Buffer payload(reply.size() - reply_overhead);
  if (!noise.decrypt_and_hash(reply.subspan(key_size), payload.data())) {
    return tl::unexpected(SealFault::bad_tag);
  }
  noise_ = std::move(noise);
  ephemeral_ = SecretKey();
  stage_ = Stage::done;
  return payload;
}

TransportKeys Initiator::split() const {
  CY_CHECK(stage_ == Stage::done);
  auto keys = noise_.split();
  return {std::move(keys.first), std::move(keys.second), noise_.hash()};
}

Responder::Responder(KeyPair const& own, Bytes prologue) : own_(&own), noise_(protocol_name, prologue) {
  noise_.mix_hash(own.public_key.bytes);
}

tl::expected<Hello, SealFault> Responder::read_hello(Bytes hello) {
  CY_CHECK(stage_ == Stage::fresh);
  if (hello.size() < hello_overhead) return tl::unexpected(SealFault::short_);
  auto noise = noise_.clone();
  auto const e = take_key(hello);
  noise.mix_hash(e.bytes);
  if (!mix_dh(noise, own_->secret_key, e)) return tl::unexpected(SealFault::bad_key);
  Hello read;
  if (!noise.decrypt_and_hash(hello.subspan(key_size, key_size + tag_size), read.initiator.bytes.data())) {
    return tl::unexpected(SealFault::bad_tag);
  }
  if (!mix_dh(noise, own_->secret_key, read.initiator)) return tl::unexpected(SealFault::bad_key);
  read.payload.resize(hello.size() - hello_overhead);
  if (!noise.decrypt_and_hash(hello.subspan(2 * key_size + tag_size), read.payload.data())) {
    return tl::unexpected(SealFault::bad_tag);
  }
  noise_ = std::move(noise);
  initiator_ = read.initiator;
  initiator_ephemeral_ = e;
  stage_ = Stage::read;
  return read;
}

Buffer Responder::write_reply(SecretKey ephemeral, Bytes payload) {
  CY_CHECK(stage_ == Stage::read && payload.size() <= max_payload);
  auto const e = public_key_of(ephemeral);
  Buffer out;
  out.reserve(reply_overhead + payload.size());
  append(out, e.bytes);
  noise_.mix_hash(e.bytes);
  // read_hello refused keys of low order, and X25519 secrets are clamped: neither can be zero.
  CY_CHECK(mix_dh(noise_, ephemeral, initiator_ephemeral_));
  CY_CHECK(mix_dh(noise_, ephemeral, initiator_));
  noise_.encrypt_and_hash(payload, out);
  stage_ = Stage::done;
  return out;
}

TransportKeys Responder::split() const {
  CY_CHECK(stage_ == Stage::done);
  auto keys = noise_.split();
  return {std::move(keys.second), std::move(keys.first), noise_.hash()};
}

}  // namespace cy::seal
