#include "arcos_sonar.hpp"

#include <algorithm>

namespace cy::sim {

SonarSchedule::SonarSchedule(bool rear_array) {
  arrays_[0].fitted = true;
  arrays_[1].fitted = rear_array;
}

void SonarSchedule::start(Duration cycle, Time now) {
  fresh_.clear();
  cycle_ = cycle;
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    auto& array = arrays_[a];
    array.on = array.fitted;
    array.next = 0;
    array.sequence.clear();
    for (std::size_t i = 0; i < 8; ++i) array.sequence.push_back(static_cast<std::uint8_t>(8 * a + i));
  }
  next_ = now + cycle_;
}

void SonarSchedule::stop() {
  for (auto& array : arrays_) array.on = false;
  next_.reset();
  fresh_.clear();
}

bool SonarSchedule::any_on() const {
  return std::any_of(arrays_.begin(), arrays_.end(), [](Array const& a) { return a.on; });
}

void SonarSchedule::select(std::uint16_t argument, Time now) {
  auto const on = (argument & 1) != 0;
  auto const which = static_cast<std::size_t>((argument >> 1) & 7);
  auto const was_on = any_on();
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    if (which == 0 || which == a + 1) arrays_[a].on = on && arrays_[a].fitted;
  }
  if (!any_on()) {
    next_.reset();
  } else if (!was_on) {
    next_ = now + cycle_;
  }
}

void SonarSchedule::polling(Bytes sequence) {
  if (sequence.empty()) {
    for (auto& array : arrays_) array.on = false;
    next_.reset();
    return;
  }
  for (std::size_t a = 0; a < arrays_.size(); ++a) {
    std::vector<std::uint8_t> wanted;
    for (auto const number : sequence) {
      if (number == 0 || (number - 1U) / 8U != a || wanted.size() == 16) continue;
      wanted.push_back(static_cast<std::uint8_t>(number - 1));
    }
    if (wanted.empty()) continue;
    arrays_[a].sequence = wanted;
    arrays_[a].next = 0;
  }
}

std::optional<Time> SonarSchedule::deadline() const {
  return next_;
}

std::vector<std::uint8_t> SonarSchedule::fire() {
  std::vector<std::uint8_t> firing;
  for (auto& array : arrays_) {
    if (!array.on || array.sequence.empty()) continue;
    firing.push_back(array.sequence[array.next % array.sequence.size()]);
    array.next = (array.next + 1) % array.sequence.size();
  }
  if (next_) *next_ += cycle_;
  return firing;
}

void SonarSchedule::heard(std::uint8_t disc, std::uint16_t mm) {
  std::erase_if(fresh_, [&](auto const& reading) { return reading.first == disc; });
  fresh_.emplace_back(disc, mm);
}

std::vector<std::pair<std::uint8_t, std::uint16_t>> SonarSchedule::take_fresh() {
  return std::exchange(fresh_, {});
}

}  // namespace cy::sim
