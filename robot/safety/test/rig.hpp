// A P3-DX's outline and a control desk around it, in virtual time.
#pragma once

#include <cy/safety/control.hpp>

#include <algorithm>

namespace cy::rig {

inline constexpr PartId base_part{1};
inline constexpr PartId sonar_part{2};
inline constexpr PartId bumper_part{3};
inline constexpr Time start{1h};

inline constexpr StationId station{7};
inline constexpr StationId other_station{8};
inline Person const olga{station, PersonId{1}, "Olga", Role::operator_};
inline Person const otto{other_station, PersonId{1}, "Otto", Role::operator_};
inline Person const mia{other_station, PersonId{2}, "Mia", Role::manager};
inline Person const ian{other_station, PersonId{3}, "Ian", Role::observer};

inline RobotInfo p3dx() {
  RobotInfo info;
  info.id = RobotId{1};
  info.kind = "mobile";
  info.footprint = {0.210, 0.301, 0.2125, 0.25};
  info.limits = {1.0, radians(150), 0.3, 0.3, radians(100), radians(100)};
  info.parts.push_back({base_part, PartKind::base, "base"});
  PartInfo sonar{sonar_part, PartKind::sonar, "sonar"};
  // The front and rear rings of the P3-DX: millimetres and degrees from its parameter file.
  constexpr double discs[16][3] = {
      {69, 136, 90},     {114, 119, 50},     {148, 78, 30},     {166, 27, 10},
      {166, -27, -10},   {148, -78, -30},    {114, -119, -50},  {69, -136, -90},
      {-157, -136, -90}, {-203, -119, -130}, {-237, -78, -150}, {-255, -27, -170},
      {-255, 27, 170},   {-237, 78, 150},    {-203, 119, 130},  {-157, 136, 90}};
  for (auto const& d : discs) {
    Mount mount;
    mount.x = d[0] / 1000;
    mount.y = d[1] / 1000;
    mount.z = 0.2;
    mount.yaw = radians(d[2]);
    sonar.elements.push_back(mount);
  }
  sonar.range_max = 5.0;
  info.parts.push_back(sonar);
  PartInfo bumper{bumper_part, PartKind::bumper, "bumpers"};
  for (auto const front : {true, false}) {
    Mount mount;
    mount.x = front ? 0.22 : -0.31;
    mount.yaw = front ? 0 : pi;
    bumper.elements.push_back(mount);
  }
  info.parts.push_back(bumper);
  return info;
}

inline SonarState open_floor() {
  SonarState sonar;
  sonar.enabled = true;
  sonar.discs.assign(16, SonarDisc{5.0f, 20, false});
  return sonar;
}
inline BaseState resting(bool motors = true) {
  BaseState base;
  base.motors = motors;
  return base;
}

// A desk with a ready robot on an open floor, its effects sorted as they come.
struct Desk {
  explicit Desk(ControlOptions options = {}) : desk(Resource{1}, std::move(options), Seed{42}, start) {
    desk.on_robot(p3dx(), now);
    desk.on_device(DevicePhase::ready, now);
    report();
  }

  void take() { desk.drain(effects); }
  void report() {
    see(base_part, base);
    see(sonar_part, sonar);
  }
  template <class S>
  void see(PartId part, S const& state) {
    auto const body = wire::body_of(state);
    desk.on_observed(part, wire::view(body), now);
    take();
  }
  // Lets time pass in the robot's cycle of 100 ms; the machine is called at its deadlines.
  void pass(Duration d, bool reports = true) {
    auto const end = now + d;
    while (now < end) {
      auto next = std::min(end, reports ? next_report : end);
      if (auto const due = desk.deadline(); due && *due > now) next = std::min(next, *due);
      now = next;
      desk.on_time(now);
      take();
      if (reports && now >= next_report) {
        report();
        next_report = now + 100ms;
      }
    }
  }

  template <wire::Message M>
  CommandId tell(Person const& who, M const& what, LeaseId with = {}) {
    CommandId const id{++last_id};
    auto const body = wire::body_of(what);
    routed = desk.on_command(who, id, with, wire::view(body), now);
    take();
    return id;
  }
  CommandId set_point(Person const& who, Twist twist, Duration loop_age = 40ms,
                      std::uint16_t lifetime_ms = 300, Duration picture_age = 0ms) {
    SetPoint sp;
    heard = now;
    sp.id = CommandId{++last_id};
    sp.person = who.id;
    sp.lease = lease;
    sp.echo_us = stamp_us(now - loop_age);
    sp.lifetime_ms = lifetime_ms;
    sp.what = wire::body_of(Drive{twist});
    desk.on_set_point(who, sp, picture_age, now);
    take();
    return sp.id;
  }

  // The link of a station, which was heard last when it was last up.
  void link(Contact contact, StationId who = station) {
    if (contact <= Contact::up || contact == Contact::ended) heard = now;
    desk.on_contact(who, contact, heard, now);
    take();
  }

  void lease_to(Person const& who) {
    auto const id = tell(who, RequestLease{});
    if (auto const* e = ending(id); e && e->reply)
      lease = wire::as<LeaseGranted>(wire::view(*e->reply))->lease;
  }
  CommandId arm(Person const& who) { return tell(who, Arm{desk.state(now).revision}, lease); }
  void armed_for(Person const& who) {
    lease_to(who);
    arm(who);
  }
  void driving_for(Person const& who, Twist twist = {0.3, 0}) {
    armed_for(who);
    set_point(who, twist);
  }

  template <class E>
  std::vector<E> all() const {
    std::vector<E> found;
    for (auto const& effect : effects)
      if (auto const* e = std::get_if<E>(&effect)) found.push_back(*e);
    return found;
  }
  control::Ended const* ending(CommandId id) const {
    for (auto const& effect : effects)
      if (auto const* e = std::get_if<control::Ended>(&effect); e && e->id == id) return e;
    return nullptr;
  }
  Refusal why(CommandId id) const {
    auto const* e = ending(id);
    return e ? e->why : Refusal::full;
  }
  bool applied(CommandId id) const {
    auto const* e = ending(id);
    return e && e->ending == Ending::applied;
  }
  ControlState state() const { return desk.state(now); }

  Time now{start};
  Time next_report{start + 100ms};
  Time heard{start};  // anything of the station that drives
  BaseState base{resting()};
  SonarState sonar{open_floor()};
  ControlDesk desk;
  LeaseId lease;
  std::uint64_t last_id{};
  ControlDesk::Routed routed{};
  std::vector<control::Effect> effects;
};

}  // namespace cy::rig
