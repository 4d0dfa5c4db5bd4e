// Robot and Control: what a program does with one robot, through its Client.
#include <cy/client/client.hpp>

#include <thread>

namespace cy {
namespace {

std::string_view reason_of(command::Ended const& ended) {
  return ended.ending == Ending::refused ? wire::name_of(ended.why) : wire::name_of(ended.ending);
}

// What keeps the robot's controller from being ready, to be put after a reason; empty when nothing does.
std::string device_trouble(Client const& client, RobotId robot) {
  auto const inventory = client.inventory();
  for (auto const& info : inventory.robots)
    for (auto const& device : inventory.devices)
      if (info.id == robot && device.device == info.device && device.phase != DevicePhase::ready)
        return fmt::format(" (its controller is {}: {})", wire::name_of(device.phase),
                           device.trouble.empty() ? device.step : device.trouble);
  return {};
}

}  // namespace

Result<Control> Robot::take_control(Duration longest, bool takeover) {
  Target target{resource(), client_->person(), {}};
  auto future = client_->event(target, wire::body_of(RequestLease{takeover, "wants to drive"}), longest);
  auto const ended = future.get();
  auto const granted = ended.reply ? wire::as<LeaseGranted>(wire::view(*ended.reply)) : std::nullopt;
  if (!granted) {
    auto const state = client_->control(info_.id);
    auto const holder =
        state && !state->holder_name.empty() ? " (held by " + state->holder_name + ")" : std::string{};
    return fault("control of {} was not given: {}{}", info_.name, reason_of(ended), holder);
  }
  target.lease = granted->lease;
  return Control(*client_, target);
}

std::future<command::Ended> Robot::stop(StopKind kind) {
  return client_->event({resource(), client_->person(), {}},
                        wire::body_of(Stop{kind, "stopped by a program"}), 5s);
}

Control::Control(Control&& other) noexcept
    : client_(std::exchange(other.client_, nullptr)), target_(other.target_) {}
Control& Control::operator=(Control&& other) noexcept {
  std::swap(client_, other.client_);
  std::swap(target_, other.target_);
  return *this;
}
Control::~Control() {
  if (!client_) return;
  rest();
  client_->event(target_, wire::body_of(ReleaseLease{}), 2s, [](command::Ended const&) {});
}

Result<void> Control::arm(Duration longest) {
  auto const robot = RobotId{target_.resource.value};
  auto const until = net::now() + longest;
  std::uint32_t revision{};
  for (;; std::this_thread::sleep_for(50ms)) {
    revision = client_->control(robot).value_or(ControlState{}).revision;
    auto const ended = client_->event(target_, wire::body_of(Arm{revision}), until - net::now()).get();
    if (ended.ending == Ending::applied) break;
    // A revision that moved on meanwhile, or input that is not neutral yet, is tried again.
    auto const passes = ended.ending == Ending::refused &&
                        (ended.why == Refusal::too_old || ended.why == Refusal::not_ready ||
                         ended.why == Refusal::stale_data);
    if (!passes || net::now() + 100ms > until)
      return fault("arming was refused: {}{}", reason_of(ended), device_trouble(*client_, robot));
  }
  // Set-points and tasks need its motors, which come a moment later, or not at all.
  for (;; std::this_thread::sleep_for(10ms)) {
    auto const status = client_->status(robot);
    auto const base = status ? status->find<BaseState>() : std::nullopt;
    if (base && base->motors) return {};
    auto const control = client_->control(robot);
    if (control && control->mode == Mode::disarmed && control->revision > revision)
      return fault("armed, and disarmed again: {}", control->why);
    if (net::now() >= until) return fault("armed, but its motors have not come on");
  }
}

Result<void> Control::start_task(StartTask const& task, Duration longest) {
  auto const robot = RobotId{target_.resource.value};
  auto const before = client_->control(robot).value_or(ControlState{}).revision;
  auto const ended = client_->event(target_, wire::body_of(task), longest).get();
  if (ended.ending == Ending::applied) return {};
  if (ended.why != Refusal::bad_value) return fault("task {} was refused: {}", task.name, reason_of(ended));
  // In words it stands in what the robot says of its control, a moment later.
  for (auto const until = net::now() + 500ms; net::now() < until; std::this_thread::sleep_for(5ms))
    if (auto const state = client_->control(robot); state && state->revision != before && !state->why.empty())
      return fault("task {} was refused: {}", task.name, state->why);
  return fault("task {} was refused: {}", task.name, reason_of(ended));
}

void Control::drive(Twist twist, Duration for_) {
  client_->hold(target_, wire::body_of(Drive{twist}), net::now() + for_, wire::body_of(Drive{}));
}

void Control::rest() {
  client_->release(target_.resource);
  client_->set_point(target_, wire::body_of(Drive{}), net::now());
}

}  // namespace cy
