// An agent with its robots, and operators behind emulated networks, all in one virtual time.
//
// A robot of the driver `arcos` gets a simulated controller at the other end of its line; `null`
// needs none. Bytes of a line arrive at once; the networks delay and lose as they are told.
#pragma once

#include <cy/base/check.hpp>
#include <cy/client/core.hpp>
#include <cy/controllers/arcos_controller.hpp>
#include <cy/emulate/pipe.hpp>
#include <cy/host/host.hpp>

#include <algorithm>

namespace cy::host {

inline seal::KeyPair key_pair(std::uint8_t fill) {
  std::array<std::uint8_t, 32> bytes;
  bytes.fill(fill);
  return seal::make_key_pair(seal::SecretKey(bytes));
}
inline session::Entropy seeded_entropy(Seed seed) {
  return [random = Random{seed}]() mutable {
    std::array<std::uint8_t, 32> bytes;
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random.next());
    return seal::SecretKey(bytes);
  };
}

struct Operator {
  Operator(seal::KeyPair own, seal::PublicKey const& agent_key, Endpoint agent, Endpoint self,
           emulate::Path const& path, Seed seed)
      : key(std::move(own)),
        where(self),
        core(key, agent_key, {"cylib test", "station", {}}, options(agent), seeded_entropy(seed),
             Random{Seed{seed.value + 1}}),
        there(path, Seed{seed.value + 2}),
        back(path, Seed{seed.value + 3}) {}

  static client::CoreOptions options(Endpoint agent) {
    client::CoreOptions o;
    o.agent = agent;
    return o;
  }
  bool up() const { return core.state() == session::LinkState::up && inventory; }
  ControlState control(std::uint16_t robot = 1) const {
    auto const found = controls.find(robot);
    return found == controls.end() ? ControlState{} : found->second;
  }
  double x(std::uint16_t robot = 1) const {
    auto const found = bases.find(robot);
    return found == bases.end() ? 0.0 : found->second.pose.x;
  }
  double speed(std::uint16_t robot = 1) const {
    auto const found = bases.find(robot);
    return found == bases.end() ? 0.0 : found->second.twist.linear;
  }

  seal::KeyPair key;
  Endpoint where;
  client::Core core;
  emulate::Pipe there, back;
  PersonId person;
  LeaseId lease;
  std::map<std::uint16_t, ControlState> controls;
  std::map<std::uint16_t, BaseState> bases;
  std::map<std::uint64_t, std::vector<command::Ended>> endings;
  std::map<std::uint16_t, TaskState> tasks;
  std::vector<client::LinkChanged> changes;
  std::optional<Inventory> inventory;
  std::map<std::uint16_t, DevicePhase> devices;
};

struct Controller {
  Controller(Time now) : world{{}, sim::Profile::ideal, Seed{7}}, robot{world, {}, {}, Seed{9}, now} {}
  sim::World world;
  sim::ArcosController robot;
  std::optional<Channel> line;
  std::vector<sim::TraceEntry> trace;

  // When it was last told this value by this name, after `since`.
  std::optional<Time> told(std::string_view name, std::optional<int> value, Time since) const {
    for (auto const& entry : trace)
      if (auto const* o = std::get_if<sim::Ordered>(&entry.what);
          o && entry.at >= since && o->name == name && (!value || o->value == *value))
        return entry.at;
    return std::nullopt;
  }
  std::optional<Time> told_to_stand(Time since) const {
    std::optional<Time> first;
    for (auto const& [name, value] :
         {std::pair{"VEL", std::optional(0)}, {"STOP", std::optional<int>()}, {"E_STOP", std::nullopt}})
      if (auto const at = told(name, value, since); at && (!first || *at < *first)) first = at;
    return first;
  }
};

class Site {
 public:
  explicit Site(std::vector<RobotOptions> robots, Seed seed = Seed{1}) : seed_(seed) {
    HostOptions options;
    options.robots = std::move(robots);
    options.captured_at = [this](RobotId, std::uint32_t picture) -> std::optional<Time> {
      auto const found = pictures.find(picture);
      return found == pictures.end() ? std::nullopt : std::optional(found->second);
    };
    for (std::size_t i = 0; i < options.robots.size(); ++i)
      if (options.robots[i].driver == "arcos")
        controllers.emplace(static_cast<std::uint16_t>(i + 1), std::make_unique<Controller>(now));
    auto made = Host::make(
        agent_key,
        [this](seal::PublicKey const& key) -> tl::expected<Trusted, std::string> {
          for (auto const& [trusted, role] : trust)
            if (trusted == key) return Trusted{"station", role};
          return tl::unexpected(std::string("not trusted"));
        },
        std::move(options), seeded_entropy(Seed{next_seed()}), Seed{next_seed()}, now);
    CY_CHECK(made.has_value());
    host = std::move(*made);
    host->start(now);
    settle();
  }

