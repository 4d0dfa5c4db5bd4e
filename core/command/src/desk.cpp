#include <cy/command/desk.hpp>

#include <algorithm>

namespace cy::command {

Desk::Taken Desk::on_message(wire::Raw message, Time now) {
  if (message.type == SetPoint::head.type) {
    auto m = wire::as<SetPoint>(message);
    if (!m) {
      ++counts_.malformed;
      return {true, {}, {}};
    }
    if (seen_.size() >= options_.resources && !seen_.contains(m->resource.value)) {
      ++counts_.beyond;
      return {true, {}, {}};
    }
    auto& seen = seen_[m->resource.value];
    if (m->id <= seen.newest) {
      ++counts_.overtaken;
      return {true, {}, {}};
    }
    seen.newest = m->id;
    ++counts_.set_points;
    return {true, std::move(*m), {}};
  }
  if (message.type == Event::head.type) {
    auto m = wire::as<Event>(message);
    if (!m) {
      ++counts_.malformed;
      return {true, {}, {}};
    }
    std::erase_if(speaking_, [&](auto id) { return id <= m->heard.value; });
    if (m->id.value < forgotten_below_ && !entries_.contains(m->id.value)) {
      ++counts_.forgotten;
      return {true, {}, {}};
    }
    auto const [at, fresh] = entries_.try_emplace(m->id.value);
    if (!fresh) {
      ++counts_.repeated;
      auto& entry = at->second;
      // The sender has not heard: say it again, but answer a burst of copies once.
      if (entry.ended && now >= entry.last_sent + options_.spacing) {
        entry.next = now;
        if (std::find(speaking_.begin(), speaking_.end(), at->first) == speaking_.end())
          speaking_.push_back(at->first);
        entry.copies = std::min(entry.copies, 1u);
      }
      return {true, {}, {}};
    }
    ++counts_.events;
    at->second.report.id = m->id;
    for (auto oldest = entries_.begin(); entries_.size() > options_.memory && oldest->second.ended;
         oldest = entries_.begin()) {
      forgotten_below_ = std::max(forgotten_below_, oldest->first + 1);
      std::erase(speaking_, oldest->first);
      entries_.erase(oldest);
    }
    return {true, {}, std::move(*m)};
  }
  return {};
}

bool Desk::end(CommandId id, Ending ending, Refusal why, std::optional<wire::Body> reply, Time now) {
  auto const found = entries_.find(id.value);
  // The sender chooses the ids: one that it gave to a set-point and an event as well is its own
  // fault, and must not bring the receiver down.
  if (found == entries_.end() || found->second.ended) return false;
  auto& entry = found->second;
  entry.ended = true;
  entry.report.ending = ending;
  entry.report.why = why;
  entry.report.reply = std::move(reply);
  entry.next = now;
  speaking_.push_back(id.value);
  return true;
}

void Desk::saw(Resource resource, CommandId id, Refusal why, Duration age, Time now) {
  auto const known = seen_.find(resource.value);
  if (known == seen_.end()) return;
  auto& seen = known->second;
  if (id < seen.report.seen) return;
  auto const news = why != seen.report.why;
  seen.report = {resource, id, why,
                 static_cast<std::uint32_t>(std::clamp<std::int64_t>(
                     std::chrono::duration_cast<std::chrono::microseconds>(age).count(), 0, 0xffff'ffff))};
  if (!seen.due) {
    seen.due = true;
    seen.next = std::max(now, seen.next);
  }
  if (news) seen.next = now;
}

std::optional<Time> Desk::deadline() const {
  std::optional<Time> first;
  for (auto const id : speaking_) {
    auto const next = entries_.at(id).next;
    if (!first || next < *first) first = next;
  }
  for (auto const& [resource, seen] : seen_)
    if (seen.due && (!first || seen.next < *first)) first = seen.next;
  return first;
}

void Desk::send(Entry& entry, session::Link& link, Time now) {
  link.post(entry.report);
  ++entry.copies;
  entry.last_sent = now;
  entry.next = now + options_.repeat;
}

void Desk::fill(session::Link& link, Time now) {
  for (auto const id : speaking_)
    if (auto& entry = entries_.at(id); now >= entry.next) send(entry, link, now);
  for (auto& [resource, seen] : seen_) {
    if (!seen.due || (now < seen.next && !link.has_posted())) continue;
    link.post(seen.report);
    seen.due = false;
    seen.next = now + options_.set_point_reports;
  }
  if (link.has_posted()) {
    for (auto const id : speaking_) {
      auto& entry = entries_.at(id);
      if (entry.copies < 2 && now >= entry.last_sent + options_.spacing &&
          wire::size_of(entry.report) <= link.room_left())
        send(entry, link, now);
    }
  }
  std::erase_if(speaking_, [&](auto id) { return entries_.at(id).copies >= 2; });
}

}  // namespace cy::command
