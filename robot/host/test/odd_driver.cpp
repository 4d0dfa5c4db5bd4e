// The table of drivers of host_test: the house's, and one that is odd.
#include <cy/drivers/drivers.hpp>

namespace cy {

Result<std::unique_ptr<Driver>> make_arcos(DriverConfig const&);
Result<std::unique_ptr<Driver>> make_null(DriverConfig const&);

namespace {

// A null driver that refuses to switch motors, and tells of a second robot whatever it tells of its own.
class Odd final : public Driver {
 public:
  explicit Odd(std::unique_ptr<Driver> inner) : inner_(std::move(inner)) {}

  void start(Time now) override { inner_->start(now); }
  void on_opened(Channel channel, Time now) override { inner_->on_opened(channel, now); }
  void on_closed(Channel channel, std::string_view why, Time now) override {
    inner_->on_closed(channel, why, now);
  }
  void on_bytes(Channel channel, Bytes bytes, Time now) override { inner_->on_bytes(channel, bytes, now); }
  void on_command(Command const& command, Time now) override {
    if (command.what.type == Motors::head.type)
      refused_.push_back(driver::Refused{command.id, Refusal::blocked});
    else
      inner_->on_command(command, now);
  }
  void on_time(Time now) override { inner_->on_time(now); }
  std::optional<Time> deadline() const override { return inner_->deadline(); }
  void on_stop(StopKind kind, Time now) noexcept override { inner_->on_stop(kind, now); }
  void close(Time now) override { inner_->close(now); }
  bool closed() const override { return inner_->closed(); }

  void drain(std::vector<driver::Effect>& into) override {
    std::vector<driver::Effect> effects;
    inner_->drain(effects);
    for (auto& effect : effects) {
      if (auto* described = std::get_if<driver::Described>(&effect)) {
        described->robots.push_back(described->robots.front());
        described->robots.back().id = second;
        described->robots.back().name = "second";
      }
      into.push_back(effect);
      if (auto* observed = std::get_if<driver::Observed>(&effect)) {
        observed->robot = second;
        if (auto base = wire::as<BaseState>(wire::view(observed->state))) {
          base->pose.x = 1000.0;
          observed->state = wire::body_of(*base);
        }
        into.push_back(effect);
      } else if (std::holds_alternative<driver::Reported>(effect)) {
        into.push_back(driver::Reported{second});
      }
    }
    into.insert(into.end(), refused_.begin(), refused_.end());
    refused_.clear();
  }

 private:
  static constexpr RobotId second{100};

  std::unique_ptr<Driver> inner_;
  std::vector<driver::Effect> refused_;
};

Result<std::unique_ptr<Driver>> make_odd(DriverConfig const& config) {
  return make_null(config).map(
      [](auto inner) -> std::unique_ptr<Driver> { return std::make_unique<Odd>(std::move(inner)); });
}

constexpr DriverEntry table[] = {{"arcos", make_arcos}, {"null", make_null}, {"odd", make_odd}};

}  // namespace

std::span<DriverEntry const> drivers() {
  return table;
}

}  // namespace cy
