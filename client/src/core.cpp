#include <cy/base/check.hpp>
#include <cy/client/core.hpp>

#include <algorithm>

namespace cy::client {
namespace {
// How long the house's own events (introduce, describe, subscribe) are tried.
constexpr Duration own_deadline = 2s;
}  // namespace

Core::Core(seal::KeyPair const& own, seal::PublicKey const& agent, session::Identity identity,
           CoreOptions options, session::Entropy entropy, Random random)
    : options_(std::move(options)),
      dialer_(own, agent, options_.agent, std::move(identity), std::move(entropy), options_.dialer, random),
      lane_(options_.lane) {}

void Core::start(Time now, session::Outbox& out) {
  dialer_.start(now, out);
}

void Core::on_datagram(MutableBytes datagram, Endpoint from, Time now, session::Outbox& out) {
  auto const messages = dialer_.on_datagram(datagram, from, now, out);
  if (messages) {
    wire::Walk walk(*messages);
    while (auto const message = walk.next()) on_message(*message, now);
  }
  after(now);
}

void Core::on_message(wire::Raw message, Time now) {
  if (lane_.on_message(message, now)) return;
  switch (message.type) {
    case media::VideoBlock::head.type:
      if (auto const block = wire::as<media::VideoBlock>(message))
        if (auto const at = watched_.find(block->stream.value); at != watched_.end()) {
          at->second.pool.on_block(*block, now);
          drain_pools(now);
        }
      return;
    case RobotStatus::head.type:
      if (auto m = wire::as<RobotStatus>(message)) events_.emplace_back(std::move(*m));
      return;
    case ControlState::head.type:
      if (auto m = wire::as<ControlState>(message)) events_.emplace_back(std::move(*m));
      return;
    case DeviceState::head.type:
      if (auto m = wire::as<DeviceState>(message)) events_.emplace_back(std::move(*m));
      return;
    case TaskState::head.type:
      if (auto m = wire::as<TaskState>(message)) events_.emplace_back(std::move(*m));
      return;
    case Inventory::head.type:
      if (auto m = wire::as<Inventory>(message)) {
        inventory_revision_ = m->revision;
        events_.emplace_back(std::move(*m));
      }
      return;
    case media::StreamInfo::head.type:
      if (auto m = wire::as<media::StreamInfo>(message)) {
        streams_[m->stream.value] = *m;
        events_.emplace_back(std::move(*m));
      }
      return;
    case AgentPulse::head.type:
      if (auto m = wire::as<AgentPulse>(message)) {
        if (m->inventory_revision != inventory_revision_ && !describing_)
          describing_ = event({}, wire::body_of(Describe{}), own_deadline, now);
        events_.emplace_back(std::move(*m));
      }
      return;
    default:
      events_.emplace_back(Other{{message.type, copy_of(message.payload)}});
  }
}

// A new session knows nothing of the old one: persons and subscriptions are said again, and the
// robots are asked for. Leases are not: whoever drove must ask for control anew.
void Core::on_session(Time now) {
  for (auto const& [id, known] : persons_)
    lane_.event({}, wire::body_of(Introduce{PersonId{id}, known.name, known.role}), own_deadline, now);
  inventory_revision_ = 0;
  describing_ = event({}, wire::body_of(Describe{}), own_deadline, now);
  for (auto& [stream, watched] : watched_) {
    watched.pool = media::Pool(media::StreamId{stream}, options_.pool);
    lane_.event({}, wire::body_of(media::Subscribe{media::StreamId{stream}, true}), own_deadline, now);
  }
}

void Core::after(Time now) {
  for (auto& change : dialer_.take_changes()) {
    if (change.state == session::LinkState::gone) {
      lane_.on_gone();
      held_.clear();
    }
    events_.emplace_back(LinkChanged{change.state, std::move(change.why)});
  }
  if (dialer_.link() && dialer_.session() != session_) {
    session_ = dialer_.session();
    on_session(now);
  }
  lane_.take_endings(endings_);
  for (auto& ended : endings_) {
    if (describing_ == ended.id) {
      describing_.reset();
      if (ended.reply) on_message(wire::view(*ended.reply), now);
    } else {
      events_.emplace_back(std::move(ended));
    }
  }
  endings_.clear();
}

void Core::say_held(Time now) {
  auto const period = options_.set_point_period;
  for (auto& held : held_)
    if (now >= held.until && held.then) {
      held.what = *std::exchange(held.then, {});
      held.until = now + 2 * period;
      held.next = now;
    }
  std::erase_if(held_, [&](Held const& held) { return now >= held.until; });
  for (auto& held : held_) {
    if (now < held.next) continue;
    held.next = now + period;
    auto const until = std::min(now + options_.set_point_lifetime, held.until + period);
    lane_.set_point(held.target, held.what, until, agent_stamp().value_or(0), 0, now);
  }
}

void Core::on_time(Time now, session::Outbox& out) {
  dialer_.on_time(now, out);
  lane_.on_time(now);
  say_held(now);
  for (auto& [stream, watched] : watched_) {
    watched.pool.on_time(now);
    if (now >= watched.next_report && dialer_.link()) {
      watched.next_report = now + options_.report_period;
      auto const statistics = dialer_.link()->statistics();
      if (statistics.clock_offset) watched.pool.on_clock_offset(*statistics.clock_offset);
      if (statistics.rtt) watched.pool.on_round_trip(*statistics.rtt);
      dialer_.link()->post(watched.pool.report(now));
    }
  }
  drain_pools(now);
  after(now);
}

std::optional<Time> Core::deadline() const {
  auto first = dialer_.deadline();
  auto const consider = [&](std::optional<Time> t) {
    if (t && (!first || *t < *first)) first = t;
  };
  consider(lane_.expiry());
  // Without a link nothing can be sent, so only endings are due.
  if (dialer_.link()) {
    consider(lane_.deadline());
    for (auto const& held : held_) consider(std::min(held.next, held.until));
    for (auto const& [stream, watched] : watched_) {
      consider(watched.pool.deadline());
      consider(watched.next_report);
    }
  }
  return first;
}

void Core::flush(Time now, session::Outbox& out) {
  if (auto* link = dialer_.link()) {
    lane_.fill(*link, now);
    link->flush(now, out);
  }
  after(now);
}

void Core::close(std::string_view why, Time now, session::Outbox& out) {
  flush(now, out);
  dialer_.close(why, now, out);
  lane_.on_gone();
  after(now);
}

void Core::drain(std::vector<Event>& into) {
  std::move(events_.begin(), events_.end(), std::back_inserter(into));
  events_.clear();
}

void Core::drain_pools(Time now) {
  for (auto& [stream, watched] : watched_) {
    watched.pool.drain(pool_effects_);
    for (auto& effect : pool_effects_) {
      if (auto* shown = std::get_if<media::Shown>(&effect)) {
        media::Picture picture;
        picture.stream = media::StreamId{stream};
        picture.number = shown->number;
        picture.capture_us = shown->capture_us;
        auto const clock = agent_clock(now);
        auto const age = clock ? static_cast<std::int32_t>(*clock - shown->capture_us) : 0;
        picture.age_us = static_cast<std::uint32_t>(std::max(age, 0));
        picture.key = shown->key;
        picture.clean = shown->clean;
        if (auto const info = streams_.find(stream); info != streams_.end())
          picture.codec_string = info->second.codec_string;
        picture.data = std::move(shown->data);
        events_.emplace_back(std::move(picture));
      } else if (!dialer_.link()) {
        continue;  // nobody to ask
      } else if (auto const* wanted = std::get_if<media::Wanted>(&effect)) {
        dialer_.link()->post(wanted->message);
      } else if (auto const* lacking = std::get_if<media::Lacking>(&effect)) {
        dialer_.link()->post(lacking->message);
      }
    }
    pool_effects_.clear();
  }
}

PersonId Core::introduce(std::string name, Role role, Time now) {
  CY_CHECK(persons_.size() < 0xffff);
  while (next_person_ == 0 || persons_.contains(next_person_)) ++next_person_;
  PersonId const id{next_person_++};
  persons_[id.value] = {name, role};
  if (dialer_.link()) lane_.event({}, wire::body_of(Introduce{id, std::move(name), role}), own_deadline, now);
  return id;
}

void Core::rename(PersonId person, std::string name, Role role, Time now) {
  auto const known = persons_.find(person.value);
  if (known == persons_.end()) return;
  known->second = {name, role};
  if (dialer_.link())
    lane_.event({}, wire::body_of(Introduce{person, std::move(name), role}), own_deadline, now);
}

void Core::dismiss(PersonId person, Time now) {
  if (persons_.erase(person.value) > 0 && dialer_.link())
    lane_.event({}, wire::body_of(Dismiss{person}), own_deadline, now);
}

CommandId Core::event(Target target, wire::Body what, Duration deadline, Time now) {
  auto const urgency = what.type == Stop::head.type ? command::Urgency::urgent : command::Urgency::normal;
  return lane_.event(target, std::move(what), deadline, now, urgency);
}

CommandId Core::set_point(Target target, wire::Body what, Time input, std::uint32_t echo_us,
                          std::uint32_t picture, Time now) {
  if (echo_us == 0) echo_us = agent_stamp().value_or(0);
  return lane_.set_point(target, std::move(what), input + options_.set_point_lifetime, echo_us, picture, now);
}

void Core::hold(Target target, wire::Body what, Time until, Time now, std::optional<wire::Body> then) {
  release(target.resource);
  held_.push_back({target, std::move(what), until, now, std::move(then)});
}

void Core::release(Resource resource) {
  std::erase_if(held_, [&](Held const& held) { return held.target.resource == resource; });
}

void Core::subscribe(media::StreamId stream, bool on, Time now) {
  if (on == watched_.contains(stream.value)) return;
  if (on)
    watched_.emplace(stream.value, Watched{media::Pool(stream, options_.pool), now + options_.report_period});
  else
    watched_.erase(stream.value);
  if (dialer_.link()) lane_.event({}, wire::body_of(media::Subscribe{stream, on}), own_deadline, now);
}

void Core::want_keyframe(media::StreamId stream) {
  media::KeyframeWanted wanted;
  wanted.stream = stream;
  wanted.none = true;
  if (dialer_.link()) dialer_.link()->post(wanted);
}

void Core::post(wire::Raw message) {
  if (dialer_.link()) dialer_.link()->post(message);
}

session::LinkStatistics Core::statistics() const {
  return dialer_.link() ? dialer_.link()->statistics() : session::LinkStatistics{};
}

std::optional<std::uint32_t> Core::agent_stamp() const {
  return dialer_.link() ? dialer_.link()->peer_stamp() : std::nullopt;
}

std::optional<std::uint32_t> Core::agent_clock(Time now) const {
  auto const offset = statistics().clock_offset;
  if (!offset) return std::nullopt;
  return stamp_us(now + *offset);
}

}  // namespace cy::client
