#include <cy/safety/lease.hpp>

namespace cy {

// An odd step visits all 2^32 numbers before one comes again.
LeaseDesk::LeaseDesk(Seed seed) {
  Random random(seed);
  next_ = static_cast<std::uint32_t>(random.next());
  step_ = static_cast<std::uint32_t>(random.next()) | 1u;
}

void LeaseDesk::give(Person const& person, Time now) {
  next_ += step_;
  if (next_ == 0) next_ += step_;
  lease_ = LeaseId{next_};
  holder_ = person;
  last_used_ = now;
  drop_wish(person.station, person.id);
}

tl::expected<LeaseGranted, Refusal> LeaseDesk::request(Person const& person, bool takeover,
                                                       std::string_view why, Time now) {
  if (!person.may_drive()) return tl::unexpected(Refusal::role);
  auto const before = id();
  auto const free = !holder_ || holder_->same_as(person);
  if (!free && !(takeover && person.role >= Role::manager)) {
    drop_wish(person.station, person.id);
    if (wishes_.size() >= most_wishes) return tl::unexpected(Refusal::full);
    wishes_.push_back(
        {person.station, person.id, person.name, person.role, std::string(clipped(why, longest_words))});
    return tl::unexpected(takeover ? Refusal::role : Refusal::busy);
  }
  give(person, now);
  return LeaseGranted{lease_, before};
}

Refusal LeaseDesk::release(Person const& person, LeaseId lease) {
  if (!holder_ || !holder_->same_as(person) || lease != lease_) return Refusal::no_lease;
  revoke();
  return Refusal::none;
}

Refusal LeaseDesk::grant(Person const& person, LeaseId lease, StationId to_station, PersonId to_person,
                         Time now) {
  if (!holder_ || !holder_->same_as(person) || lease != lease_) return Refusal::no_lease;
  for (auto const& wish : wishes_) {
    if (wish.station != to_station || wish.person != to_person) continue;
    Person const heir{wish.station, wish.person, wish.name, wish.role};
    if (!heir.may_drive()) return Refusal::role;
    give(heir, now);
    return Refusal::none;
  }
  return Refusal::bad_value;
}

void LeaseDesk::revoke() {
  holder_.reset();
  wishes_.clear();
}

void LeaseDesk::on_person(Person const& person) {
  if (!person.may_drive()) return on_left(person.station, person.id);
  if (holder_ && holder_->same_as(person)) *holder_ = person;
  for (auto& wish : wishes_) {
    if (wish.station != person.station || wish.person != person.id) continue;
    wish.name = person.name;
    wish.role = person.role;
  }
}

void LeaseDesk::on_left(StationId station, PersonId person) {
  if (holder_ && holder_->station == station && holder_->id == person) return revoke();
  drop_wish(station, person);
}

void LeaseDesk::on_station_gone(StationId station) {
  if (held_by(station)) return revoke();
  std::erase_if(wishes_, [&](Wish const& wish) { return wish.station == station; });
}

tl::expected<Authority, Refusal> LeaseDesk::authorise(Person const& person, LeaseId lease, Time now) {
  if (!holder_ || !holder_->same_as(person) || lease != lease_) return tl::unexpected(Refusal::no_lease);
  if (!person.may_drive()) return tl::unexpected(Refusal::role);
  last_used_ = now;
  return Authority(Authority::Source::hand, lease_);
}

Authority LeaseDesk::as_task(Authority&& hand) {
  return Authority(Authority::Source::task, hand.lease());
}

Authority LeaseDesk::as_policy(Authority&& task) {
  return Authority(Authority::Source::policy, task.lease());
}

std::optional<Authority> LeaseDesk::bequeath() const {
  if (!holder_) return std::nullopt;
  return Authority(Authority::Source::policy, lease_);
}

void LeaseDesk::drop_wish(StationId station, PersonId person) {
  std::erase_if(wishes_, [&](Wish const& wish) { return wish.station == station && wish.person == person; });
}

}  // namespace cy
