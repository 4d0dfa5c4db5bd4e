// The link's side of the host: sessions, desks, persons, and what goes to everybody.
#include <cy/host/host.hpp>
#include <cy/wire/print.hpp>

#include <algorithm>

namespace cy::host {

namespace {
// The listener carries the role from the hello on, as a rank.
session::Listener::Trust ranked(Trust trust) {
  return [trust = std::move(trust)](seal::PublicKey const& key) {
    return trust(key).map([](Trusted const& trusted) {
      return session::Trusted{trusted.name, static_cast<std::uint8_t>(trusted.role)};
    });
  };
}
// Clear mode has no keys; who may use it is the listener's own, explicit choice.
session::ListenerOptions with_clear_role(session::ListenerOptions options) {
  options.clear_trusted = {"clear", static_cast<std::uint8_t>(Role::manager)};
  return options;
}
}  // namespace

Host::Host(seal::KeyPair const& own, Trust trust, HostOptions options, session::Entropy entropy, Seed seed,
           Time now)
    : options_(std::move(options)),
      listener_(own, {options_.software, options_.name, {}}, ranked(std::move(trust)), std::move(entropy),
                with_clear_role(options_.listener), Random{seed}),
      started_(now),
      next_pulse_(now) {}

Result<std::unique_ptr<Host>> Host::make(seal::KeyPair const& own, Trust trust, HostOptions options,
                                         session::Entropy entropy, Seed seed, Time now) {
  Random seeds{seed};
  std::unique_ptr<Host> host(
      new Host(own, std::move(trust), std::move(options), std::move(entropy), Seed{seeds.next()}, now));
  std::uint16_t number = 0;
  for (auto const& robot : host->options_.robots) {
    ++number;
    for (auto const& other : host->robots_)
      if (other.options.name == robot.name) return fault("two robots are called '{}'", robot.name);
    auto driver = make_driver(robot.driver, {DeviceId{number}, RobotId{number}, robot.name, robot.address,
                                             robot.baud, robot.settings});
    if (!driver) return fault("robot '{}': {}", robot.name, driver.error().what);
    auto& entry = host->robots_.emplace_back();
    entry.options = robot;
    entry.device = DeviceId{number};
    entry.id = RobotId{number};
    entry.driver = std::move(*driver);
    entry.control = std::make_unique<ControlDesk>(Resource{number}, robot.control, Seed{seeds.next()}, now);
    entry.device_state.device = entry.device;
    entry.next_refresh = now;
    entry.task_state.resource = Resource{number};
    entry.task_state.available = task_names();
  }
  return host;
}

void Host::start(Time now) {
  for (auto& robot : robots_) robot.driver->start(now);
  settle(now);
}

void Host::on_datagram(MutableBytes datagram, Endpoint from, Time now, session::Outbox& out) {
  if (closed()) return;  // goodbye was said: whoever calls again finds the next agent
  catch_up(now);
  auto const delivery = listener_.on_datagram(datagram, from, now, out);
  on_session_events(now);
  if (delivery) {
    wire::Walk walk(delivery->messages);
    while (auto const message = walk.next()) on_message(delivery->session, *message, now);
  }
  settle(now);
}

void Host::on_session_events(Time now) {
  for (auto& event : listener_.take_events()) {
    if (auto* opened = std::get_if<session::Listener::Opened>(&event)) {
      Trusted const trusted{opened->trusted.name, static_cast<Role>(opened->trusted.rank)};
      sessions_.insert_or_assign(opened->session, SessionEntry{command::Desk(options_.desk), trusted, true});
      log(false, fmt::format("session {} opened by {} ({}, {})", opened->session.value, trusted.name,
                             opened->hello.name, opened->hello.software));
      record(Topic::link, static_cast<std::uint16_t>(opened->session.value),
             bytes_of("opened by " + trusted.name));
      effects_.emplace_back(SessionOpened{opened->session, trusted.name});
      next_pulse_ = now;
      for (auto& robot : robots_)
        robot.control->on_contact(StationId{opened->session.value}, Contact::up, now, now);
      continue;
    }
    auto const& changed = std::get<session::Listener::Changed>(event);
    // A link goes by silence, or it was ended in order.
    auto const silent = now - changed.last_heard >= options_.listener.link.gone;
    auto const contact = changed.state == session::LinkState::late   ? Contact::late
                         : changed.state == session::LinkState::lost ? Contact::lost
                         : changed.state != session::LinkState::gone ? Contact::up
                         : silent                                    ? Contact::gone
                                                                     : Contact::ended;
    for (auto& robot : robots_)
      robot.control->on_contact(StationId{changed.session.value}, contact, changed.last_heard, now);
    log(contact != Contact::up && contact != Contact::ended,
        fmt::format("session {} is {}: {}", changed.session.value, wire::name_of(changed.state),
                    changed.why));
    record(Topic::link, static_cast<std::uint16_t>(changed.session.value),
           bytes_of(fmt::format("{}: {}", wire::name_of(changed.state), changed.why)));
    if (contact >= Contact::gone) {
      sessions_.erase(changed.session);
      people_.forget(StationId{changed.session.value});
      std::erase_if(under_way_, [&](auto const& entry) { return entry.second.session == changed.session; });
      effects_.emplace_back(SessionGone{changed.session});
    }
  }
}

void Host::on_message(session::SessionId session, wire::Raw message, Time now) {
  auto const found = sessions_.find(session);
  if (found == sessions_.end()) return;
  auto taken = found->second.desk.on_message(message, now);
  if (taken.ours) {
    effects_.emplace_back(
        Record{Topic::command, static_cast<std::uint16_t>(session.value), wire::encoded(message)});
  }
  if (taken.set_point)
    on_set_point(session, *taken.set_point, now);
  else if (taken.event)
    on_event(session, *taken.event, now);
  else if (!taken.ours)
    effects_.emplace_back(
        Foreign{session, std::nullopt, {message.type, copy_of(message.payload)}, found->second.trusted.role});
}

Person Host::person_of(session::SessionId session, PersonId person) const {
  if (auto const* known = people_.find(StationId{session.value}, person)) return *known;
  // Nobody vouched for this one: he may look and stop.
  return {StationId{session.value}, person, "somebody", Role::observer};
}

void Host::on_set_point(session::SessionId session, SetPoint const& set_point, Time now) {
  auto* robot = robot_of(set_point.resource);
  if (!robot)
    return sessions_.at(session).desk.saw(set_point.resource, set_point.id, Refusal::unknown_robot, {}, now);
  Duration picture_age{};
  if (set_point.picture != 0 && options_.captured_at) {
    // A picture that is not known (any more) is too old, whatever its age.
    auto const captured = options_.captured_at(robot->id, set_point.picture);
    picture_age = captured ? now - *captured : Duration(robot->options.control.gate.loop_too_old);
  }
  robot->control->on_set_point(person_of(session, set_point.person), set_point, picture_age, now);
}

void Host::on_event(session::SessionId session, Event const& event, Time now) {
  if (event.resource == Resource{}) return on_agent_event(session, event, now);
  auto* robot = robot_of(event.resource);
  if (!robot) return end(session, event.id, Ending::refused, Refusal::unknown_robot, {}, now);
  auto const routed = robot->control->on_command(person_of(session, event.person), event.id, event.lease,
                                                 wire::view(event.what), now);
  if (routed == ControlDesk::Routed::handled) return;
  settle_control(*robot, now);  // what it has ordered goes before
  CommandId const id{next_driver_command_++};
  under_way_[id.value] = {session, event.id};
  robot->driver->on_command({id, robot->id, wire::view(event.what), {}}, now);
}

void Host::on_agent_event(session::SessionId session, Event const& event, Time now) {
  auto const what = wire::view(event.what);
  StationId const station{session.value};
  if (auto const who = wire::as<Introduce>(what)) {
    auto const why = people_.introduce(station, sessions_.at(session).trusted.role, *who);
    if (auto const* person = people_.find(station, who->person); why == Refusal::none && person)
      for (auto& robot : robots_) robot.control->on_person(*person, now);
    end(session, event.id, why == Refusal::none ? Ending::applied : Ending::refused, why, {}, now);
  } else if (auto const left = wire::as<Dismiss>(what)) {
    auto const known = people_.dismiss(station, left->person);
    for (auto& robot : robots_) robot.control->on_person_left(station, left->person, now);
    end(session, event.id, known ? Ending::applied : Ending::refused,
        known ? Refusal::none : Refusal::bad_value, {}, now);
  } else if (wire::as<Describe>(what)) {
    end(session, event.id, Ending::applied, Refusal::none, wire::body_of(inventory()), now);
  } else if (what.type == Stop::head.type) {
    // Obeyed even when its details cannot be read.
    auto const stop = wire::as<Stop>(what).value_or(Stop{});
    auto const person = person_of(session, event.person);
    for (auto& robot : robots_) robot.control->stop(stop.kind, person.name, stop.why, now);
    end(session, event.id, Ending::applied, Refusal::none, {}, now);
  } else {
    effects_.emplace_back(Foreign{session, event.id, event.what, person_of(session, event.person).role});
  }
}

void Host::end_foreign(session::SessionId session, CommandId event, Ending ending, Refusal why, Time now) {
  end(session, event, ending, why, {}, now);
}

void Host::end(session::SessionId session, CommandId id, Ending ending, Refusal why,
               std::optional<wire::Body> reply, Time now) {
  if (auto const found = sessions_.find(session); found != sessions_.end())
    found->second.desk.end(id, ending, why, std::move(reply), now);
}

void Host::on_time(Time now) {
  listener_.on_time(now);
  on_session_events(now);
  settle(now);
  for (auto& robot : robots_) {
    robot.driver->on_time(now);
    robot.control->on_time(now);
  }
  settle(now);
  if (now >= next_pulse_) {
    next_pulse_ = now + options_.pulse;
    AgentPulse pulse;
    pulse.name = options_.name;
    pulse.inventory_revision = inventory_revision_;
    pulse.clock_us = stamp_us(now);
    pulse.sessions = static_cast<std::uint32_t>(sessions_.size());
    pulse.uptime = seconds(now - started_);
    pulse.black_box = black_box_;
    pulse.drops = counters_of(listener_.drops());
    tell(wire::body_of(pulse));
  }
}

std::optional<Time> Host::deadline() const {
  auto first = listener_.deadline();
  auto const consider = [&](std::optional<Time> t) {
    if (t && (!first || *t < *first)) first = t;
  };
  for (auto const& robot : robots_) {
    consider(robot.driver->deadline());
    consider(robot.control->deadline());
    if (!sessions_.empty()) consider(robot.next_refresh);
  }
  for (auto const& [id, session] : sessions_) consider(session.desk.deadline());
  if (!sessions_.empty()) consider(next_pulse_);
  return first;
}

void Host::fill(Time now) {
  for (auto& robot : robots_)
    if (!sessions_.empty() && now >= robot.next_refresh) {
      robot.next_refresh = now + options_.refresh;
      tell(wire::body_of(robot.control->state(now)));
      tell(wire::body_of(robot.device_state));
      tell(wire::body_of(robot.task_state));
    }
  for (auto& [id, session] : sessions_) {
    auto* link = listener_.find(id);
    if (!link) continue;
    session.desk.fill(*link, now);
    if (!session.fresh) continue;
    session.fresh = false;
    for (auto& robot : robots_) {
      link->post(robot.control->state(now));
      link->post(robot.device_state);
      link->post(robot.task_state);
    }
  }
}

void Host::flush(Time now, session::Outbox& out) {
  // The robots first: whoever watches sees them stop, then hears goodbye.
  if (closed()) listener_.close("the agent ends", now, out);
  listener_.flush(now, out);
  on_session_events(now);
}

void Host::tell(wire::Body const& message) {
  for (auto const& [id, session] : sessions_)
    if (auto* link = listener_.find(id)) link->post(wire::view(message));
}

void Host::record(Topic topic, std::uint16_t about, Bytes bytes) {
  effects_.emplace_back(Record{topic, about, copy_of(bytes)});
}

void Host::log(bool warning, std::string text) {
  record(Topic::note, 0, bytes_of(text));
  effects_.emplace_back(Log{warning, std::move(text)});
}

void Host::drain(std::vector<Effect>& into) {
  std::move(effects_.begin(), effects_.end(), std::back_inserter(into));
  effects_.clear();
}

Host::RobotEntry* Host::robot_of(Resource resource) {
  for (auto& robot : robots_)
    if (robot.id.value == resource.value) return &robot;
  return nullptr;
}

Inventory Host::inventory() const {
  Inventory all;
  all.revision = inventory_revision_;
  for (auto const& robot : robots_) {
    all.devices.push_back(robot.device_state);
    if (robot.info) {
      all.robots.push_back(*robot.info);
    } else {
      // Not connected yet: it has a name, and its device says why.
      RobotInfo unknown;
      unknown.id = robot.id;
      unknown.device = robot.device;
      unknown.name = robot.options.name;
      all.robots.push_back(std::move(unknown));
    }
  }
  return all;
}

}  // namespace cy::host
