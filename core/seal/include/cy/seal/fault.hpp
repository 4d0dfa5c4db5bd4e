// Why a datagram or a handshake message was refused: one byte, counted, never a string.
#pragma once

#include <cstdint>
#include <string_view>

namespace cy::seal {

enum class SealFault : std::uint8_t {
  short_,       // fewer bytes than the smallest valid message
  bad_key,      // a public key of low order: the shared secret would be zero
  bad_tag,      // changed on the way, sealed with another key, or for somebody else
  replayed,     // this sequence number was accepted before
  too_old,      // behind the replay window, so nobody can tell whether it is a replay
  wrong_epoch,  // further ahead than the receiver is willing to derive keys for
};

// "bad_tag": the counter's name.
constexpr std::string_view name(SealFault fault) {
  switch (fault) {
    case SealFault::short_:
      return "short";
    case SealFault::bad_key:
      return "bad_key";
    case SealFault::bad_tag:
      return "bad_tag";
    case SealFault::replayed:
      return "replayed";
    case SealFault::too_old:
      return "too_old";
    case SealFault::wrong_epoch:
      return "wrong_epoch";
  }
  return "unknown";
}

}  // namespace cy::seal
