#include <cy/base/version.hpp>
#include <cy/client/client.hpp>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace cy {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

std::string robot_names(Inventory const& inventory) {
  std::string names;
  for (auto const& robot : inventory.robots) names += (names.empty() ? "" : ", ") + robot.name;
  return names.empty() ? "none" : names;
}

}  // namespace

// All of it lives on the network thread, but for what `mutex` guards.
struct Client::Impl {
  Impl(ClientOptions o, ClientHandlers h)
      : options(std::move(o)),
        handlers(std::move(h)),
        core(*options.key, options.agent_key, {software(), options.name, {}}, options.core,
             net::system_entropy, Random{net::system_seed()}),
        timer(loop, [this] {
          core.on_time(net::now(), out);
          settle();
        }) {}

  Result<void> start() {
    auto const any = is_ipv4(options.agent) ? ipv4(0, 0, 0, 0, 0) : Endpoint{};
    auto opened = net::UdpPort::open(
        loop, any, options.udp,
        [this](MutableBytes datagram, Endpoint const& from) {
          core.on_datagram(datagram, from, net::now(), out);
        },
        [this] { settle(); });
    if (!opened) return tl::unexpected(opened.error());
    port = std::move(*opened);
    core.start(net::now(), out);
    settle();
    thread = std::thread([this] { loop.run(); });
    return {};
  }

  bool on_thread() const { return std::this_thread::get_id() == thread.get_id(); }
  // Queued while events are handed out, so that handlers may call in without recursion.
  template <class F>
  void run(F work) {
    if (on_thread()) {
      work();
      if (!settling) settle();
    } else {
      loop.post([this, work = std::move(work)]() mutable {
        work();
        if (!settling) settle();
      });
    }
  }

  // Sends what is queued, tells what has happened, and sets the timer, until nothing is left.
  void settle() {
    settling = true;
    for (;;) {
      core.flush(net::now(), out);
      if (!out.empty()) port->send(out);
      core.drain(events);
      if (events.empty()) break;
      auto const batch = std::exchange(events, {});
      for (auto const& event : batch) std::visit([this](auto const& e) { tell(e); }, event);
    }
    settling = false;
    timer.set(core.deadline());
  }

  template <class F, class... Args>
  static void call(F const& handler, Args&&... args) {
    if (handler) handler(std::forward<Args>(args)...);
  }
  void tell(client::LinkChanged const& e) {
    {
      std::lock_guard const lock(mutex);
      why = e.why;
    }
    call(handlers.on_link, e.state, e.why);
    changed.notify_all();
  }
  void tell(AgentPulse const& e) {
    {
      std::lock_guard const lock(mutex);
      agent = e;
    }
    call(handlers.on_agent, e);
  }
  void tell(Inventory const& e) {
    {
      std::lock_guard const lock(mutex);
      inventory = e;
    }
    call(handlers.on_inventory, e);
    changed.notify_all();
  }
  void tell(DeviceState const& e) {
    {
      std::lock_guard const lock(mutex);
      for (auto& device : inventory.devices)
        if (device.device == e.device) device = e;
    }
    call(handlers.on_device, e);
  }
  void tell(RobotStatus const& e) {
    {
      std::lock_guard const lock(mutex);
      statuses[e.robot.value] = e;
    }
    call(handlers.on_status, e);
  }
  void tell(ControlState const& e) {
    {
      std::lock_guard const lock(mutex);
      controls[e.resource.value] = e;
    }
    call(handlers.on_control, e);
    changed.notify_all();
  }
  void tell(TaskState const& e) {
    {
      std::lock_guard const lock(mutex);
      tasks[e.resource.value] = e;
    }
    call(handlers.on_task, e);
  }
  void tell(media::StreamInfo const& e) { call(handlers.on_stream, e); }
  void tell(media::Picture const& e) { call(handlers.on_picture, e); }
  void tell(client::Other const& e) { call(handlers.on_message, e.message); }
  void tell(command::Ended const& e) {
    auto const found = waiting.find(e.id.value);
    if (found == waiting.end()) return;
    auto const on_ended = std::move(found->second);
    waiting.erase(found);
    on_ended(e);
  }

  void end() {
    loop.post([this] {
      core.close("the client ends", net::now(), out);
      settle();
      port.reset();
      loop.stop();
    });
    thread.join();
    for (auto& [id, on_ended] : std::exchange(waiting, {}))
      on_ended({CommandId{id}, Ending::expired_maybe_applied, Refusal::none, {}});
  }

  ClientOptions options;
  ClientHandlers handlers;
  net::Loop loop;
  session::Outbox out;
  client::Core core;
  std::unique_ptr<net::UdpPort> port;
  net::Timer timer;
  std::vector<client::Event> events;
  std::unordered_map<std::uint64_t, OnEnded> waiting;
  bool settling = false;
  PersonId self;
  std::thread thread;

  std::mutex mutable mutex;
  std::condition_variable changed;
  std::string why;
  std::optional<AgentPulse> agent;
  Inventory inventory;
  std::map<std::uint16_t, RobotStatus> statuses;
  std::map<std::uint16_t, ControlState> controls;
  std::map<std::uint16_t, TaskState> tasks;
};

