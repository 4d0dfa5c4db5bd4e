// Seals and opens the datagrams of a session, in the caller's buffer, without allocating.
//
// A datagram is `head | sealed plain text | tag`; the head (with the lower 32 bits of the
// sequence number) stays readable and is authenticated as additional data. The 64-bit sequence
// number, from 0, is the nonce (Noise revision 34, section 5.1), so until the first change of
// keys these are exactly Noise transport messages.
//
// Change of keys. Epoch e holds the sequence numbers e * 2^20 up to (e + 1) * 2^20 - 1 and has
// the key REKEY applied e times. Crossing 2^20 datagrams therefore changes the key (count);
// advance_epoch() jumps to the first number of the next epoch and so changes it too (time: the
// owner calls it on its deadline). Nothing is negotiated. The receiver derives a key that is
// ahead by at most max_epoch_steps, and keeps it only once a tag has verified under it. The
// last epoch's key, with its own replay window, stays for datagrams that were overtaken, until
// the new epoch is one window width old; then it is wiped, and what was captured under it can
// no longer be read even by somebody who takes the machine.
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/seal/fault.hpp>
#include <cy/seal/noise.hpp>
#include <cy/seal/replay_window.hpp>

#include <tl/expected.hpp>

#include <cstdint>
#include <optional>

namespace cy::seal {

inline constexpr unsigned epoch_bits = 20;
// Bounds what a forged sequence number can make the receiver compute. Sixteen epochs of two
// minutes, or of a million datagrams, outlive any session that hears nothing meanwhile.
inline constexpr std::uint64_t max_epoch_steps = 16;

// A datagram that was authentic, whole and new. Only the stage that checked this makes one.
class Opened {
 public:
  std::uint64_t sequence() const { return sequence_; }
  MutableBytes plain() const { return plain_; }  // inside the buffer that was opened

 private:
  friend class Opener;
  friend class ClearOpener;
  Opened(std::uint64_t sequence, MutableBytes plain) : sequence_(sequence), plain_(plain) {}
  std::uint64_t sequence_;
  MutableBytes plain_;
};

class Sealer {
 public:
  explicit Sealer(CipherKey key) : key_(std::move(key)) {}

  // The number that the next seal() takes; its lower 32 bits belong in the head.
  std::uint64_t next_sequence() const { return next_; }
  // Seals the first plain_size bytes and puts the tag behind them; returns plain_size + tag_size.
  // Precondition: the buffer holds as many.
  std::size_t seal(MutableBytes plain_then_tag, std::size_t plain_size, Bytes head);
  // Moves on to the next epoch; nothing happens when the current one was never used.
  void advance_epoch();

  std::uint64_t epoch() const { return next_ >> epoch_bits; }

 private:
  CipherKey key_;
  std::uint64_t key_epoch_ = 0;
  std::uint64_t next_ = 0;
};

class Opener {
 public:
  explicit Opener(CipherKey key) { current_.key = std::move(key); }

  // `sealed_then_tag` becomes the plain text; after a fault its contents mean nothing.
  tl::expected<Opened, SealFault> open(MutableBytes sealed_then_tag, Bytes head, std::uint32_t low_sequence);

  std::uint64_t epoch() const { return current_.number; }
  // One more than the highest number accepted; 0 before the first.
  std::uint64_t next_sequence() const { return next_; }

 private:
  struct Epoch {
    std::uint64_t number = 0;
    CipherKey key;
    ReplayWindow window;
  };
  void enter(std::uint64_t number, CipherKey key);

  Epoch current_;
  std::optional<Epoch> previous_;
  std::uint64_t next_ = 0;
};

}  // namespace cy::seal
