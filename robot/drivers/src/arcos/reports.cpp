// What the controller says, in the robot model's terms.
#include "arcos.hpp"
#include "parts.hpp"
#include <cmath>

namespace cy {

namespace part = arcos::part;

void Arcos::on_packet(Bytes payload, Time now) {
  if (auto* greeting = std::get_if<Greeting>(&state_)) {
    greeting->handshake.on_packet(payload, now);
    return greet(now);
  }
  if (!online()) return;
  if (auto* configuring = std::get_if<Configuring>(&state_);
      configuring && configuring->step == Configuring::Step::baud_heard)
    settle(now);  // any packet shows that the new baud works

  auto const take = [&](auto const& decoded, auto&& use) {
    if (decoded)
      use(*decoded);
    else
      count("malformed packets");
  };
  auto const id = payload[0];
  if (arcos::is_sip(id)) {
    take(arcos::decode_sip(payload), [&](auto const& sip) { on_sip(sip, now); });
  } else if (arcos::is_reset(id) && payload.size() == 1) {
    fail("session", "the controller was reset (by its button, or by losing power)", now);
  } else if (id == arcos::packet::config) {
    take(arcos::decode_config(payload), [&](auto const& settings) {
      settings_ = settings;
      if (std::holds_alternative<Configuring>(state_)) configure(now);
    });
  } else if (id == arcos::packet::battery) {
    take(arcos::decode_battery(payload), [&](auto const& battery) { on_battery(battery); });
  } else if (id == arcos::packet::encoder) {
    take(arcos::decode_encoder(payload), [&](auto const& encoder) { report_encoder(encoder); });
  } else if (id == arcos::packet::gyro) {
    take(arcos::decode_gyro(payload), [&](auto const& gyro) { report_gyro(gyro); });
  } else if (id == arcos::packet::io) {
    take(arcos::decode_io(payload), [&](auto const& io) { report_io(io); });
  } else {
    count("packets of other kinds");
  }
}

void Arcos::on_sip(arcos::Sip const& sip, Time now) {
  auto const ready_before = std::holds_alternative<Ready>(state_);
  if (ready_before && (stale_ || now - last_sip_ > silence_stop)) {
    // Reports are back. What the controller was last told may be old, or lost.
    if (!stale_) count("report gaps");
    note(fmt::format("reports are back after {:.1f} s", seconds(now - last_sip_)));
    stale_ = false;
    relieve(Worry::reports, now);
    halt(Refusal::stale_data, now);
  }
  last_sip_ = now;
  sip_seen_ = true;

  stop_button_ = (sip.flags & (arcos::Sip::stop_button | arcos::Sip::e_stall)) != 0;
  moving_ = sip.moving || sip.left != 0 || sip.right != 0;
  at_rest_ = std::abs(sip.left) <= rest_speed && std::abs(sip.right) <= rest_speed;
  motors_changed((sip.flags & arcos::Sip::motors_on) != 0, now);
  if (at_rest_ && !motors_on_) relieve(Worry::stopping, now);
  odometry_.update(sip, *generation_, now);
  if (auto const* configuring = std::get_if<Configuring>(&state_);
      configuring && configuring->step == Configuring::Step::sip)
    ready(now);
  if (!std::holds_alternative<Ready>(state_)) return;

  BaseState base;
  base.pose = odometry_.pose();
  base.odometry_epoch = odometry_.epoch();
  base.wheel_left = sip.left / 1000.0;
  base.wheel_right = sip.right / 1000.0;
  base.twist.linear = (base.wheel_left + base.wheel_right) / 2.0;
  base.twist.angular = generation_->wheel_factor * (sip.right - sip.left) / 2.0;
  base.motors = motors_on_;
  base.moving = moving_;
  base.stall_left = (sip.stall_rear & 1) != 0;
  base.stall_right = (sip.stall_front & 1) != 0;
  base.stop_button = stop_button_;
  observed(part::base, base);
  report_sonars(sip, now);
  report_bumpers(sip);
  report_power(sip);
  // A robot without a compass reports 0 for ever; a state is given once there was another value.
  compass_seen_ = compass_seen_ || sip.compass != 0;
  if (compass_seen_) {
    // Compasses count clockwise, in units of 2 degrees.
    observed(part::compass, CompassState{normalised(-radians(2.0 * sip.compass))});
  }
  if (!options_.io && sip.digital_out) {
    IoState io{{*sip.digital_in}, {*sip.digital_out}, {static_cast<float>(*sip.analog * 5.0 / 255.0)}};
    observed(part::io, io);
  }
  effects_.push_back(driver::Reported{config_.first_robot});
}

void Arcos::report_sonars(arcos::Sip const& sip, Time now) {
  auto const on = (sip.flags & arcos::Sip::sonar_on) != 0;
  if (!on)
    sonar_enabled_at_.reset();
  else if (!sonar_enabled_at_)
    sonar_enabled_at_ = now;
  for (auto const& reading : sip.sonars) {
    if (reading.disc >= arcos::sonar_count) {
      count("readings of sonars that a P3-DX lacks");
      continue;
    }
    heard_at_[reading.disc] = now;
    ranges_[reading.disc] = reading.range;
  }
  auto newest = sonar_enabled_at_;
  SonarState state;
  state.enabled = on;
  state.discs.reserve(arcos::sonar_count);
  for (std::size_t i = 0; i < arcos::sonar_count; ++i) {
    if (!sonar_present(i)) continue;
    SonarDisc disc;
    disc.range = arcos::sonar_nothing / 1000.0f;
    disc.age_ms = SonarDisc::never;
    if (auto const& at = heard_at_[i]) {
      if (!newest || *at > *newest) newest = at;
      disc.heard = ranges_[i] < arcos::sonar_nothing;
      if (disc.heard) disc.range = static_cast<float>(ranges_[i]) / 1000.0f;
      disc.age_ms = static_cast<std::uint32_t>(
          std::min(milliseconds(now - *at), static_cast<double>(SonarDisc::never - 1)));
    }
    state.discs.push_back(disc);
  }
  state.silent = on && now - *newest > sonar_patience;
  if (state.silent && !sonar_silent_)
    note(
        "the sonars are on, but none has reported for 2 s (their polling string may be "
        "empty in the controller's FLASH)");
  sonar_silent_ = state.silent;
  observed(part::sonar, state);
}

// A controller that tells of none of its arrays is an old one that has them all.
bool Arcos::sonar_present(std::size_t disc) const {
  if (!settings_ || !settings_->has(&arcos::Config::rear_sonar)) return true;
  return disc < 8 ? settings_->front_sonar != 0 : settings_->rear_sonar != 0;
}

unsigned Arcos::front_bumpers() const {
  if (!settings_ || !settings_->has(&arcos::Config::rear_bumps)) return 5;
  return std::min<unsigned>(settings_->front_bumps, 7);
}
unsigned Arcos::rear_bumpers() const {
  if (!settings_ || !settings_->has(&arcos::Config::rear_bumps)) return 5;
  return std::min<unsigned>(settings_->rear_bumps, 7);
}

void Arcos::report_bumpers(arcos::Sip const& sip) {
  auto const front = front_bumpers(), rear = rear_bumpers();
  if (front + rear == 0) return;
  auto const segments = [](std::uint8_t byte, unsigned count) {
    return (static_cast<unsigned>(byte) >> 1) & ((1u << count) - 1);
  };
  observed(part::bumper,
           BumperState{segments(sip.stall_front, front) | (segments(sip.stall_rear, rear) << front)});
}

void Arcos::report_power(arcos::Sip const& sip) {
  PowerState power;
  auto const tenths = sip.battery_x10 && *sip.battery_x10 > 0 ? int{*sip.battery_x10} : int{sip.battery};
  if (tenths > 0) power.voltage = tenths / 10.0;
  if (sip.state_of_charge && *sip.state_of_charge > 0)
    power.fraction = std::min<int>(*sip.state_of_charge, 100) / 100.0;
  else
    power.fraction = charge_fraction_;
  if (sip.charge && *sip.charge <= 4) power.charge = static_cast<Charge>(*sip.charge + 1);
  if (settings_ && settings_->low_battery > 0 && power.voltage) power.low = tenths < settings_->low_battery;
  if (settings_ && settings_->soc_low > 0 && power.fraction)
    power.low = power.low || *power.fraction * 100.0 < settings_->soc_low;
  if (sip.temperature && *sip.temperature > -127) power.temperature = *sip.temperature;
  observed(part::power, power);
}

// The mean over the batteries that say how full they are; 0 says nothing, as in the SIP.
void Arcos::on_battery(arcos::Battery const& battery) {
  auto sum = 0.0;
  auto known = 0;
  for (auto const& one : battery.batteries) {
    if (one.size() < 4 || one[3] == 0 || one[3] > 100) continue;
    sum += one[3];
    ++known;
  }
  if (known > 0) charge_fraction_ = sum / known / 100.0;
}

// The converter counts 10 bits over 5 V.
void Arcos::report_io(arcos::Io const& io) {
  IoState state{io.inputs, io.outputs, {}};
  for (auto const value : io.analog) state.analog.push_back(static_cast<float>(value * 5.0 / 1023.0));
  observed(part::io, state);
}

// 10 bits over 5 V, 2.5 V for 300 deg/s, scaled as the parameter files say; counting clockwise. Where
// it stands still is learnt while the wheels do.
void Arcos::report_gyro(arcos::Gyro const& gyro) {
  if (gyro.samples.empty() || !generation_) return;
  auto sum = 0.0;
  for (auto const& sample : gyro.samples) sum += sample.rate;
  auto const mean = sum / static_cast<double>(gyro.samples.size());
  if (!moving_ && std::abs(mean - gyro_zero_) < 5.0) gyro_zero_ += 0.05 * (mean - gyro_zero_);
  GyroState state;
  state.rate = -radians((mean - gyro_zero_) * 5.0 / 1023.0 * 300.0 / 2.5 * generation_->gyro_scale);
  state.temperature = gyro.samples.back().temperature;
  observed(part::gyro, state);
}

void Arcos::report_encoder(arcos::Encoder const& encoder) {
  auto const step = [](std::int32_t now, std::int32_t before) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(now) - static_cast<std::uint32_t>(before));
  };
  if (encoder_) {
    encoder_total_.left += step(encoder.left, encoder_->left);
    encoder_total_.right += step(encoder.right, encoder_->right);
  }
  encoder_ = encoder;
  observed(part::encoder, encoder_total_);
}

