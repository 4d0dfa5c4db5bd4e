#include <cy/session/datagram.hpp>

namespace cy::session {

Drop drop_of(seal::SealFault fault) {
  switch (fault) {
    case seal::SealFault::short_:
      return Drop::too_short;
    case seal::SealFault::bad_key:
      return Drop::bad_handshake;
    case seal::SealFault::bad_tag:
      return Drop::bad_tag;
    case seal::SealFault::replayed:
      return Drop::replayed;
    case seal::SealFault::too_old:
      return Drop::too_old;
    case seal::SealFault::wrong_epoch:
      return Drop::wrong_epoch;
  }
  return Drop::bad_tag;
}

}  // namespace cy::session