  static RobotOptions robot(std::string driver, std::string name = "ada") {
    RobotOptions r;
    r.name = std::move(name);
    r.driver = std::move(driver);
    r.address = "tcp:127.0.0.1:8101";
    r.control.gate.guard.on = r.driver != "null";  // which has no sonars to look ahead with
    return r;
  }

  // A station of its own with one person at it, up and introduced.
  Operator& join(Role trusted = Role::manager, Role role = Role::operator_) {
    auto const n = static_cast<std::uint8_t>(operators.size() + 10);
    trust.emplace_back(key_pair(n).public_key, trusted);
    emulate::Path path;
    path.delay = 20ms;
    operators.push_back(std::make_unique<Operator>(key_pair(n), agent_key.public_key, agent,
                                                   ipv4(10, 0, 0, n, 5000), path, Seed{next_seed()}));
    auto& op = *operators.back();
    op.person = op.core.introduce("person", role, now);
    op.core.start(now, operator_out_);
    post(op);
    if (!run_until([&] { return op.up() && op.devices[1] == DevicePhase::ready; }, 20s)) {
      for (auto const& line : logs) std::fprintf(stderr, "%s\n", line.text.c_str());
      broken("the robot did not become ready", __FILE__, __LINE__);
    }
    run(300ms);
    return op;
  }
  // Says goodbye, in order.
  void leave(Operator& op) {
    op.core.close("the driver leaves", now, operator_out_);
    post(op);
  }
  void cut(Operator& op) {
    op.there = emulate::Pipe(emulate::Path{.down = true}, Seed{1});
    op.back = emulate::Pipe(emulate::Path{.down = true}, Seed{2});
  }
  void mend(Operator& op) {
    emulate::Path path;
    path.delay = 20ms;
    op.there = emulate::Pipe(path, Seed{next_seed()});
    op.back = emulate::Pipe(path, Seed{next_seed()});
  }

  // An event from issue to ending; what() when it never ended is `full`.
  template <wire::Message M>
  command::Ended tell(Operator& op, M const& what, std::uint16_t robot = 1) {
    return tell_as(op, op.person, what, robot);
  }
  template <wire::Message M>
  command::Ended tell_as(Operator& op, PersonId person, M const& what, std::uint16_t robot = 1) {
    auto const id = op.core.event({Resource{robot}, person, op.lease}, wire::body_of(what), 2s, now);
    turn();
    run_until([&] { return op.endings.contains(id.value); }, 3s);
    CY_CHECK(op.endings[id.value].size() == 1);
    auto const ended = op.endings[id.value].front();
    if (ended.reply)
      if (auto const granted = wire::as<LeaseGranted>(wire::view(*ended.reply))) op.lease = granted->lease;
    return ended;
  }
  command::Ended arm(Operator& op, std::uint16_t robot = 1) {
    return tell(op, Arm{op.control(robot).revision}, robot);
  }
  command::Ended drive_once(Operator& op, Twist twist, std::uint16_t robot = 1, std::uint32_t picture = 0) {
    auto const id = op.core.set_point({Resource{robot}, op.person, op.lease}, wire::body_of(Drive{twist}),
                                      now, 0, picture, now);
    turn();
    run_until([&] { return op.endings.contains(id.value); }, 3s);
    CY_CHECK(op.endings[id.value].size() == 1);
    return op.endings[id.value].front();
  }
  void hold(Operator& op, Twist twist, Duration how_long, std::uint16_t robot = 1) {
    op.core.hold({Resource{robot}, op.person, op.lease}, wire::body_of(Drive{twist}), now + how_long, now);
    turn();
  }
  // Lease, arm, and off.
  bool take_off(Operator& op, Twist twist, Duration how_long) {
    if (tell(op, RequestLease{}).ending != Ending::applied) return false;
    run(200ms);
    if (arm(op).ending != Ending::applied) return false;
    run(500ms);  // motors go on
    hold(op, twist, how_long);
    return true;
  }

  bool warned(std::string_view of) const {
    return std::any_of(logs.begin(), logs.end(), [&](auto const& log) {
      return log.warning && log.text.find(of) != std::string::npos;
    });
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
      CY_CHECK(standing < 10'000);
      now = next;
      turn();
      if (now == end && (standing > 50 || !due() || *due() > now)) return done();
    }
    return true;
  }
  // Everything that is due now.
  void turn() {
    for (auto& op : operators) {
      for (auto& d : op->there.drain(now)) {
        host->on_datagram(d.bytes, op->where, now, host_out_);
        settle();
      }
      for (auto& d : op->back.drain(now)) op->core.on_datagram(d.bytes, agent, now, operator_out_);
      op->core.on_time(now, operator_out_);
      post(*op);
    }
    for (auto& [device, c] : controllers) c->robot.on_time(now);
    host->on_time(now);
    settle();
    host->fill(now);
    host->flush(now, host_out_);
    settle();
    for (std::size_t i = 0; i < host_out_.size(); ++i)
      for (auto& op : operators)
        if (op->where == host_out_.to(i)) op->back.on_datagram(std::as_const(host_out_).bytes(i), now);
    host_out_.clear();
  }