// ---- what the robot is ---------------------------------------------------------------------

BaseLimits Arcos::limits() const {
  auto const pick = [](std::optional<double> configured, double told, double fallback, double most) {
    auto value = told > 0.0 ? told : fallback;
    if (configured) value = told > 0.0 ? std::min(*configured, told) : *configured;
    return std::min(value, most);
  };
  constexpr auto unknown = 0.0;  // whoever reckons with it takes the worst
  auto const s = settings_.value_or(arcos::Config{});
  auto const turn_told = radians(s.rot_vel_max);
  BaseLimits limits;
  limits.linear = pick(options_.speed, s.trans_vel_max / 1000.0, arcos::speed_max, arcos::speed_max);
  limits.angular = pick(options_.turn, turn_told, arcos::turn_max, arcos::turn_max);
  limits.linear_acceleration = pick(options_.acceleration, s.trans_acc / 1000.0, unknown, 20.0);
  limits.linear_deceleration = pick(options_.deceleration, s.trans_decel / 1000.0, unknown, 20.0);
  limits.angular_acceleration = pick(options_.turn_acceleration, radians(s.rot_acc), unknown, 100.0);
  limits.angular_deceleration = pick(options_.turn_deceleration, radians(s.rot_decel), unknown, 100.0);
  return limits;
}

