// A base that obeys at once and a battery that is always full: no controller, no channel, no
// noise. Benchmarks measure the house with it, and docs/howto/driver.md walks through it.
#include <cy/model/driver.hpp>

namespace cy {
namespace {

constexpr Duration report_period = 50ms;
constexpr PartId base{1};
constexpr PartId power{2};

class Null final : public Driver {
 public:
  explicit Null(DriverConfig config) : config_(std::move(config)) {}

  void start(Time now) override {
    last_ = now;
    next_report_ = now;
    describe();
    become(DevicePhase::ready);
  }

  // There is no channel.
  void on_opened(Channel, Time) override {}
  void on_closed(Channel, std::string_view, Time) override {}
  void on_bytes(Channel, Bytes, Time) override {}

  void on_command(Command const& command, Time now) override {
    advance_to(now);
    if (auto const why = carry_out(command, now); why == Refusal::none)
      effects_.push_back(driver::Applied{command.id});
    else
      effects_.push_back(driver::Refused{command.id, why});
  }

  void on_time(Time now) override {
    advance_to(now);
    if (phase_ == DevicePhase::ready && now >= next_report_) report(now);
  }

  std::optional<Time> deadline() const override {
    if (phase_ != DevicePhase::ready) return std::nullopt;
    return moving() ? std::min(until_, next_report_) : next_report_;
  }

  void on_stop(StopKind kind, Time now) noexcept override {
    advance_to(now);
    twist_ = {};
    if (kind != StopKind::category_2) motors_ = false;
  }

  void close(Time now) override {
    on_stop(StopKind::category_0, now);
    become(DevicePhase::closed);
  }
  bool closed() const override { return phase_ == DevicePhase::closed; }

  void drain(std::vector<driver::Effect>& into) override {
    std::move(effects_.begin(), effects_.end(), std::back_inserter(into));
    effects_.clear();
  }

 private:
  bool moving() const { return twist_ != Twist{}; }

  Refusal carry_out(Command const& command, Time now) {
    if (phase_ != DevicePhase::ready) return Refusal::not_ready;
    if (command.robot != config_.first_robot) return Refusal::unknown_robot;
    if (command.what.type == Probe::head.type) return Refusal::none;
    if (command.what.type == Drive::head.type) {
      auto const drive = command.as<Drive>();
      if (!drive) return Refusal::bad_value;
      if (!finite(drive->twist)) return Refusal::not_finite;
      if (!motors_) return Refusal::not_ready;
      if (command.until <= now) return Refusal::too_old;
      twist_ = drive->twist;
      until_ = command.until;
      return Refusal::none;
    }
    if (command.what.type == Motors::head.type) {
      auto const motors = command.as<Motors>();
      if (!motors) return Refusal::bad_value;
      motors_ = motors->on;
      if (!motors_) twist_ = {};
      return Refusal::none;
    }
    if (command.what.type == ResetOdometry::head.type) {
      pose_ = {};
      ++epoch_;
      return Refusal::none;
    }
    return Refusal::unknown_command;
  }

  // Moves the base to where it is by now; a set-point ends at its `until`, however late we are.
  void advance_to(Time now) {
    if (moving()) {
      auto const end = std::min(now, until_);
      if (end > last_) pose_ = advance(pose_, twist_, seconds(end - last_));
      if (now >= until_) twist_ = {};
    }
    last_ = std::max(last_, now);
  }

  void report(Time now) {
    next_report_ = now + report_period;
    BaseState state;
    state.pose = pose_;
    state.odometry_epoch = epoch_;
    state.twist = twist_;
    state.wheel_left = state.wheel_right = twist_.linear;
    state.motors = motors_;
    state.moving = moving();
    observed(base, state);
    PowerState battery;
    battery.fraction = 1.0;
    observed(power, battery);
    effects_.push_back(driver::Reported{config_.first_robot});
  }

  template <wire::Message M>
  void observed(PartId part, M const& state) {
    effects_.push_back(driver::Observed{config_.first_robot, part, Origin::measured, wire::body_of(state)});
  }

  void describe() {
    RobotInfo robot;
    robot.id = config_.first_robot;
    robot.device = config_.device;
    robot.name = config_.name;
    robot.kind = "mobile";
    robot.model = "null base";
    robot.footprint = {0.25, 0.25, 0.25, 0.25};
    robot.limits = {1.0, 2.0, 1.0, 1.0, 2.0, 2.0};
    robot.parts.push_back({base, PartKind::base, "base"});
    robot.parts.push_back({power, PartKind::power, "power"});
    effects_.push_back(driver::Described{{robot}});
  }

  void become(DevicePhase next) {
    if (next == phase_) return;
    phase_ = next;
    DeviceState state;
    state.device = config_.device;
    state.phase = next;
    effects_.push_back(driver::DeviceChanged{state});
  }

  DriverConfig config_;
  DevicePhase phase_{};
  Time last_{}, next_report_{}, until_{};
  Pose2 pose_;
  Twist twist_;
  std::uint32_t epoch_{1};
  bool motors_{};
  std::vector<driver::Effect> effects_;
};

}  // namespace

Result<std::unique_ptr<Driver>> make_null(DriverConfig const& config) {
  if (!config.options.empty())
    return fault("null: there is no option \"{}\"; this driver has none", config.options.front().first);
  return std::make_unique<Null>(config);
}

}  // namespace cy
