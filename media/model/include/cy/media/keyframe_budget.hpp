// The sender's side of keyframes: one when somebody joins, one after a loss, few in all.
//
// A keyframe costs as much as ten other frames, and a bad link asks for many: unbounded, the
// keyframes themselves choke it (a keyframe storm). All viewers of a stream share one budget: never
// two within `gap`, and over time no more than `burst` plus one in each `refill`.
#pragma once

#include <cy/media/blocks.hpp>

namespace cy::media {

struct KeyframeBudgetOptions {
  Duration gap = 250ms;
  double burst = 3.0;
  Duration refill = 1s;
};

class KeyframeBudget {
 public:
  explicit KeyframeBudget(KeyframeBudgetOptions options = {}) : options_(options), tokens_(options.burst) {}

  // A new viewer has nothing yet; neither has one after a gap of the sender's own making.
  void on_join() { wanted_ = true; }
  // A viewer lost a reference. A keyframe that is newer than what it has, and younger than the gap,
  // is likely on its way and answers it; if that one is lost too, the viewer asks again.
  void on_wanted(KeyframeWanted const& wanted, Time now);
  // The encoder gave out a keyframe, asked for or not.
  void on_keyframe(std::uint32_t number, Time now);

  // True once when the next frame is to be a keyframe.
  bool take(Time now);
  // When a wish that is held back will be granted.
  std::optional<Time> deadline() const;

  bool wanted() const { return wanted_; }
  std::uint64_t asked() const { return asked_; }
  std::uint64_t granted() const { return granted_; }

 private:
  void refill(Time now);

  KeyframeBudgetOptions options_;
  double tokens_;
  std::optional<Time> refilled_;
  bool wanted_{};
  std::optional<Time> last_;
  std::uint32_t last_number_{};
  bool last_known_{};
  std::uint64_t asked_{}, granted_{};
};

}  // namespace cy::media
