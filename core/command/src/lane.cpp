#include <cy/command/lane.hpp>

#include <algorithm>

namespace cy::command {
namespace {

// How long after its lifetime a sent set-point waits for its report before it ends unknown.
constexpr Duration report_wait = 500ms;

template <class Ms, class Rep>
Rep whole(Duration left) {
  auto const n = std::chrono::ceil<Ms>(left).count();
  return static_cast<Rep>(std::clamp<std::int64_t>(n, 0, std::numeric_limits<Rep>::max()));
}

}  // namespace

CommandId Lane::set_point(Target target, wire::Body what, Time until, std::uint32_t echo_us,
                          std::uint32_t picture, Time now) {
  CommandId const id{next_++};
  if (until <= now) {
    end(id, Ending::expired_unsent);
    return id;
  }
  std::erase_if(set_points_, [&](auto const& older) {
    if (older.sent || older.message.resource != target.resource) return false;
    end(older.message.id, Ending::superseded);
    return true;
  });
  set_points_.push_back(
      {{id, target.resource, target.person, target.lease, echo_us, picture, 0, std::move(what)}, until});
  return id;
}

CommandId Lane::event(Target target, wire::Body what, Duration deadline, Time now, Urgency urgency) {
  CommandId const id{next_++};
  auto const reserved = urgency == Urgency::urgent ? 0 : std::min(options_.reserve, options_.max_events);
  if (events_.size() >= options_.max_events - reserved) {
    end(id, Ending::refused, Refusal::full);
    return id;
  }
  PendingEvent pending;
  pending.message = {id, target.resource, target.person, target.lease, 0, 0, std::move(what), {}};
  pending.deadline = now + deadline;
  pending.next = now;
  pending.interval = options_.repeat;
  events_.emplace_hint(events_.end(), id.value, std::move(pending));
  return id;
}

void Lane::end(CommandId id, Ending ending, Refusal why, std::optional<wire::Body> reply) {
  endings_.push_back({id, ending, why, std::move(reply)});
}

bool Lane::on_message(wire::Raw message, Time) {
  if (message.type == Report::head.type) {
    auto report = wire::as<Report>(message);
    if (!report) return true;
    // A second copy of the report finds nothing and is done.
    if (events_.erase(report->id.value) > 0)
      end(report->id, report->ending, report->why, std::move(report->reply));
    return true;
  }
  if (message.type == SetPointReport::head.type) {
    auto const report = wire::as<SetPointReport>(message);
    if (!report) return true;
    std::erase_if(set_points_, [&](auto const& p) {
      if (!p.sent || p.message.resource != report->resource || p.message.id > report->seen) return false;
      if (p.message.id < report->seen)
        end(p.message.id, Ending::superseded);
      else
        end(p.message.id, report->why == Refusal::none ? Ending::applied : Ending::refused, report->why);
      return true;
    });
    return true;
  }
  return false;
}

Time Lane::over_at(PendingSetPoint const& p) {
  return p.sent ? p.until + report_wait : p.until;
}

void Lane::on_time(Time now) {
  std::erase_if(set_points_, [&](auto const& p) {
    if (now < over_at(p)) return false;
    end(p.message.id, p.sent ? Ending::expired_maybe_applied : Ending::expired_unsent);
    return true;
  });
  std::erase_if(events_, [&](auto const& entry) {
    auto const& p = entry.second;
    if (now < p.deadline) return false;
    end(p.message.id, p.message.attempt > 0 ? Ending::expired_maybe_applied : Ending::expired_unsent);
    return true;
  });
}

void Lane::on_gone() {
  for (auto const& p : set_points_)
    end(p.message.id, p.sent ? Ending::expired_maybe_applied : Ending::expired_unsent);
  for (auto const& [id, p] : events_)
    end(p.message.id, p.message.attempt > 0 ? Ending::expired_maybe_applied : Ending::expired_unsent);
  set_points_.clear();
  events_.clear();
}

std::optional<Time> Lane::deadline() const {
  std::optional<Time> first;
  auto const consider = [&](Time t) {
    if (!first || t < *first) first = t;
  };
  for (auto const& p : set_points_) consider(p.sent ? over_at(p) : Time{});
  for (auto const& [id, p] : events_) consider(std::min(p.next, p.deadline));
  return first;
}

std::optional<Time> Lane::expiry() const {
  std::optional<Time> first;
  auto const consider = [&](Time t) {
    if (!first || t < *first) first = t;
  };
  for (auto const& p : set_points_) consider(over_at(p));
  for (auto const& [id, p] : events_) consider(p.deadline);
  return first;
}

void Lane::send(PendingEvent& p, session::Link& link, Time now) {
  p.message.deadline_ms = whole<std::chrono::milliseconds, std::uint32_t>(p.deadline - now);
  p.message.heard = CommandId{events_.begin()->first - 1};
  link.post(p.message);
  ++p.message.attempt;
  p.last_sent = now;
}

void Lane::fill(session::Link& link, Time now) {
  on_time(now);
  for (auto& p : set_points_) {
    if (p.sent) continue;
    p.message.lifetime_ms = whole<std::chrono::milliseconds, std::uint16_t>(p.until - now);
    link.post(p.message);
    p.sent = true;
  }
  // What is for the receiver itself goes before what is for its robots: persons are introduced
  // before they ask for something.
  for (auto const for_itself : {true, false})
    for (auto& [id, p] : events_) {
      if (now < p.next || (p.message.resource == Resource{}) != for_itself) continue;
      send(p, link, now);
      p.next = now + p.interval;
      p.interval = std::min(p.interval * 2, options_.repeat_max);
    }
  if (!link.has_posted()) return;
  for (auto& [id, p] : events_) {
    if (now < p.last_sent + options_.spacing) continue;
    if (wire::size_of(p.message) > link.room_left()) break;
    send(p, link, now);
  }
}

void Lane::take_endings(std::vector<Ended>& into) {
  std::move(endings_.begin(), endings_.end(), std::back_inserter(into));
  endings_.clear();
}

}  // namespace cy::command
