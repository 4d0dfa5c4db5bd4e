// When which sonar disc fires. Each array of eight fires one disc per cycle (40 ms: 25 Hz an
// array), in its own polling sequence; only what was heard since the last SIP is reported.
// Maker's manual: POLLING (3), SONAR (28), SONARCYCLE (48), SIP sonar count.
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/base/time.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace cy::sim {

struct DiscPose {
  double x{};    // mm, forward
  double y{};    // mm, left
  double yaw{};  // degrees
};
inline constexpr std::size_t disc_count = 16;
// ARIA's parameter files p3dx and p3dx-sh, which agree. Array 1 is discs 0-7, array 2 is 8-15.
inline constexpr std::array<DiscPose, disc_count> discs{{{69, 136, 90},
                                                         {114, 119, 50},
                                                         {148, 78, 30},
                                                         {166, 27, 10},
                                                         {166, -27, -10},
                                                         {148, -78, -30},
                                                         {114, -119, -50},
                                                         {69, -136, -90},
                                                         {-157, -136, -90},
                                                         {-203, -119, -130},
                                                         {-237, -78, -150},
                                                         {-255, -27, -170},
                                                         {-255, 27, 170},
                                                         {-237, 78, 150},
                                                         {-203, 119, 130},
                                                         {-157, 136, 90}}};

class SonarSchedule {
 public:
  explicit SonarSchedule(bool rear_array);

  // OPEN: FLASH's sequences and rate, everything fires.
  void start(Duration cycle, Time now);
  void stop();
  // SONAR: bit 0 on or off, the rest selects an array, 0 all.
  void select(std::uint16_t argument, Time now);
  // POLLING: discs counted from 1; only arrays that are mentioned change; empty: off.
  void polling(Bytes sequence);
  void cycle(Duration per_disc) { cycle_ = per_disc; }
  void postpone(Duration by) {
    if (next_) *next_ += by;
  }

  std::optional<Time> deadline() const;
  // The discs that fire at deadline(), then the next deadline is due.
  std::vector<std::uint8_t> fire();
  void heard(std::uint8_t disc, std::uint16_t mm);
  // What is new since the last call, in the order of firing.
  std::vector<std::pair<std::uint8_t, std::uint16_t>> take_fresh();

  bool array_on(std::size_t array) const { return arrays_[array].on; }

 private:
  struct Array {
    bool fitted{};
    bool on{};
    std::vector<std::uint8_t> sequence;
    std::size_t next{};
  };
  bool any_on() const;

  std::array<Array, 2> arrays_;
  Duration cycle_{};
  std::optional<Time> next_;
  std::vector<std::pair<std::uint8_t, std::uint16_t>> fresh_;
};

}  // namespace cy::sim