void Arcos::describe() {
  RobotInfo robot;
  robot.id = config_.first_robot;
  robot.device = config_.device;
  robot.name = config_.name;
  robot.kind = "mobile";
  robot.model = generation_ ? std::string(generation_->model) : "Pioneer P3-DX";
  if (settings_) robot.serial = settings_->serial;
  robot.footprint = arcos::footprint;
  robot.limits = limits();

  robot.parts.push_back({part::base, PartKind::base, "base"});
  PartInfo sonar{part::sonar, PartKind::sonar, "sonar"};
  sonar.range_max = arcos::sonar_nothing / 1000.0;
  for (std::size_t i = 0; i < arcos::sonar_count; ++i) {
    if (!sonar_present(i)) continue;
    auto const& pose = arcos::sonar_poses[i];
    sonar.elements.push_back(
        {pose.x / 1000.0, pose.y / 1000.0, arcos::sonar_height, 0.0, 0.0, radians(pose.degrees)});
  }
  if (!sonar.elements.empty()) robot.parts.push_back(std::move(sonar));

  // Where the segments sit on the outline is not in any table; they are spread over it evenly.
  PartInfo bumper{part::bumper, PartKind::bumper, "bumpers"};
  auto const segment = [&](unsigned i, unsigned count, double reach, double middle) {
    auto const yaw = normalised(middle + radians(60.0) - radians(120.0) * (i + 0.5) / count);
    bumper.elements.push_back({reach * std::cos(yaw), reach * std::sin(yaw), 0.1, 0.0, 0.0, yaw});
  };
  for (unsigned i = 0; i < front_bumpers(); ++i) segment(i, front_bumpers(), arcos::footprint.front, 0.0);
  for (unsigned i = 0; i < rear_bumpers(); ++i) segment(i, rear_bumpers(), arcos::footprint.rear, pi);
  if (!bumper.elements.empty()) robot.parts.push_back(std::move(bumper));

  robot.parts.push_back({part::compass, PartKind::compass, "compass"});
  if (options_.gyro) robot.parts.push_back({part::gyro, PartKind::gyro, "gyro"});
  robot.parts.push_back({part::power, PartKind::power, "battery"});
  robot.parts.push_back({part::io, PartKind::io, "user I/O"});
  if (options_.encoder) robot.parts.push_back({part::encoder, PartKind::encoder, "wheel encoders"});
  effects_.push_back(driver::Described{{std::move(robot)}});
}

