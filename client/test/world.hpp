// The client's machine against a listener and a desk, in virtual time.
#pragma once

#include <cy/client/core.hpp>
#include <cy/command/desk.hpp>
#include <cy/media/blocks.hpp>

#include <gtest/gtest.h>

#include "../../core/session/test/world.hpp"

namespace cy::client {

// An agent that answers every event at once and says what it is told to.
struct World {
  explicit World(emulate::Path const& path = delayed(20ms, 0.0)) : there(path, Seed{1}), back(path, Seed{2}) {
    restart_agent();
    CoreOptions options;
    options.agent = agent;
    core = std::make_unique<Core>(station_key, agent_key.public_key, session::Identity{"test", "station", {}},
                                  options, session::seeded_entropy(Seed{3}), Random{Seed{4}});
    core->start(now, core_out);
    post();
  }
  static emulate::Path delayed(Duration delay, double loss) {
    emulate::Path p;
    p.delay = delay;
    p.loss = loss;
    return p;
  }

  void restart_agent() {
    ++runs;
    listener = std::make_unique<session::Listener>(
        agent_key, session::Identity{"test", "agent", {}},
        [this](auto const&) -> tl::expected<session::Trusted, std::string> {
          if (trusted) return session::Trusted{"lab", 1};
          return tl::unexpected(std::string("not trusted"));
        },
        session::seeded_entropy(Seed{10 + runs}), session::ListenerOptions{}, Random{Seed{20 + runs}});
    session.reset();
  }

  session::Link* link() { return session ? listener->find(*session) : nullptr; }
  bool up() { return core->state() == session::LinkState::up && link(); }

  void run(Duration how_long) {
    run_until([] { return false; }, how_long);
  }
  template <class Predicate>
  bool run_until(Predicate&& done, Duration limit) {
    auto const end = now + limit;
    auto standing = 0;
    while (!done()) {
      auto next = end;
      for (auto const d : {there.deadline(), back.deadline(), core->deadline(), listener->deadline(),
                           link() ? desk.deadline() : std::nullopt})
        if (d) next = std::min(next, std::max(*d, now));
      standing = next == now ? standing + 1 : 0;
      CY_CHECK(standing < 10'000);
      now = next;
      turn();
      if (now == end) return done();
    }
    return true;
  }
  void turn() {
    for (auto& d : there.drain(now)) {
      auto const delivery = listener->on_datagram(d.bytes, home, now, agent_out);
      for (auto& event : listener->take_events()) {
        if (auto const* opened = std::get_if<session::Listener::Opened>(&event)) {
          session = opened->session;
          desk = command::Desk{};
        }
      }
      if (!delivery) continue;
      wire::Walk walk(delivery->messages);
      while (auto const m = walk.next()) at_agent(*m);
    }
    for (auto& d : back.drain(now)) core->on_datagram(d.bytes, agent, now, core_out);
    core->on_time(now, core_out);
    listener->on_time(now);
    if (auto* l = link()) desk.fill(*l, now);
    post();
  }
  void post() {
    core->flush(now, core_out);
    for (std::size_t i = 0; i < core_out.size(); ++i)
      there.on_datagram(std::as_const(core_out).bytes(i), now);
    core_out.clear();
    listener->flush(now, agent_out);
    for (std::size_t i = 0; i < agent_out.size(); ++i)
      back.on_datagram(std::as_const(agent_out).bytes(i), now);
    agent_out.clear();
    core->drain(events);
  }
  void at_agent(wire::Raw m) {
    auto const taken = desk.on_message(m, now);
    if (taken.set_point) set_points.emplace_back(now, *taken.set_point);
    if (taken.event) {
      std::optional<wire::Body> reply;
      auto const what = wire::view(taken.event->what);
      if (what.type == Describe::head.type) {
        ++described;
        Inventory inventory;
        inventory.revision = revision;
        reply = wire::body_of(inventory);
      }
      agent_events.push_back(taken.event->what);
      desk.end(taken.event->id, Ending::applied, Refusal::none, std::move(reply), now);
    }
    if (!taken.ours) others.push_back({m.type, copy_of(m.payload)});
  }
  template <wire::Message M>
  std::vector<M> said() const {
    std::vector<M> found;
    for (auto const& body : agent_events)
      if (auto m = wire::as<M>(wire::view(body))) found.push_back(std::move(*m));
    return found;
  }
  template <wire::Message M>
  std::vector<M> told() const {
    std::vector<M> found;
    for (auto const& body : others)
      if (auto m = wire::as<M>(wire::view(body))) found.push_back(std::move(*m));
    return found;
  }
  template <class E>
  std::vector<E> got() const {
    std::vector<E> found;
    for (auto const& e : events)
      if (auto const* x = std::get_if<E>(&e)) found.push_back(*x);
    return found;
  }

  Time now = Time{} + 1000s;
  seal::KeyPair station_key = session::key_pair(1), agent_key = session::key_pair(2);
  Endpoint agent = ipv4(10, 0, 0, 1, 4747), home = ipv4(10, 0, 0, 2, 5000);
  emulate::Pipe there, back;
  std::uint64_t runs = 0;
  bool trusted = true;
  std::unique_ptr<session::Listener> listener;
  std::optional<session::SessionId> session;
  command::Desk desk;
  std::unique_ptr<Core> core;
  session::Outbox core_out, agent_out;
  std::vector<Event> events;
  std::vector<wire::Body> agent_events, others;
  std::vector<std::pair<Time, SetPoint>> set_points;
  unsigned described = 0;
  std::uint32_t revision = 1;
};

}  // namespace cy::client
