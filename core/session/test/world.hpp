// A listener and any number of dialers, each behind two emulated paths, in virtual time.
//
//   World w{Seed{7}};
//   auto& station = w.join({.delay = 40ms, .loss = 0.3});
//   EXPECT_TRUE(w.run_until([&] { return w.both_up(station); }, 10s));
#pragma once

#include <cy/base/check.hpp>
#include <cy/emulate/pipe.hpp>
#include <cy/session/listener.hpp>

#include <algorithm>
#include <map>

namespace cy::session {

inline seal::KeyPair key_pair(std::uint8_t fill) {
  std::array<std::uint8_t, 32> bytes;
  bytes.fill(fill);
  return seal::make_key_pair(seal::SecretKey(bytes));
}

inline Entropy seeded_entropy(Seed seed) {
  return [random = Random{seed}]() mutable {
    std::array<std::uint8_t, 32> bytes;
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random.next());
    return seal::SecretKey(bytes);
  };
}

struct Paths {
  emulate::Schedule there, back;
};

struct Station {
  Station(seal::KeyPair const& own, seal::PublicKey const& peer, Endpoint agent, Endpoint self,
          Paths const& paths, DialerOptions const& options, Seed seed)
      : where(self),
        dialer(own, peer, agent, {"cylib test", "station", {"a"}}, seeded_entropy(seed), options,
               Random{Seed{seed.value + 1}}),
        there(paths.there, Seed{seed.value + 2}),
        back(paths.back, Seed{seed.value + 3}) {}

  bool up() const { return dialer.state() == LinkState::up; }
  // The words that came with the newest change to this state.
  std::string why(LinkState state) const {
    for (auto i = changes.rbegin(); i != changes.rend(); ++i)
      if (i->second.state == state) return i->second.why;
    return "never";
  }
  std::optional<Time> when(LinkState state) const {
    for (auto i = changes.rbegin(); i != changes.rend(); ++i)
      if (i->second.state == state) return i->first;
    return std::nullopt;
  }

  Endpoint where;
  Dialer dialer;
  emulate::Pipe there, back;
  bool stopped = false;  // its process hangs: nothing is sent, received or noticed
  std::vector<std::pair<Time, Link::Became>> changes;
  std::vector<Buffer> sent;  // kept when `keep`
  bool keep = false;
  std::function<void(wire::Raw)> on_message = [](auto) {};
};

class World {
 public:
  explicit World(Seed seed = Seed{1}, ListenerOptions listener_options = {})
      : seed_(seed), options_(std::move(listener_options)) {
    restart_agent();
  }

  // A new agent process behind the same address, with the same key.
  void restart_agent() {
    if (listener) earlier_drops += listener->drops();
    listener = std::make_unique<Listener>(
        agent_key, Identity{"cylib test", "agent", {"b"}},
        [this](seal::PublicKey const& key) -> tl::expected<Trusted, std::string> {
          for (auto const& [key_of_one, trusted] : trust)
            if (key_of_one == key) return trusted;
          return tl::unexpected(std::string("this key is not trusted here"));
        },
        seeded_entropy(Seed{next_seed()}), options_, Random{Seed{next_seed()}});
  }

  Station& join(emulate::Schedule const& both = {}, DialerOptions const& options = {}) {
    return join_as(station_key, agent_key.public_key, {both, both}, options);
  }
  Station& join_as(seal::KeyPair const& own, seal::PublicKey const& peer, Paths const& paths,
                   DialerOptions const& options) {
    auto const port = static_cast<std::uint16_t>(5000 + stations.size());
    stations.push_back(std::make_unique<Station>(own, peer, agent, ipv4(10, 0, 0, 2, port), paths, options,
                                                 Seed{next_seed()}));
    auto& station = *stations.back();
    station.dialer.start(now, station_out_);
    post_station(station);
    return station;
  }

  // What anybody may do: put a datagram at the agent's door.
  void at_agent(Bytes datagram, Endpoint from) {
    auto copy = copy_of(datagram);
    deliver_to_agent(copy, from);
    post_agent();
  }
  void at_station(Station& station, Bytes datagram) {
    auto copy = copy_of(datagram);
    if (auto const messages = station.dialer.on_datagram(copy, agent, now, station_out_)) {
      wire::Walk walk(*messages);
      while (auto const m = walk.next()) station.on_message(*m);
    }
    note_changes(station);
    post_station(station);
  }

  bool both_up(Station const& station) const {
    return station.up() && std::any_of(open.begin(), open.end(),
                                       [](auto const& entry) { return entry.second == LinkState::up; });
  }
  std::optional<SessionId> newest_session() const {
    if (opened.empty()) return std::nullopt;
    return opened.back().session;
  }
  Link* agent_link() { return newest_session() ? listener->find(*newest_session()) : nullptr; }
  // The agent's clock; it is `skew` ahead of the stations'.
  Time agent_now() const { return now + skew; }

