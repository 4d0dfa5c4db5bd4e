// A desk with pages that are only numbers, in virtual time.
#pragma once

#include <cy/station/viewer_desk.hpp>

#include <gtest/gtest.h>

namespace cy::station {

struct Rig {
  explicit Rig(DeskOptions options = {}) : desk(std::move(options), Random(Seed{1})) {}

  template <wire::Message M>
  void say(ConnectionId id, M const& message) {
    desk.on_data(id, wire::encoded(message), now);
    carry();
  }
  template <wire::Message M>
  void command(ConnectionId id, std::uint32_t token, M const& what, std::uint16_t robot = 1) {
    PageCommand c;
    c.token = token;
    c.robot = RobotId{robot};
    c.what = wire::body_of(what);
    say(id, c);
  }

  // A page that has said hello and is known to the agent.
  ConnectionId page(std::string name, std::string resume = {}) {
    ConnectionId const id{++next_page};
    desk.on_opened(id, now);
    PageHello hello;
    hello.person = std::move(name);
    hello.resume = std::move(resume);
    say(id, hello);
    return id;
  }
  void up() {
    Inventory inventory;
    inventory.revision = 1;
    inventory.robots.emplace_back().id = RobotId{1};
    media::StreamInfo stream;
    stream.stream = media::StreamId{1};
    on([&] {
      desk.on_link(session::LinkState::up, "welcomed by agent", now);
      desk.on_inventory(inventory);
      desk.on_stream(stream, now);
    });
  }
  template <class F>
  void on(F work) {
    work();
    carry();
  }
  void pass(Duration span) {
    auto const end = now + span;
    while (desk.deadline() && *desk.deadline() <= end) {
      now = std::max(now, *desk.deadline());
      on([&] { desk.on_time(now); });
    }
    now = end;
    on([&] { desk.on_time(now); });
  }

  // What the shell does, at once: persons are introduced, pages take what is written.
  void carry() {
    for (auto effects = desk.drain(); !effects.empty(); effects = desk.drain())
      for (auto& effect : effects) {
        if (auto* e = std::get_if<desk::Introduce>(&effect)) {
          introduced.push_back(*e);
          desk.on_introduced(e->viewer, PersonId{static_cast<std::uint16_t>(introduced.size())}, now);
        } else if (auto* w = std::get_if<desk::Write>(&effect)) {
          if (slow.contains(w->viewer.value)) continue;
          for (auto const& piece : desk.take(w->viewer, now)) append(w->viewer, *piece);
          desk.on_written(w->viewer, now);
        } else if (auto* m = std::get_if<desk::Measure>(&effect)) {
          desk.on_measured(*m, link, {}, now);
        } else if (auto* c = std::get_if<desk::Close>(&effect)) {
          closed[c->viewer.value] = c->why;
          desk.on_closed(c->viewer, c->why, now);
        } else {
          done.push_back(std::move(effect));
        }
      }
  }
  void append(ConnectionId id, Buffer const& bytes) {
    auto& all = heard[id.value];
    all.insert(all.end(), bytes.begin(), bytes.end());
  }

  // All messages of a type that a page was told; `heard` is kept.
  template <wire::Message M>
  std::vector<M> told(ConnectionId id) {
    std::vector<M> all;
    wire::Walk walk(heard[id.value]);
    while (auto const raw = walk.next())
      if (auto m = wire::as<M>(*raw)) all.push_back(std::move(*m));
    EXPECT_FALSE(walk.fault());
    return all;
  }
  // Effects of a type since the last call, taken.
  template <class E>
  std::vector<E> effects() {
    std::vector<E> all;
    for (auto& one : done)
      if (auto* e = std::get_if<E>(&one)) all.push_back(*e);
    std::erase_if(done, [](auto const& one) { return std::holds_alternative<E>(one); });
    return all;
  }
  // Ends the only event that is under way.
  void end(Ending ending, Refusal why = Refusal::none, std::optional<wire::Body> reply = {}) {
    auto const events = effects<desk::SendEvent>();
    ASSERT_EQ(events.size(), 1U);
    on([&] { desk.on_ended(events[0].ticket, {{}, ending, why, reply}, now); });
  }
  ControlState control(std::uint32_t revision, LeaseId lease = {}, PersonId person = {},
                       std::string name = {}, StationId station = StationId{9}) const {
    ControlState state;
    state.resource = Resource{1};
    state.revision = revision;
    state.lease = lease;
    if (lease) {
      state.holder_person = person;
      state.holder_name = std::move(name);
      state.holder_station = station;
    }
    return state;
  }
  void control_is(ControlState const& state) {
    on([&] { desk.on_control(state, now); });
  }
  // The page asks for control and gets it.
  void take_control(ConnectionId id, LeaseId lease) {
    command(id, 1, RequestLease{});
    end(Ending::applied, Refusal::none, wire::body_of(LeaseGranted{lease, {}}));
  }
  void drive(ConnectionId id, std::uint32_t number, double linear = 0.2, float age_ms = 10.0F) {
    PageDrive d;
    d.robot = RobotId{1};
    d.twist.linear = linear;
    d.age_ms = age_ms;
    d.echo_us = 77;
    d.number = number;
    say(id, d);
  }
  media::Picture picture(std::uint32_t number, bool key) const {
    media::Picture p;
    p.stream = media::StreamId{1};
    p.number = number;
    p.key = key;
    p.age_us = 5'000;
    p.data = Buffer(300, static_cast<std::uint8_t>(number));
    return p;
  }
  void view(ConnectionId id, bool hidden = false, std::vector<std::uint16_t> keyframes = {}) {
    say(id, PageView{{1}, hidden, std::move(keyframes)});
  }

  ViewerDesk desk;
  Time now{100s};
  std::uint32_t next_page = 0;
  LinkView link;
  std::vector<desk::Introduce> introduced;
  std::vector<desk::Effect> done;
  std::map<std::uint32_t, Buffer> heard;
  std::map<std::uint32_t, std::string> closed;
  std::set<std::uint32_t> slow;  // take nothing
};

}  // namespace cy::station
