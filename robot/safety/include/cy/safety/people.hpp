// The persons behind the sessions, with the role that is theirs here.
#pragma once

#include <cy/base/text.hpp>
#include <cy/model/control.hpp>

#include <map>

namespace cy {

// What a person says (why it was stopped, who would like to drive) is told to every session again and
// again: no more than so many bytes of it are kept.
inline constexpr std::size_t longest_words = 200;

struct Person {
  StationId station;
  PersonId id;
  std::string name;
  Role role{};

  bool same_as(Person const& other) const { return station == other.station && id == other.id; }
  bool may_drive() const { return role >= Role::operator_ && known(role); }
};

class People {
 public:
  // A station may bring this many; more are refused (full), so that none can fill the memory.
  static constexpr std::size_t most_per_station = 32;
  static constexpr std::size_t longest_name = 64;  // bytes; more is cut

  // `trusted` is the highest role that the agent lets this station vouch for; a higher one sinks
  // to it. Refusal::none: the person is known from now on, with the role that find() shows.
  Refusal introduce(StationId station, Role trusted, Introduce const& who);
  // False: there was no such person.
  bool dismiss(StationId station, PersonId person);
  void forget(StationId station);
  // Null: not introduced. Valid until the next change.
  Person const* find(StationId station, PersonId person) const;

 private:
  std::map<std::pair<StationId, PersonId>, Person> people_;
};

}  // namespace cy
