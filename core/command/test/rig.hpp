// A lane at the station, a desk for each session at the agent, and an agent that carries out.
#pragma once

#include <cy/command/desk.hpp>
#include <cy/command/lane.hpp>

#include "../../session/test/world.hpp"

namespace cy::command {

inline emulate::Path path(Duration delay, double loss = 0) {
  emulate::Path p;
  p.delay = delay;
  p.loss = loss;
  return p;
}

struct Rig {
  explicit Rig(emulate::Schedule const& there, emulate::Schedule const& back, Seed seed = Seed{1},
               session::LinkOptions const& link = {}, LaneOptions const& lane_options = {})
      : w(seed, listener_options(link)), lane(lane_options) {
    session::DialerOptions dialer;
    dialer.link = link;
    w.on_agent_message = [this](session::SessionId id, wire::Raw m) { at_agent(id, m); };
    w.on_turn = [this] { turn(); };
    w.also_due = [this] { return due(); };
    station = &w.join_as(w.station_key, w.agent_key.public_key, {there, back}, dialer);
    station->on_message = [this](wire::Raw m) { lane.on_message(m, w.now); };
  }

  bool up() { return w.both_up(*station); }
  Time now() const { return w.now; }
  CommandId event(Duration deadline = 2s) {
    auto const id = lane.event({Resource{1}, {}, {}}, {0xc001, Buffer{1}}, deadline, w.now);
    issued[id.value] = w.now;
    return id;
  }
  CommandId set_point(Duration lifetime = 300ms, std::uint16_t resource = 1) {
    auto const id =
        lane.set_point({Resource{resource}, {}, {}}, {0xc002, Buffer{1}}, w.now + lifetime, 0, 0, w.now);
    issued[id.value] = w.now;
    return id;
  }
  // Lets what was issued out now.
  void go() {
    turn();
    w.flush();
  }
  Ended const* ending(CommandId id) const {
    auto const found = endings.find(id.value);
    return found == endings.end() ? nullptr : &found->second.front();
  }

  // What the agent does with an event: how it ends, and how much later. Default: applied at once.
  std::function<std::pair<Refusal, Duration>(Event const&)> judge = [](auto const&) {
    return std::pair{Refusal::none, Duration{}};
  };
  std::function<Refusal(SetPoint const&)> steer = [](auto const&) { return Refusal::none; };

  session::World w;
  Lane lane;
  session::Station* station = nullptr;
  std::map<session::SessionId, Desk> desks;
  std::map<std::uint64_t, Time> issued;
  std::map<std::uint64_t, std::vector<Ended>> endings;
  std::map<std::uint64_t, Time> ended_at;
  std::map<std::uint64_t, unsigned> executed;
  std::vector<std::pair<std::uint16_t, std::uint64_t>> steered;  // resource, id

 private:
  struct Later {
    session::SessionId session;
    CommandId id;
    Refusal why;
  };
  static session::ListenerOptions listener_options(session::LinkOptions const& link) {
    session::ListenerOptions options;
    options.link = link;
    return options;
  }

  void at_agent(session::SessionId session, wire::Raw message) {
    auto& desk = desks[session];
    auto got = desk.on_message(message, w.now);
    if (got.set_point) {
      auto const why = steer(*got.set_point);
      steered.emplace_back(got.set_point->resource.value, got.set_point->id.value);
      desk.saw(got.set_point->resource, got.set_point->id, why, 40ms, w.now);
    }
    if (!got.event) return;
    auto const [why, after] = judge(*got.event);
    if (why == Refusal::none) ++executed[got.event->id.value];
    later.emplace(w.now + after, Later{session, got.event->id, why});
    end_due();
  }
  void end_due() {
    while (!later.empty() && later.begin()->first <= w.now) {
      auto const l = later.begin()->second;
      later.erase(later.begin());
      if (auto const desk = desks.find(l.session); desk != desks.end())
        desk->second.end(l.id, l.why == Refusal::none ? Ending::applied : Ending::refused, l.why, {}, w.now);
    }
  }
  void turn() {
    for (; seen_changes < station->changes.size(); ++seen_changes)
      if (station->changes[seen_changes].second.state == session::LinkState::gone) lane.on_gone();
    std::erase_if(desks, [&](auto const& entry) { return !w.listener->find(entry.first); });
    end_due();
    lane.on_time(w.now);
    if (auto* link = station->dialer.link()) lane.fill(*link, w.now);
    for (auto& [id, desk] : desks)
      if (auto* link = w.listener->find(id)) desk.fill(*link, w.now);
    taken.clear();
    lane.take_endings(taken);
    for (auto& e : taken) {
      ended_at[e.id.value] = w.now;
      endings[e.id.value].push_back(std::move(e));
    }
  }
  std::optional<Time> due() {
    std::optional<Time> first = station->dialer.link() ? lane.deadline() : std::nullopt;
    if (!later.empty() && (!first || later.begin()->first < *first)) first = later.begin()->first;
    for (auto const& [id, desk] : desks)
      if (auto const d = desk.deadline(); d && (!first || *d < *first)) first = d;
    return first;
  }

  std::multimap<Time, Later> later;
  std::vector<Ended> taken;
  std::size_t seen_changes = 0;
};

}  // namespace cy::command