// ---- how the device stands -----------------------------------------------------------------

DeviceState Arcos::device_state() const {
  DeviceState state;
  state.device = config_.device;
  state.phase = phase();
  state.step = step_;
  state.trouble = trouble_;
  state.attempt = attempt_;
  if (settings_) state.watchdog = settings_->watchdog / 1000.0;
  auto const& framed = framer_.counts();
  auto const add = [&](std::string_view reason, std::uint64_t n) {
    if (n > 0) state.counters.push_back({std::string(reason), n});
  };
  add("packets", framed.good);
  add("bad checksum", framed.bad_checksum);
  add("bad length", framed.bad_length);
  add("stray bytes", framed.stray);
  add("frames given up", framed.stalled);
  add("odometry jumps", odometry_.jumps());
  for (auto const& [reason, n] : counters_) add(reason, n);
  return state;
}

// On every change of phase or trouble at once, else once a second while the counters move.
void Arcos::report_device(Time now) {
  if (device_due_ && now >= *device_due_) {
    device_due_.reset();
    auto state = device_state();
    if (wire::size_of(state) != wire::size_of(device_sent_) ||
        wire::encoded(state) != wire::encoded(device_sent_)) {
      device_sent_ = state;
      device_sent_at_ = now;
      effects_.push_back(driver::DeviceChanged{std::move(state)});
    }
  }
  if (!device_due_ && std::holds_alternative<Ready>(state_))
    device_due_ = std::max(now, device_sent_at_) + 1s;
}

}  // namespace cy
