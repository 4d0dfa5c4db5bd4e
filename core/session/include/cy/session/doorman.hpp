// Who of those that say hello is let in to a handshake, which costs the listener some 0.3 ms.
//
//   stranger ──hello──►  while few come: enter
//                        else prove: here is a cookie for your address, say it again with that
//   proven   ──hello──►  enter, so many a second for each address and for all of them
//
// A hello's source can be forged; a cookie reaches only who really is there. So a flood of forged
// hellos, of whatever contents, costs a new station one round trip, and a flood from true
// addresses is bounded for each of them (WireGuard's cookie, Donenfeld 2017, §5.4.7). What is kept
// does not grow with the flood.
#pragma once

#include <cy/base/endpoint.hpp>
#include <cy/base/time.hpp>
#include <cy/seal/cookie.hpp>
#include <cy/seal/key.hpp>

#include <functional>
#include <map>
#include <optional>

namespace cy::session {

// 32 bytes of the system's best randomness (tests: seeded).
using Entropy = std::function<seal::SecretKey()>;

struct DoormanOptions {
  double strangers_per_second = 50.0;  // beyond these, cookies
  double proven_per_second = 50.0;     // of all addresses together
  double per_address = 5.0;            // a second; stations behind one router share it
  std::size_t addresses = 256;         // remembered; the one that was quiet longest gives way
  Duration secret_life = 120s;         // a cookie is good for this long at least
};

class Doorman {
 public:
  explicit Doorman(DoormanOptions const& options) : options_(options) {}

  enum class Answer : std::uint8_t { enter, prove, wait };
  // `cookie`: what the hello shows; empty when it shows none.
  Answer admit(Endpoint const& from, Bytes cookie, Time now, Entropy const& entropy);
  // For whoever was told to prove.
  seal::Cookie cookie_for(Endpoint const& from);

 private:
  // Fills up to the allowance of one second.
  struct Bucket {
    double tokens = 0.0;
    std::optional<Time> at;  // when it was looked at last; never: it is full
    bool take(double per_second, Time now);
  };
  void renew_secrets(Time now, Entropy const& entropy);
  bool proves(Endpoint const& from, Bytes cookie) const;
  Bucket& bucket_of(Endpoint const& from);

  DoormanOptions options_;
  Bucket strangers_, proven_;
  std::map<std::array<std::uint8_t, 16>, Bucket> addresses_;
  std::optional<seal::SecretKey> secret_, earlier_;
  Time secret_until_{};
};

}  // namespace cy::session
