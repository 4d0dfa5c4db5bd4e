#include <cy/media/keyframe_budget.hpp>

#include <algorithm>

namespace cy::media {

void KeyframeBudget::on_wanted(KeyframeWanted const& wanted, Time now) {
  ++asked_;
  auto const answers = last_known_ && last_ && now < *last_ + options_.gap &&
                       (wanted.none || newer(last_number_, wanted.newest_good));
  if (!answers) wanted_ = true;
}

void KeyframeBudget::on_keyframe(std::uint32_t number, Time now) {
  last_ = now;
  last_number_ = number;
  last_known_ = true;
  wanted_ = false;
}

void KeyframeBudget::refill(Time now) {
  if (refilled_)
    tokens_ = std::min(options_.burst, tokens_ + seconds(now - *refilled_) / seconds(options_.refill));
  refilled_ = now;
}

bool KeyframeBudget::take(Time now) {
  refill(now);
  if (!wanted_ || tokens_ < 1.0) return false;
  if (last_ && now < *last_ + options_.gap) return false;
  tokens_ -= 1.0;
  wanted_ = false;
  last_ = now;
  last_known_ = false;  // until the encoder has given it out
  ++granted_;
  return true;
}

std::optional<Time> KeyframeBudget::deadline() const {
  if (!wanted_ || !refilled_) return std::nullopt;
  auto at = *refilled_;
  // A microsecond on top: a share of a token that no nanosecond can express must not be due at once.
  if (tokens_ < 1.0) at += from_seconds((1.0 - tokens_) * seconds(options_.refill)) + 1us;
  if (last_) at = std::max(at, *last_ + options_.gap);
  return at;
}

}  // namespace cy::media