Client::Client(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() {
  impl_->end();
}

Result<std::unique_ptr<Client>> Client::open(ClientOptions options, ClientHandlers handlers) {
  // In clear mode a key is never shown to anybody.
  if (!options.key && options.core.dialer.clear)
    options.key = std::make_shared<seal::KeyPair const>(seal::make_key_pair(net::system_entropy()));
  if (!options.key) return fault("the client has no key of its own; make one with `cy keygen`");
  options.core.agent = options.agent;
  if (options.person.empty()) options.person = options.name;
  auto impl = std::make_shared<Impl>(std::move(options), std::move(handlers));
  impl->self = impl->core.introduce(impl->options.person, impl->options.role, net::now());
  if (auto const started = impl->start(); !started) return tl::unexpected(started.error());
  return std::unique_ptr<Client>(new Client(std::move(impl)));
}

PersonId Client::person() const {
  return impl_->self;
}

PersonId Client::introduce(std::string name, Role role) {
  if (impl_->on_thread()) return impl_->core.introduce(std::move(name), role, net::now());
  std::promise<PersonId> done;
  auto result = done.get_future();
  impl_->run([&] { done.set_value(impl_->core.introduce(std::move(name), role, net::now())); });
  return result.get();
}

void Client::rename(PersonId person, std::string name, Role role) {
  impl_->run([this, person, name = std::move(name), role]() mutable {
    impl_->core.rename(person, std::move(name), role, net::now());
  });
}

void Client::dismiss(PersonId person) {
  impl_->run([this, person] { impl_->core.dismiss(person, net::now()); });
}

void Client::event(Target target, wire::Body what, Duration deadline, OnEnded on_ended) {
  impl_->run([this, target, what = std::move(what), deadline, on_ended = std::move(on_ended)]() mutable {
    auto const id = impl_->core.event(target, std::move(what), deadline, net::now());
    impl_->waiting.emplace(id.value, std::move(on_ended));
  });
}

std::future<command::Ended> Client::event(Target target, wire::Body what, Duration deadline) {
  auto done = std::make_shared<std::promise<command::Ended>>();
  auto result = done->get_future();
  event(target, std::move(what), deadline, [done](command::Ended const& ended) { done->set_value(ended); });
  return result;
}

void Client::set_point(Target target, wire::Body what, Time input, std::uint32_t echo_us,
                       std::uint32_t picture) {
  impl_->run([this, target, what = std::move(what), input, echo_us, picture]() mutable {
    impl_->core.set_point(target, std::move(what), input, echo_us, picture, net::now());
  });
}

void Client::hold(Target target, wire::Body what, Time until, std::optional<wire::Body> then) {
  impl_->run([this, target, what = std::move(what), until, then = std::move(then)]() mutable {
    impl_->core.hold(target, std::move(what), until, net::now(), std::move(then));
    impl_->core.on_time(net::now(), impl_->out);
  });
}

void Client::release(Resource resource) {
  impl_->run([this, resource] { impl_->core.release(resource); });
}

void Client::subscribe(media::StreamId stream, bool on) {
  impl_->run([this, stream, on] { impl_->core.subscribe(stream, on, net::now()); });
}

void Client::want_keyframe(media::StreamId stream) {
  impl_->run([this, stream] { impl_->core.want_keyframe(stream); });
}

void Client::post(wire::Body message) {
  impl_->run([this, message = std::move(message)] { impl_->core.post(wire::view(message)); });
}

void Client::run(std::function<void()> work) {
  impl_->run(std::move(work));
}

LinkView Client::link() const {
  auto const look = [this] {
    auto const now = net::now();
    auto const& core = impl_->core;
    std::lock_guard const lock(impl_->mutex);
    return LinkView{core.state(),         impl_->why,   !impl_->options.core.dialer.clear,
                    core.statistics(),    core.drops(), core.agent_stamp(),
                    core.agent_clock(now)};
  };
  if (impl_->on_thread()) return look();
  std::promise<LinkView> done;
  auto result = done.get_future();
  impl_->run([&] { done.set_value(look()); });
  return result.get();
}

std::optional<AgentPulse> Client::agent() const {
  std::lock_guard const lock(impl_->mutex);
  return impl_->agent;
}

Inventory Client::inventory() const {
  std::lock_guard const lock(impl_->mutex);
  return impl_->inventory;
}

std::optional<RobotStatus> Client::status(RobotId robot) const {
  std::lock_guard const lock(impl_->mutex);
  auto const at = impl_->statuses.find(robot.value);
  return at == impl_->statuses.end() ? std::nullopt : std::optional(at->second);
}

std::optional<ControlState> Client::control(RobotId robot) const {
  std::lock_guard const lock(impl_->mutex);
  auto const at = impl_->controls.find(robot.value);
  return at == impl_->controls.end() ? std::nullopt : std::optional(at->second);
}

std::optional<TaskState> Client::task(RobotId robot) const {
  std::lock_guard const lock(impl_->mutex);
  auto const at = impl_->tasks.find(robot.value);
  return at == impl_->tasks.end() ? std::nullopt : std::optional(at->second);
}

Result<Robot> Client::wait_for_robot(std::string_view name, Duration longest) {
  std::unique_lock lock(impl_->mutex);
  std::optional<RobotInfo> found;
  impl_->changed.wait_for(lock, longest, [&] {
    for (auto const& robot : impl_->inventory.robots)
      if (robot.name == name || (name.empty() && impl_->inventory.robots.size() == 1)) found = robot;
    return found.has_value();
  });
  if (found) return Robot(*this, std::move(*found));
  if (impl_->inventory.revision == 0)
    return fault("the agent at {} is not reached: {}", to_string(impl_->options.agent),
                 impl_->why.empty() ? "no answer" : impl_->why);
  std::string troubles;
  for (auto const& device : impl_->inventory.devices)
    if (!device.trouble.empty()) troubles += "; " + device.trouble;
  return fault("the agent has no robot '{}' (it has: {}){}", name, robot_names(impl_->inventory), troubles);
}

}  // namespace cy
