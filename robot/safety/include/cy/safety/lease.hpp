// Control of one robot as a thing that exactly one person has, or nobody.
#pragma once

#include <cy/base/random.hpp>
#include <cy/safety/people.hpp>

#include <tl/expected.hpp>

namespace cy {

// The permission to move a robot. Only a LeaseDesk makes one, and only out of a lease that a
// person holds at that moment; the gate demands it. It cannot be copied, only handed on.
class Authority {
 public:
  enum class Source : std::uint8_t { hand, task, policy };

  Authority(Authority&&) noexcept = default;
  Authority& operator=(Authority&&) noexcept = default;
  Authority(Authority const&) = delete;
  Authority& operator=(Authority const&) = delete;

  Source source() const { return source_; }
  LeaseId lease() const { return lease_; }

 private:
  friend class LeaseDesk;
  Authority(Source source, LeaseId lease) : source_(source), lease_(lease) {}

  Source source_;
  LeaseId lease_;
};

// The lease of one robot: requested, granted, handed over, taken, given back, expired.
// Ids are never used twice in a run and start anywhere, so that a command or an ack of an
// earlier lease, or of an earlier run of the agent, matches nothing.
class LeaseDesk {
 public:
  static constexpr std::size_t most_wishes = 8;

  explicit LeaseDesk(Seed seed);

  tl::expected<LeaseGranted, Refusal> request(Person const& person, bool takeover, std::string_view why,
                                              Time now);
  Refusal release(Person const& person, LeaseId lease);
  // Hands the lease to somebody who wished for it.
  Refusal grant(Person const& person, LeaseId lease, StationId to_station, PersonId to_person, Time now);
  // Takes it from whoever has it.
  void revoke();

  // The role or name of a person has changed.
  void on_person(Person const& person);
  // The person has gone; so have the wishes.
  void on_left(StationId station, PersonId person);
  void on_station_gone(StationId station);

  // Permission for one command by hand; counts as a sign of life.
  tl::expected<Authority, Refusal> authorise(Person const& person, LeaseId lease, Time now);
  // Permission for the time after: a task that the person starts.
  static Authority as_task(Authority&& hand);
  // What a person started and the robot's policy lets go on.
  static Authority as_policy(Authority&& task);
  // Permission for the robot's own policy, taken while the lease that it answers for still stands.
  std::optional<Authority> bequeath() const;

  bool held() const { return holder_.has_value(); }
  bool held_by(StationId station) const { return holder_ && holder_->station == station; }
  Person const* holder() const { return holder_ ? &*holder_ : nullptr; }
  LeaseId id() const { return holder_ ? lease_ : LeaseId{}; }
  std::vector<Wish> const& wishes() const { return wishes_; }
  Time last_used() const { return last_used_; }

 private:
  void give(Person const& person, Time now);
  void drop_wish(StationId station, PersonId person);

  std::uint32_t next_;
  std::uint32_t step_;
  LeaseId lease_;
  std::optional<Person> holder_;
  std::vector<Wish> wishes_;
  Time last_used_{};
};

}  // namespace cy
