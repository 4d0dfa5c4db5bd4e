#include <cy/seal/crc32c.hpp>
#include <cy/session/listener.hpp>

#include <algorithm>

namespace cy::session {

Listener::Listener(seal::KeyPair const& own, Identity identity, Trust trust, Entropy entropy,
                   ListenerOptions const& options, Random random)
    : own_(own),
      identity_(std::move(identity)),
      trust_(std::move(trust)),
      entropy_(std::move(entropy)),
      options_(options),
      random_(random),
      doorman_(options.doorman) {}

std::optional<Listener::Delivery> Listener::on_datagram(MutableBytes datagram, Endpoint from, Time now,
                                                        Outbox& out) {
  if (datagram.size() < head_size + seal::check_size) {
    drops_.count(Drop::too_short);
    return std::nullopt;
  }
  if (datagram[0] >> 4 != version) {
    drops_.count(Drop::other_version);
    return std::nullopt;
  }
  auto const kind = static_cast<Kind>(datagram[0] & 0x0f);
  switch (kind) {
    case Kind::data:
    case Kind::clear_data:
      break;
    case Kind::hello:
    case Kind::proven_hello:
      on_hello(datagram, from, now, out);
      return std::nullopt;
    case Kind::clear_hello:
      on_clear_hello(datagram, from, now, out);
      return std::nullopt;
    case Kind::welcome:
    case Kind::clear_welcome:
    case Kind::cookie:
      drops_.count(Drop::unexpected);
      return std::nullopt;
    default:
      drops_.count(Drop::unknown_kind);
      return std::nullopt;
  }

  auto const index = load_le<std::uint32_t>(datagram.data()) >> 8;
  auto const found = sessions_.find(index);
  if (found == sessions_.end() || found->second.link->sealed() != (kind == Kind::data)) {
    if (std::find(ended_.begin(), ended_.end(), index) == ended_.end()) drops_.count(Drop::unknown_session);
    return std::nullopt;
  }
  auto& session = found->second;
  if (!session.confirmed && now - session.born > options_.pending_time) {
    drops_.count(Drop::unknown_session);
    forget(found);
    return std::nullopt;
  }
  auto const messages = session.link->on_datagram(datagram, from, now);
  if (!session.confirmed && session.link->confirmed() && !confirm(found, now, out)) return std::nullopt;
  if (!messages || !session.confirmed) return std::nullopt;
  return Delivery{session.id, *messages};
}

bool Listener::confirm(Sessions::iterator at, Time now, Outbox& out) {
  auto& session = at->second;
  auto why = distrusted(session.opened);
  if (why) {
    drops_.count(Drop::untrusted);
  } else if (sessions() >= options_.max_sessions) {
    // Many may have been pending when there was still room for one.
    drops_.count(Drop::busy);
    why = "too many sessions are open";
  }
  if (why) {
    session.link->close(*why, now, out);
    forget(at);
    return false;
  }
  session.confirmed = true;
  next_review_ = std::max(next_review_, now);
  events_.push_back(session.opened);
  return true;
}

std::optional<std::string> Listener::distrusted(Opened const& opened) const {
  if (opened.key == seal::PublicKey{}) return std::nullopt;  // clear mode
  auto const trusted = trust_(opened.key);
  if (!trusted) return trusted.error();
  if (*trusted == opened.trusted) return std::nullopt;
  return "what this key is trusted with has changed";
}

void Listener::review_trust(Time now) {
  if (now < next_review_) return;
  next_review_ = now + options_.trust_period;
  for (auto& [index, session] : sessions_) {
    if (!session.confirmed || session.link->state() == LinkState::gone) continue;
    auto const why = distrusted(session.opened);
    if (!why) continue;
    drops_.count(Drop::untrusted);
    session.link->close(*why, now, farewells_);
  }
}

void Listener::forget(Sessions::iterator session) {
  drops_ += session->second.link->drops();
  sessions_.erase(session);
}

Welcome Listener::make_welcome() const {
  Welcome welcome;
  welcome.accepted = true;
  welcome.software = identity_.software;
  welcome.name = identity_.name;
  welcome.capabilities = identity_.capabilities;
  return welcome;
}

namespace {
std::optional<Hello> read_hello(Bytes payload) {
  wire::Walk walk(payload);
  auto const message = walk.next();
  return message ? wire::as<Hello>(*message) : std::nullopt;
}
}  // namespace

void Listener::on_hello(Bytes datagram, Endpoint from, Time now, Outbox& out) {
  auto const proven = static_cast<Kind>(datagram[0] & 0x0f) == Kind::proven_hello;
  auto const cookie_size = proven ? seal::cookie_size : 0;
  if (datagram.size() < head_size + cookie_size + seal::hello_overhead) {
    drops_.count(Drop::too_short);
    return;
  }
  auto const peer_index = load_le<std::uint32_t>(datagram.data()) >> 8;
  switch (doorman_.admit(from, datagram.subspan(head_size, cookie_size), now, entropy_)) {
    case Doorman::Answer::enter:
      greet(peer_index, datagram.subspan(head_size + cookie_size), from, now, out);
      return;
    case Doorman::Answer::prove: {
      // Shorter than any hello, so that nobody can turn it into a larger flood on somebody else.
      std::array<std::uint8_t, head_size + seal::cookie_size> answer;
      store_head(answer.data(), {Kind::cookie, peer_index, 0});
      auto const cookie = doorman_.cookie_for(from);
      std::copy(cookie.begin(), cookie.end(), answer.begin() + head_size);
      out.add(from, answer);
      break;
    }
    case Doorman::Answer::wait:
      break;
  }
  drops_.count(Drop::busy);
}

void Listener::greet(std::uint32_t peer_index, Bytes noise, Endpoint from, Time now, Outbox& out) {
  seal::Responder responder(own_, bytes_of(prologue));
  auto const greeting = responder.read_hello(noise);
  auto hello = greeting ? read_hello(greeting->payload) : std::nullopt;
  if (!hello) {
    drops_.count(Drop::bad_handshake);
    return;
  }
  // A stranger gets his answer sealed, so that only he learns that somebody is here.
  auto welcome = make_welcome();
  auto trusted = trust_(greeting->initiator);
  std::optional<std::uint32_t> index;
  if (!trusted) {
    drops_.count(Drop::untrusted);
    welcome.why = trusted.error();
  } else {
    index = make_room(now, welcome.why);
  }
  welcome.accepted = index.has_value();
  welcome.index = index.value_or(0);

  auto const reply = responder.write_reply(entropy_(), wire::encoded(welcome));
  Buffer answer(head_size);
  store_head(answer.data(), {Kind::welcome, peer_index, 0});
  answer.insert(answer.end(), reply.begin(), reply.end());
  out.add(from, answer);
  if (!index) return;
  auto keys = responder.split();
  add(SealedKeys{seal::Sealer(std::move(keys.send)), seal::Opener(std::move(keys.receive))}, *index,
      peer_index, from, now, {{}, greeting->initiator, std::move(*trusted), std::move(*hello)});
}

void Listener::on_clear_hello(Bytes datagram, Endpoint from, Time now, Outbox& out) {
  auto const body = datagram.first(datagram.size() - seal::check_size);
  auto hello = load_le<std::uint32_t>(datagram.data() + body.size()) == seal::crc32c(body)
                   ? read_hello(body.subspan(head_size))
                   : std::nullopt;
  if (!hello) {
    drops_.count(Drop::bad_handshake);
    return;
  }
  if (!options_.allow_clear || !(is_loopback(from) || options_.clear_from_anywhere)) {
    drops_.count(Drop::clear_refused);
    return;
  }
  auto const peer_index = load_le<std::uint32_t>(datagram.data()) >> 8;
  auto welcome = make_welcome();
  auto const index = make_room(now, welcome.why);
  welcome.accepted = index.has_value();
  welcome.index = index.value_or(0);
  if (index)
    add(ClearKeys{}, *index, peer_index, from, now, {{}, {}, options_.clear_trusted, std::move(*hello)});
  Buffer answer(head_size);
  store_head(answer.data(), {Kind::clear_welcome, peer_index, 0});
  auto const payload = wire::encoded(welcome);
  answer.insert(answer.end(), payload.begin(), payload.end());
  auto const check = seal::crc32c(answer);
  answer.resize(answer.size() + seal::check_size);
  store_le(answer.data() + answer.size() - seal::check_size, check);
  out.add(from, answer);
}

std::optional<std::uint32_t> Listener::make_room(Time now, std::string& why) {
  evict_pending(now);
  auto const confirmed = sessions();
  if (confirmed >= options_.max_sessions) {
    drops_.count(Drop::busy);
    why = fmt::format("{} sessions are open, which is the limit", confirmed);
    return std::nullopt;
  }
  for (;;) {
    auto const index = static_cast<std::uint32_t>(random_.next()) & index_mask;
    if (!sessions_.contains(index)) return index;
  }
}

void Listener::add(Keys keys, std::uint32_t index, std::uint32_t peer_index, Endpoint from, Time now,
                   Opened opened) {
  auto& session = sessions_[index];
  session.id = opened.session = SessionId{next_id_++};
  session.link = std::make_unique<Link>(std::move(keys), index, peer_index, from, options_.link, now);
  session.opened = std::move(opened);
  session.born = now;
}

void Listener::evict_pending(Time now) {
  std::erase_if(sessions_, [&](auto const& entry) {
    if (entry.second.confirmed || now - entry.second.born <= options_.pending_time) return false;
    drops_ += entry.second.link->drops();
    return true;
  });
  while (sessions_.size() - sessions() >= options_.max_pending) {
    auto oldest = sessions_.end();
    for (auto i = sessions_.begin(); i != sessions_.end(); ++i)
      if (!i->second.confirmed && (oldest == sessions_.end() || i->second.id < oldest->second.id)) oldest = i;
    forget(oldest);
  }
}

void Listener::on_time(Time now) {
  review_trust(now);
  for (auto& [index, session] : sessions_)
    if (session.confirmed) session.link->on_time(now);
}

std::vector<Listener::Event> Listener::take_events() {
  for (auto i = sessions_.begin(); i != sessions_.end();) {
    auto& session = i->second;
    auto over = false;
    if (session.confirmed) {
      for (auto& change : session.link->take_changes()) {
        over = over || change.state == LinkState::gone;
        events_.push_back(
            Changed{session.id, change.state, std::move(change.why), session.link->last_heard()});
      }
    }
    if (over) {
      drops_ += session.link->drops();
      ended_[next_ended_++ % ended_.size()] = i->first;
      i = sessions_.erase(i);
    } else {
      ++i;
    }
  }
  return std::exchange(events_, {});
}

std::optional<Time> Listener::deadline() const {
  std::optional<Time> first;
  for (auto const& [index, session] : sessions_) {
    if (!session.confirmed) continue;
    if (!first || next_review_ < *first) first = next_review_;
    auto const d =
        session.link->state() == LinkState::gone ? std::optional(Time{}) : session.link->deadline();
    if (d && (!first || *d < *first)) first = d;
  }
  return first;
}

void Listener::flush(Time now, Outbox& out) {
  for (std::size_t i = 0; i < farewells_.size(); ++i) out.add(farewells_.to(i), farewells_.bytes(i));
  farewells_.clear();
  for (auto& [index, session] : sessions_)
    if (session.confirmed && session.link->has_posted()) session.link->flush(now, out);
}

void Listener::close(std::string_view why, Time now, Outbox& out) {
  for (auto& [index, session] : sessions_)
    if (session.confirmed) session.link->close(why, now, out);
}

Link* Listener::find(SessionId id) {
  for (auto& [index, session] : sessions_)
    if (session.id == id && session.confirmed) return session.link.get();
  return nullptr;
}

std::size_t Listener::sessions() const {
  return static_cast<std::size_t>(std::count_if(sessions_.begin(), sessions_.end(),
                                                [](auto const& entry) { return entry.second.confirmed; }));
}

Drops Listener::drops() const {
  auto all = drops_;
  for (auto const& [index, session] : sessions_) all += session.link->drops();
  return all;
}

}  // namespace cy::session
