// Between OPEN and the first report: the controller's settings asked for, changed, and read back.
#include "arcos.hpp"
#include <cmath>

namespace cy {

using arcos::Order;

namespace {

constexpr Duration ask_period = 200ms;
constexpr Duration ask_patience = 1s;
constexpr unsigned fast_baud = 38400;
constexpr int fast_baud_code = 2;  // of HOSTBAUD

int millimetres(double metres) {
  return static_cast<int>(std::lround(metres * 1000.0));
}
int whole_degrees(double radians) {
  return static_cast<int>(std::lround(degrees(radians)));
}

}  // namespace

void Arcos::configure(Time now) {
  using Step = Configuring::Step;
  auto& c = std::get<Configuring>(state_);
  switch (c.step) {
    case Step::pause:
      if (now < c.due) return;
      c = {Step::config, now, now + ask_patience, now + ask_period};
      queue(Order::open, arcos::encode(Order::open, 1));
      queue(Order::stop, arcos::encode(Order::stop));
      queue(Order::config, arcos::encode(Order::config, 1));
      last_sent_ = now;
      step_ = "CONFIG";
      return;
    case Step::config: {
      if (!settings_ && now < c.due) {
        if (now < c.ask) return;
        c.ask = now + ask_period;
        queue(Order::config, arcos::encode(Order::config, 1));
        return;
      }
      if (!settings_) note("no CONFIGpac within 1 s; going on with the parameter file's limits");
      auto const slow = baud_ != 0 && baud_ < fast_baud;
      if (!slow || !options_.switch_baud || !settings_ || settings_->auto_baud != 2) return settle(now);
      // The order must be out before the line changes.
      transmit(arcos::encode(Order::hostbaud, fast_baud_code), now);
      c.step = Step::baud_ordered;
      c.due = now + 20ms;
      step_ = "HOSTBAUD";
      return;
    }
    case Step::baud_ordered:
      if (now < c.due) return;
      effects_.push_back(driver::SetBaud{channel_, fast_baud});
      framer_.reset();
      c.step = Step::baud_set;
      c.due = now + 10ms;
      return;
    case Step::baud_set:
      if (now < c.due) return;
      transmit(arcos::encode(Order::pulse), now);
      c.step = Step::baud_heard;
      c.due = now + 900ms;
      return;
    case Step::baud_heard:
      if (now < c.due) return;
      note(fmt::format("silent after HOSTBAUD at {} baud; back to {}", fast_baud, baud_));
      effects_.push_back(driver::SetBaud{channel_, baud_});
      framer_.reset();
      c.step = Step::settings;
      return settle(now);
    case Step::settings:
      if (now < c.due) return;
      if (!outbox_.empty()) {
        c.due = now + 10ms;
        return;
      }
      settings_.reset();
      c = {Step::read_back, c.since, now + ask_patience, now + ask_period};
      queue(Order::config, arcos::encode(Order::config, 1));
      step_ = "read back";
      return;
    case Step::read_back:
      if (!settings_ && now < c.due) {
        if (now < c.ask) return;
        c.ask = now + ask_period;
        queue(Order::config, arcos::encode(Order::config, 1));
        return;
      }
      compare_settings();
      c = {Step::sip, c.since, c.since + silence_lost, now};
      step_ = "SIP";
      if (sip_seen_) return ready(now);
      return;
    case Step::sip:
      if (sip_seen_) return ready(now);
      if (now < c.due) return;
      fail("SIP", "the session is open, but no report came within 8 s", now);
      return;
  }
}

// The line is as it will be: tells the controller what the configuration wants.
void Arcos::settle(Time now) {
  auto& c = std::get<Configuring>(state_);
  if (c.step == Configuring::Step::baud_heard) {
    baud_ = fast_baud;
    outbox_.set_baud(baud_);
  }
  send_settings();
  auto const changed = options_.speed || options_.turn || options_.acceleration || options_.deceleration ||
                       options_.turn_acceleration || options_.turn_deceleration || options_.rev_count ||
                       options_.drift_factor || options_.ticks_mm;
  if (changed && settings_) {
    c.step = Configuring::Step::settings;
    c.due = now + 10ms;
    step_ = "settings";
  } else {
    c.step = Configuring::Step::sip;
    c.due = c.since + silence_lost;
    step_ = "SIP";
    if (sip_seen_) ready(now);
  }
}

void Arcos::send_settings() {
  auto const say = [&](Order order, int value) { queue(order, arcos::encode(order, value)); };
  // Nothing that was set before this session may move it.
  say(Order::vel, 0);
  say(Order::rvel, 0);
  if (options_.rev_count) say(Order::revcount, *options_.rev_count);
  if (options_.drift_factor) say(Order::driftfactor, *options_.drift_factor);
  if (options_.ticks_mm) say(Order::ticksmm, *options_.ticks_mm);
  if (options_.speed) say(Order::setv, millimetres(*options_.speed));
  if (options_.acceleration) say(Order::seta, millimetres(*options_.acceleration));
  if (options_.deceleration) say(Order::seta, -millimetres(*options_.deceleration));
  if (options_.turn) say(Order::setrv, whole_degrees(*options_.turn));
  if (options_.turn_acceleration) say(Order::setra, whole_degrees(*options_.turn_acceleration));
  if (options_.turn_deceleration) say(Order::setra, -whole_degrees(*options_.turn_deceleration));
  say(Order::batteryinfo, 1);
  if (options_.sonar) say(Order::sonar, *options_.sonar ? 1 : 0);
  if (options_.io) say(Order::iorequest, 2);
  if (options_.encoder) say(Order::encoder, 2);
  if (options_.gyro) say(Order::gyro, 1);
}

// What was set, against what the controller now says that it has.
void Arcos::compare_settings() {
  if (!settings_) {
    settings_trouble_ = "the settings could not be read back: no CONFIGpac after they were sent";
  } else {
    settings_trouble_ = differing_settings();
  }
  if (settings_trouble_.empty()) return;
  trouble_ = settings_trouble_;
  note(trouble_);
}

std::string Arcos::differing_settings() const {
  std::string differing;
  auto const compare = [&](std::string_view name, std::optional<int> wanted, auto arcos::Config::*field) {
    if (!wanted || !settings_->has(field)) return;
    auto const has = static_cast<int>((*settings_).*field);
    if (has == *wanted) return;
    differing +=
        fmt::format("{}{} was set to {} but reads {}", differing.empty() ? "" : "; ", name, *wanted, has);
  };
  auto const as = [](std::optional<double> value, int (*convert)(double)) {
    return value ? std::optional(convert(*value)) : std::nullopt;
  };
  compare("REVCOUNT", options_.rev_count, &arcos::Config::rev_count);
  compare("DRIFTFACTOR", options_.drift_factor, &arcos::Config::drift_factor);
  compare("TICKSMM", options_.ticks_mm, &arcos::Config::ticks_mm);
  compare("SETV", as(options_.speed, millimetres), &arcos::Config::trans_vel_max);
  compare("SETRV", as(options_.turn, whole_degrees), &arcos::Config::rot_vel_max);
  compare("SETA", as(options_.acceleration, millimetres), &arcos::Config::trans_acc);
  compare("SETA -", as(options_.deceleration, millimetres), &arcos::Config::trans_decel);
  compare("SETRA", as(options_.turn_acceleration, whole_degrees), &arcos::Config::rot_acc);
  compare("SETRA -", as(options_.turn_deceleration, whole_degrees), &arcos::Config::rot_decel);
  return differing.empty() ? differing : "the controller did not take every setting: " + differing;
}

}  // namespace cy
