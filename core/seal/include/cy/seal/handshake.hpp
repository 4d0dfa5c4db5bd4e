// Noise_IK_25519_ChaChaPoly_BLAKE2b: two messages after which both sides know each other.
//
//   Initiator (knows the responder's public key)          Responder
//     write_hello(ephemeral, payload)  ── e, es, s, ss ──►  read_hello → who it is, payload
//     read_reply → payload             ◄── e, ee, se ─────  write_reply(ephemeral, payload)
//     split()                                               split()
//
// Ephemeral keys are handed in: 32 fresh bytes from the system for each handshake, never used
// twice. The hello can be replayed by anybody who saw it: nothing in its payload may move
// anything or be remembered; the first transport datagram proves that the initiator lives.
// A refused message changes nothing: the machine still takes the right one, so a forger on the
// path cannot end a handshake. Calls out of order are a broken invariant.
// The prologue is what both sides must agree on beforehand (name and version of the protocol).
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/seal/fault.hpp>
#include <cy/seal/key.hpp>
#include <cy/seal/noise.hpp>

#include <tl/expected.hpp>

#include <cstdint>

namespace cy::seal {

inline constexpr std::size_t hello_overhead = key_size + (key_size + tag_size) + tag_size;
inline constexpr std::size_t reply_overhead = key_size + tag_size;
// Noise bounds a message to 65535 bytes.
inline constexpr std::size_t max_payload = 65535 - hello_overhead;

class Initiator {
 public:
  // `own` must outlive the machine.
  Initiator(KeyPair const& own, PublicKey const& responder, Bytes prologue);

  // bad_key when the responder's key, as configured, is of low order.
  tl::expected<Buffer, SealFault> write_hello(SecretKey ephemeral, Bytes payload);
  tl::expected<Buffer, SealFault> read_reply(Bytes reply);
  TransportKeys split() const;

 private:
  enum class Stage : std::uint8_t { fresh, waiting, done };
  KeyPair const* own_;
  PublicKey responder_;
  SymmetricState noise_;
  SecretKey ephemeral_;
  Stage stage_ = Stage::fresh;
};

struct Hello {
  PublicKey initiator;  // proven to be held by the writer of the hello, which may be a replay
  Buffer payload;
};

class Responder {
 public:
  // `own` must outlive the machine.
  Responder(KeyPair const& own, Bytes prologue);

  tl::expected<Hello, SealFault> read_hello(Bytes hello);
  Buffer write_reply(SecretKey ephemeral, Bytes payload);
  TransportKeys split() const;

 private:
  enum class Stage : std::uint8_t { fresh, read, done };
  KeyPair const* own_;
  SymmetricState noise_;
  PublicKey initiator_;
  PublicKey initiator_ephemeral_;
  Stage stage_ = Stage::fresh;
};

}  // namespace cy::seal
