#include <cy/session/doorman.hpp>

#include <algorithm>

namespace cy::session {
namespace {

std::array<std::uint8_t, 18> text_of(Endpoint const& from) {
  std::array<std::uint8_t, 18> text;
  std::copy(from.address.begin(), from.address.end(), text.begin());
  store_le(text.data() + 16, from.port);
  return text;
}

}  // namespace

bool Doorman::Bucket::take(double per_second, Time now) {
  tokens = at ? std::min(per_second, tokens + seconds(now - *at) * per_second) : per_second;
  at = now;
  if (tokens < 1.0) return false;
  tokens -= 1.0;
  return true;
}

Doorman::Answer Doorman::admit(Endpoint const& from, Bytes cookie, Time now, Entropy const& entropy) {
  if (!cookie.empty() && proves(from, cookie)) {
    auto const enter =
        bucket_of(from).take(options_.per_address, now) && proven_.take(options_.proven_per_second, now);
    return enter ? Answer::enter : Answer::wait;
  }
  if (strangers_.take(options_.strangers_per_second, now)) return Answer::enter;
  renew_secrets(now, entropy);
  return Answer::prove;
}

void Doorman::renew_secrets(Time now, Entropy const& entropy) {
  if (secret_ && now < secret_until_) return;
  earlier_ = std::exchange(secret_, entropy());
  secret_until_ = now + options_.secret_life;
}

seal::Cookie Doorman::cookie_for(Endpoint const& from) {
  return seal::make_cookie(*secret_, text_of(from));
}

bool Doorman::proves(Endpoint const& from, Bytes cookie) const {
  auto const text = text_of(from);
  return (secret_ && seal::is_cookie(cookie, *secret_, text)) ||
         (earlier_ && seal::is_cookie(cookie, *earlier_, text));
}

Doorman::Bucket& Doorman::bucket_of(Endpoint const& from) {
  auto key = from.address;
  if (!is_ipv4(from)) std::fill(key.begin() + 8, key.end(), std::uint8_t{0});  // a site has a whole /64
  if (auto const known = addresses_.find(key); known != addresses_.end()) return known->second;
  if (addresses_.size() >= options_.addresses)
    addresses_.erase(std::min_element(addresses_.begin(), addresses_.end(), [](auto const& a, auto const& b) {
      return a.second.at < b.second.at;
    }));
  return addresses_[key];
}

}  // namespace cy::session
