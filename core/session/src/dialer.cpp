#include <cy/seal/crc32c.hpp>
#include <cy/session/dialer.hpp>

namespace cy::session {

Dialer::Dialer(seal::KeyPair const& own, seal::PublicKey const& peer, Endpoint where, Identity identity,
               Entropy entropy, DialerOptions const& options, Random random)
    : own_(own),
      peer_(peer),
      where_(where),
      identity_(std::move(identity)),
      entropy_(std::move(entropy)),
      options_(options),
      random_(random),
      retry_(options.first_retry) {}

void Dialer::start(Time now, Outbox& out) {
  greet(now, out);
}

void Dialer::greet(Time now, Outbox& out) {
  ++attempts_;
  index_ = static_cast<std::uint32_t>(random_.next()) & index_mask;
  auto const hello = wire::encoded(Hello{identity_.software, identity_.name, identity_.capabilities});
  Buffer datagram(head_size);
  store_head(datagram.data(), {options_.clear ? Kind::clear_hello : Kind::hello, index_, attempts_});
  if (options_.clear) {
    datagram.insert(datagram.end(), hello.begin(), hello.end());
    auto const check = seal::crc32c(datagram);
    datagram.resize(datagram.size() + seal::check_size);
    store_le(datagram.data() + datagram.size() - seal::check_size, check);
  } else {
    seal::Initiator noise(own_, peer_, bytes_of(prologue));
    auto sealed = noise.write_hello(entropy_(), hello);
    if (!sealed) {
      trouble("the listener's key is not a valid one");
      next_greeting_.reset();
      return;
    }
    datagram.insert(datagram.end(), sealed->begin(), sealed->end());
    greeting_ = Greeting{std::move(noise), std::move(*sealed)};
  }
  out.add(where_, datagram);
  next_greeting_ = now + retry_;
  retry_ = std::min(retry_ * 2, options_.last_retry);
}

std::optional<Bytes> Dialer::on_datagram(MutableBytes datagram, Endpoint from, Time now, Outbox& out) {
  if (datagram.size() < head_size + seal::check_size) {
    drops_.count(Drop::too_short);
    return std::nullopt;
  }
  if (datagram[0] >> 4 != version) {
    drops_.count(Drop::other_version);
    return std::nullopt;
  }
  auto const kind = static_cast<Kind>(datagram[0] & 0x0f);
  auto const index = load_le<std::uint32_t>(datagram.data()) >> 8;
  if (index != index_) {
    drops_.count(Drop::unknown_session);
    return std::nullopt;
  }
  switch (kind) {
    case Kind::data:
    case Kind::clear_data:
      if (!link_ || link_->sealed() != (kind == Kind::data)) {
        drops_.count(Drop::unknown_session);
        return std::nullopt;
      }
      return link_->on_datagram(datagram, from, now);
    case Kind::welcome:
      on_welcome(datagram, from, now);
      return std::nullopt;
    case Kind::clear_welcome:
      on_clear_welcome(datagram, from, now);
      return std::nullopt;
    case Kind::cookie:
      on_cookie(datagram, out);
      return std::nullopt;
    case Kind::hello:
    case Kind::proven_hello:
    case Kind::clear_hello:
      drops_.count(Drop::unexpected);
      return std::nullopt;
  }
  drops_.count(Drop::unknown_kind);
  return std::nullopt;
}

// Nobody has signed it: whoever guesses our index makes us say one hello more, and no second one.
void Dialer::on_cookie(Bytes datagram, Outbox& out) {
  if (!greeting_ || greeting_->hello.empty() || datagram.size() != head_size + seal::cookie_size) {
    drops_.count(Drop::unexpected);
    return;
  }
  Buffer proven(head_size);
  store_head(proven.data(), {Kind::proven_hello, index_, attempts_});
  auto const cookie = datagram.subspan(head_size);
  proven.insert(proven.end(), cookie.begin(), cookie.end());
  auto const hello = std::exchange(greeting_->hello, {});
  proven.insert(proven.end(), hello.begin(), hello.end());
  out.add(where_, proven);
}

void Dialer::on_welcome(Bytes datagram, Endpoint from, Time now) {
  if (options_.clear || !greeting_ || link_) {
    drops_.count(Drop::unexpected);
    return;
  }
  auto const payload = greeting_->noise.read_reply(datagram.subspan(head_size));
  if (!payload) {
    drops_.count(Drop::bad_handshake);
    return;
  }
  // The handshake is over, whatever the welcome says; a second copy of it is not expected.
  auto keys = greeting_->noise.split();
  greeting_.reset();
  wire::Walk walk(*payload);
  auto const message = walk.next();
  auto welcome = message ? wire::as<Welcome>(*message) : std::nullopt;
  if (!welcome) {
    drops_.count(Drop::malformed);
    return;
  }
  accept(std::move(*welcome),
         SealedKeys{seal::Sealer(std::move(keys.send)), seal::Opener(std::move(keys.receive))}, from, now);
}

void Dialer::on_clear_welcome(Bytes datagram, Endpoint from, Time now) {
  if (!options_.clear || link_) {
    drops_.count(Drop::unexpected);
    return;
  }
  auto const body = datagram.first(datagram.size() - seal::check_size);
  wire::Walk walk(body.subspan(head_size));
  auto const message = walk.next();
  auto welcome = message ? wire::as<Welcome>(*message) : std::nullopt;
  if (!welcome || load_le<std::uint32_t>(datagram.data() + body.size()) != seal::crc32c(body)) {
    drops_.count(Drop::bad_handshake);
    return;
  }
  accept(std::move(*welcome), ClearKeys{}, from, now);
}

void Dialer::accept(Welcome welcome, Keys keys, Endpoint from, Time now) {
  welcome_ = std::move(welcome);
  if (!welcome_.accepted) {
    trouble("refused by " + (welcome_.name.empty() ? to_string(from) : welcome_.name) + ": " + welcome_.why);
    next_greeting_ = now + options_.refused_retry;
    return;
  }
  link_ =
      std::make_unique<Link>(std::move(keys), index_, welcome_.index & index_mask, from, options_.link, now);
  ++session_;
  attempts_ = 0;
  retry_ = options_.first_retry;
  next_greeting_.reset();
  changes_.push_back({LinkState::up, "welcomed by " + welcome_.name});
}

void Dialer::trouble(std::string why, LinkState state) {
  changes_.push_back({state, std::move(why)});
}

void Dialer::on_time(Time now, Outbox& out) {
  if (link_) {
    link_->on_time(now);
    if (link_->state() == LinkState::gone) {
      for (auto& change : link_->take_changes()) changes_.push_back(std::move(change));
      drops_ += link_->drops();
      link_.reset();
      greet(now, out);
    }
  } else if (next_greeting_ && now >= *next_greeting_) {
    if (attempts_ == 4)
      trouble(fmt::format(
          "no answer from {}; does an agent run there, and is its key the one given? still trying",
          to_string(where_)));
    greet(now, out);
  }
}

std::optional<Time> Dialer::deadline() const {
  if (!link_) return next_greeting_;
  // A link that ended between two calls is noticed at once.
  return link_->state() == LinkState::gone ? std::optional(Time{}) : link_->deadline();
}

void Dialer::close(std::string_view why, Time now, Outbox& out) {
  greeting_.reset();
  next_greeting_.reset();
  if (!link_) return;
  // Its last words are kept: the owner must hear that the session is over.
  link_->close(why, now, out);
  for (auto& change : link_->take_changes()) changes_.push_back(std::move(change));
  drops_ += link_->drops();
  link_.reset();
}

std::vector<Link::Became> Dialer::take_changes() {
  auto changes = std::exchange(changes_, {});
  if (link_)
    for (auto& change : link_->take_changes()) changes.push_back(std::move(change));
  return changes;
}

Drops Dialer::drops() const {
  auto all = drops_;
  if (link_) all += link_->drops();
  return all;
}

}  // namespace cy::session