  // Sends what was posted into the links by hand.
  void flush() {
    for (auto& station : stations) post_station(*station);
    post_agent();
  }

  void run(Duration how_long) {
    run_until([] { return false; }, how_long);
  }
  template <class Predicate>
  bool run_until(Predicate&& done, Duration limit) {
    auto const end = now + limit;
    auto standing = 0;
    while (!done()) {
      auto const next = std::min(std::max(due().value_or(end), now), end);
      standing = next == now ? standing + 1 : 0;
      CY_CHECK(standing < 10'000);  // a machine that is due for ever and does nothing about it
      if (now == end && standing > 100) return done();
      now = next;
      step();
      if (now == end && (!due() || *due() > now)) return done();
    }
    return true;
  }

  Time now = Time{} + 1000s;
  Duration skew{};
  seal::KeyPair station_key = key_pair(1), agent_key = key_pair(2);
  Endpoint agent = ipv4(10, 0, 0, 1, 4747);
  std::vector<std::pair<seal::PublicKey, Trusted>> trust{{key_pair(1).public_key, {"lab", 1}}};
  std::unique_ptr<Listener> listener;
  std::vector<std::unique_ptr<Station>> stations;
  std::vector<Listener::Opened> opened;
  std::map<SessionId, LinkState> open;
  std::vector<std::pair<Time, Listener::Changed>> agent_changes;
  std::vector<Buffer> agent_sent;  // kept when `keep`
  bool keep = false;
  Drops earlier_drops;
  std::function<void(SessionId, wire::Raw)> on_agent_message = [](auto, auto) {};
  // Owners above the links: lanes, desks.
  std::function<void()> on_turn = [] {};
  std::function<std::optional<Time>()> also_due = [] { return std::optional<Time>(); };

 private:
  std::uint64_t next_seed() { return seed_.value * 1'000'003 + 10 * ++seeds_; }

  std::optional<Time> due() const {
    std::optional<Time> first = also_due();
    auto const consider = [&](std::optional<Time> t, Duration ahead = {}) {
      if (!t) return;
      auto const at = *t == Time{} ? now : *t - ahead;
      if (!first || at < *first) first = at;
    };
    for (auto const& s : stations) {
      consider(s->there.deadline());
      if (s->stopped) continue;
      consider(s->back.deadline());
      consider(s->dialer.deadline());
    }
    consider(listener->deadline(), skew);
    return first;
  }

  void step() {
    for (auto& s : stations) {
      for (auto& delivery : s->there.drain(now)) deliver_to_agent(delivery.bytes, s->where);
      if (s->stopped) {
        s->back.drain(now);
        continue;
      }
      for (auto& delivery : s->back.drain(now)) at_station(*s, delivery.bytes);
      s->dialer.on_time(now, station_out_);
      note_changes(*s);
      post_station(*s);
    }
    listener->on_time(agent_now());
    on_turn();
    flush();
  }

  void deliver_to_agent(MutableBytes datagram, Endpoint from) {
    auto const delivery = listener->on_datagram(datagram, from, agent_now(), agent_out_);
    note_events();
    if (delivery) {
      wire::Walk walk(delivery->messages);
      while (auto const m = walk.next()) on_agent_message(delivery->session, *m);
    }
  }

  void note_events() {
    for (auto& event : listener->take_events()) {
      if (auto* o = std::get_if<Listener::Opened>(&event)) {
        open[o->session] = LinkState::up;
        opened.push_back(std::move(*o));
      } else {
        auto& changed = std::get<Listener::Changed>(event);
        if (changed.state == LinkState::gone)
          open.erase(changed.session);
        else
          open[changed.session] = changed.state;
        agent_changes.emplace_back(now, std::move(changed));
      }
    }
  }
  void note_changes(Station& s) {
    for (auto& change : s.dialer.take_changes()) s.changes.emplace_back(now, std::move(change));
  }

  void post_station(Station& s) {
    if (auto* link = s.dialer.link()) link->flush(now, station_out_);
    for (std::size_t i = 0; i < station_out_.size(); ++i) {
      if (s.keep) s.sent.push_back(copy_of(std::as_const(station_out_).bytes(i)));
      s.there.on_datagram(std::as_const(station_out_).bytes(i), now);
    }
    station_out_.clear();
  }
  void post_agent() {
    listener->flush(agent_now(), agent_out_);
    note_events();
    for (std::size_t i = 0; i < agent_out_.size(); ++i) {
      auto const bytes = std::as_const(agent_out_).bytes(i);
      if (keep) agent_sent.push_back(copy_of(bytes));
      for (auto& s : stations)
        if (s->where == agent_out_.to(i)) s->back.on_datagram(bytes, now);
    }
    agent_out_.clear();
  }

  Seed seed_;
  std::uint64_t seeds_ = 0;
  ListenerOptions options_;
  Outbox station_out_, agent_out_;
};

}  // namespace cy::session