  Time now = Time{} + 5000s;
  seal::KeyPair agent_key = key_pair(2);
  Endpoint agent = ipv4(10, 0, 0, 1, 4747);
  std::vector<std::pair<seal::PublicKey, Role>> trust;
  std::unique_ptr<Host> host;
  std::map<std::uint16_t, std::unique_ptr<Controller>> controllers;
  std::vector<std::unique_ptr<Operator>> operators;
  std::vector<Log> logs;
  std::vector<Foreign> foreign;
  std::map<std::uint32_t, Time> pictures;  // when each was taken

 private:
  std::uint64_t next_seed() { return seed_.value * 1'000'003 + 10 * ++seeds_; }

  std::optional<Time> due() const {
    auto first = host->deadline();
    auto const consider = [&](std::optional<Time> t) {
      if (t && (!first || *t < *first)) first = t;
    };
    for (auto const& op : operators) {
      consider(op->there.deadline());
      consider(op->back.deadline());
      consider(op->core.deadline());
    }
    for (auto const& [device, c] : controllers) consider(c->robot.deadline());
    return first;
  }

  // Carries out what the host wants and brings it what the controllers say, until all are content.
  void settle() {
    for (auto busy = true; busy;) {
      busy = false;
      host->drain(effects_);
      for (auto& effect : std::exchange(effects_, {})) {
        busy = true;
        if (auto* channel = std::get_if<ChannelEffect>(&effect))
          apply(*channel);
        else if (auto* log = std::get_if<Log>(&effect))
          logs.push_back(std::move(*log));
        else if (auto* f = std::get_if<Foreign>(&effect))
          foreign.push_back(std::move(*f));
      }
      for (auto& [device, c] : controllers)
        for (auto& effect : c->robot.drain()) {
          if (auto* send = std::get_if<sim::ControllerSend>(&effect)) {
            busy = true;
            if (c->line) host->on_channel_bytes(DeviceId{device}, *c->line, send->bytes, now);
          } else if (auto* entry = std::get_if<sim::TraceEntry>(&effect)) {
            c->trace.push_back(std::move(*entry));
          }
        }
    }
  }
  void apply(ChannelEffect& effect) {
    auto const found = controllers.find(effect.device.value);
    if (found == controllers.end()) return;
    auto& c = *found->second;
    if (auto const* open = std::get_if<driver::Open>(&effect.what)) {
      c.line = open->channel;
      c.robot.on_connected(now);
      host->on_channel_opened(effect.device, open->channel, now);
    } else if (std::holds_alternative<driver::Close>(effect.what)) {
      c.line.reset();
      c.robot.on_disconnected(now);
    } else if (auto const* transmit = std::get_if<driver::Transmit>(&effect.what)) {
      c.robot.on_bytes(transmit->bytes, now);
    }
  }

  void post(Operator& op) {
    op.core.flush(now, operator_out_);
    for (std::size_t i = 0; i < operator_out_.size(); ++i)
      op.there.on_datagram(std::as_const(operator_out_).bytes(i), now);
    operator_out_.clear();
    op.core.drain(events_);
    for (auto& event : std::exchange(events_, {})) {
      if (auto* control = std::get_if<ControlState>(&event)) {
        op.controls[control->resource.value] = std::move(*control);
      } else if (auto const* status = std::get_if<RobotStatus>(&event)) {
        if (auto const base = status->find<BaseState>()) op.bases[status->robot.value] = *base;
      } else if (auto* ended = std::get_if<command::Ended>(&event)) {
        op.endings[ended->id.value].push_back(std::move(*ended));
      } else if (auto* task = std::get_if<TaskState>(&event)) {
        op.tasks[task->resource.value] = std::move(*task);
      } else if (auto* inventory = std::get_if<Inventory>(&event)) {
        for (auto const& device : inventory->devices) op.devices[device.device.value] = device.phase;
        op.inventory = std::move(*inventory);
      } else if (auto const* device = std::get_if<DeviceState>(&event)) {
        op.devices[device->device.value] = device->phase;
      } else if (auto* changed = std::get_if<client::LinkChanged>(&event)) {
        op.changes.push_back(std::move(*changed));
      }
    }
  }

  Seed seed_;
  std::uint64_t seeds_ = 0;
  session::Outbox operator_out_, host_out_;
  std::vector<Effect> effects_;
  std::vector<client::Event> events_;
};

}  // namespace cy::host
