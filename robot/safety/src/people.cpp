#include <cy/safety/people.hpp>

#include <algorithm>

namespace cy {

Refusal People::introduce(StationId station, Role trusted, Introduce const& who) {
  if (!station || !who.person || !known(who.role)) return Refusal::bad_value;
  auto const key = std::pair{station, who.person};
  if (!people_.contains(key)) {
    auto const brought = std::count_if(people_.begin(), people_.end(),
                                       [&](auto const& entry) { return entry.first.first == station; });
    if (static_cast<std::size_t>(brought) >= most_per_station) return Refusal::full;
  }
  auto const ceiling = known(trusted) ? trusted : Role::observer;
  people_[key] = {station, who.person, std::string(clipped(who.name, longest_name)),
                  std::min(who.role, ceiling)};
  return Refusal::none;
}

bool People::dismiss(StationId station, PersonId person) {
  return people_.erase({station, person}) > 0;
}

void People::forget(StationId station) {
  std::erase_if(people_, [&](auto const& entry) { return entry.first.first == station; });
}

Person const* People::find(StationId station, PersonId person) const {
  auto const found = people_.find({station, person});
  return found == people_.end() ? nullptr : &found->second;
}

}  // namespace cy
