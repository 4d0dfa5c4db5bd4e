// Commands on their way to the controller, paced.
//
// A controller may lose commands that come faster than one in 3 to 5 ms (maker's manual), and a
// slow line must not fill up with them. What stops goes first, then the newest motion, then the
// rest in order. A new VEL or RVEL takes the place of the one that still waits.
#pragma once

#include <cy/codec/arcos.hpp>
#include <cy/command/messages.hpp>

#include <algorithm>
#include <deque>
#include <optional>

namespace cy::arcos {

class Outbox {
 public:
  static constexpr Duration spacing = 4ms;
  static constexpr std::size_t room = 64;

  struct Item {
    Order order{};
    Buffer bytes;
    CommandId id;  // whose last bytes these are; 0 nobody's
  };

  // On a serial line a frame takes its time; 0 elsewhere.
  void set_baud(unsigned baud) { baud_ = baud; }

  bool full() const { return rest_.size() >= room; }
  bool empty() const { return stops_.empty() && motion_.empty() && rest_.empty(); }

  // Precondition: not full() where `id` counts.
  void push(Item item) { rest_.push_back(std::move(item)); }
  void push_stop(Item item) { stops_.push_back(std::move(item)); }

  // Yields whose set-point this one overtook, if one still waited.
  CommandId move(int velocity, int rotation, CommandId id) {
    auto const overtaken = drop_motion();
    motion_.push_back({Order::vel, encode(Order::vel, velocity), {}});
    motion_.push_back({Order::rvel, encode(Order::rvel, rotation), id});
    return overtaken;
  }
  bool motion_waits() const { return !motion_.empty(); }
  CommandId drop_motion() {
    CommandId whose;
    for (auto const& item : motion_)
      if (item.id) whose = item.id;
    motion_.clear();
    return whose;
  }
  // Takes back what waits of these: an ENABLE that a stop has overtaken.
  std::vector<CommandId> drop(Order order) {
    std::vector<CommandId> whose;
    auto const gone = std::remove_if(rest_.begin(), rest_.end(), [&](Item const& item) {
      if (item.order == order && item.id) whose.push_back(item.id);
      return item.order == order;
    });
    rest_.erase(gone, rest_.end());
    return whose;
  }
  std::vector<CommandId> clear() {
    std::vector<CommandId> whose;
    for (auto const* lane : {&stops_, &motion_, &rest_})
      for (auto const& item : *lane)
        if (item.id) whose.push_back(item.id);
    stops_.clear();
    motion_.clear();
    rest_.clear();
    return whose;
  }

  std::optional<Time> due() const {
    if (empty()) return std::nullopt;
    return free_at_;
  }
  std::optional<Item> next(Time now) {
    if (empty() || now < free_at_) return std::nullopt;
    auto& lane = !stops_.empty() ? stops_ : !motion_.empty() ? motion_ : rest_;
    auto item = std::move(lane.front());
    lane.pop_front();
    sent(item.bytes.size(), now);
    return item;
  }
  // Bytes went out now, here or around this queue.
  void sent(std::size_t size, Time now) {
    auto const line = baud_ == 0 ? Duration{} : Duration(1s) * static_cast<int>(size * 10) / baud_;
    free_at_ = std::max(free_at_, now) + std::max<Duration>(spacing, line);
    if (free_at_ > now + 200ms) free_at_ = now + 200ms;
  }

 private:
  std::deque<Item> stops_, motion_, rest_;
  Time free_at_{};
  unsigned baud_{};
};

}  // namespace cy::arcos
