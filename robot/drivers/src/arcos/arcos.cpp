// The connection: from no channel to a controller that reports, and back.
#include "arcos.hpp"

#include "parts.hpp"

namespace cy {

using arcos::Order;

Arcos::Arcos(DriverConfig config, arcos::Options options)
    : config_(std::move(config)), options_(options), baud_(config_.baud) {}

// ---- calls from the host -------------------------------------------------------------------

void Arcos::start(Time now) {
  describe();
  open(now);
  after(now);
}

void Arcos::on_opened(Channel channel, Time now) {
  if (channel != channel_ || !std::holds_alternative<Opening>(state_)) return;
  channel_open_ = true;
  framer_.reset();
  greet(now);
  after(now);
}

void Arcos::on_closed(Channel channel, std::string_view why, Time now) {
  if (channel != channel_ || ended_) return;
  auto const opening = std::holds_alternative<Opening>(state_);
  if (!channel_open_ && !opening) return;
  channel_open_ = false;
  if (std::holds_alternative<Closing>(state_)) {
    ended_ = true;
    become(Closed{}, "", "", now);
  } else if (opening) {
    fail(
        "channel",
        fmt::format("{} does not open: {}. Is the robot on and reachable, and does no other program hold it?",
                    config_.address, why),
        now);
  } else {
    fail(std::string(step_), fmt::format("{} has ended: {}", config_.address, why), now);
  }
  after(now);
}

void Arcos::on_bytes(Channel channel, Bytes bytes, Time now) {
  if (channel != channel_ || !channel_open_) return;
  before(now);
  last_byte_ = now;
  for (auto const& payload : framer_.feed(bytes)) {
    if (!channel_open_) break;  // an earlier packet ended the connection
    on_packet(payload, now);
  }
  after(now);
}

void Arcos::on_time(Time now) {
  if (ended_) return;
  before(now);
  if (channel_open_ && framer_.pending() > 0 && now >= last_byte_ + frame_patience) {
    for (auto const& payload : framer_.give_up())
      if (channel_open_) on_packet(payload, now);
    last_byte_ = now;  // what is still held gets its own time
  }
  if (auto const* waiting = std::get_if<Waiting>(&state_)) {
    if (now >= waiting->until) open(now);
  } else if (auto* greeting = std::get_if<Greeting>(&state_)) {
    greeting->handshake.on_time(now);
    greet(now);
  } else if (std::holds_alternative<Configuring>(state_)) {
    configure(now);
  }
  if (online()) {
    keep_stopping(now);
    watch_motors(now);
    watch_motion(now);
  }
  if (std::holds_alternative<Closing>(state_)) close_in_order(now);
  after(now);
}

std::optional<Time> Arcos::deadline() const {
  if (ended_) return std::nullopt;
  std::optional<Time> first;
  auto const at = [&](std::optional<Time> t) {
    if (t && (!first || *t < *first)) first = t;
  };
  at(device_due_);
  if (channel_open_) at(outbox_.due());
  if (channel_open_ && framer_.pending() > 0) at(last_byte_ + frame_patience);
  if (auto const* waiting = std::get_if<Waiting>(&state_)) at(waiting->until);
  if (auto const* greeting = std::get_if<Greeting>(&state_)) at(greeting->handshake.deadline());
  if (auto const* configuring = std::get_if<Configuring>(&state_)) {
    at(configuring->due);
    if (configuring->step == Configuring::Step::config || configuring->step == Configuring::Step::read_back)
      at(configuring->ask);
  }
  if (auto const* closing = std::get_if<Closing>(&state_)) at(closing->due);
  if (online()) {
    if (outbox_.empty()) at(last_sent_ + keep_alive());
    if (live_) at(std::min(live_->until, live_->again));
    if (stopping_) at(stopping_->again);
    if (motors_asked_) at(std::min(motors_asked_->again, motors_asked_->until));
  }
  if (std::holds_alternative<Ready>(state_)) at(last_sip_ + (stale_ ? silence_lost : silence_stop));
  return first;
}

void Arcos::close(Time now) {
  if (ended_ || std::holds_alternative<Closing>(state_)) return;
  refuse_waiting(Refusal::not_ready);
  if (online()) {
    // As hard as it can: the process has a second. A robot that does not report is not waited for longer.
    stop(StopKind::category_1, now);
    become(Closing{Closing::Step::rest, now + close_patience}, "E_STOP", "", now);
  } else {
    if (channel_open_) {  // in the handshake: the controller may still be another client's
      transmit(arcos::encode(Order::stop), now);
      transmit(arcos::encode(Order::close, 1), now);
    }
    if (channel_open_ || std::holds_alternative<Opening>(state_)) effects_.push_back(driver::Close{channel_});
    channel_open_ = false;
    ended_ = true;
    become(Closed{}, "", "", now);
  }
  after(now);
}

void Arcos::close_in_order(Time now) {
  auto& closing = std::get<Closing>(state_);
  // At rest and without power, the stop is over.
  if (now < closing.due && !(closing.step == Closing::Step::rest && !stopping_)) return;
  switch (closing.step) {
    case Closing::Step::rest:
      stopping_.reset();
      outbox_.push_stop({Order::enable, arcos::encode(Order::enable, 0), {}});
      closing = {Closing::Step::power, now + 30ms};
      step_ = "ENABLE 0";
      return;
    case Closing::Step::power:
      if (!outbox_.empty()) {
        closing.due = now + 10ms;
        return;
      }
      // The motors get 100 ms to lose their power before the session ends (as ARIA does).
      closing = {Closing::Step::session, now + 100ms};
      step_ = "CLOSE";
      return;
    case Closing::Step::session:
      queue(Order::close, arcos::encode(Order::close, 1));
      closing = {Closing::Step::channel, now + 200ms};
      return;
    case Closing::Step::channel:
      effects_.push_back(driver::Close{channel_});
      channel_open_ = false;
      ended_ = true;
      become(Closed{}, "", "", now);
      return;
  }
}

void Arcos::drain(std::vector<driver::Effect>& into) {
  std::move(effects_.begin(), effects_.end(), std::back_inserter(into));
  effects_.clear();
}

// ---- every call begins and ends with these -------------------------------------------------

// Nobody called for so long that the controller's watchdog may soon run out or has: whatever is
// said next must be a stop.
void Arcos::before(Time now) {
  end_live(now);
  if (!online() || now - last_sent_ <= keep_alive() + watchdog() / 2) return;
  count("late calls");
  note(fmt::format("not called for {:.1f} s; stopping first", seconds(now - last_sent_)));
  halt(Refusal::stale_data, now);
}

void Arcos::after(Time now) {
  pump(now);
  report_device(now);
}

void Arcos::pump(Time now) {
  if (!channel_open_) return;
  while (auto item = outbox_.next(now)) {
    last_sent_ = now;
    effects_.push_back(driver::Transmit{channel_, std::move(item->bytes)});
    if (item->order == Order::enable && motors_asked_ && !motors_asked_->sent) motors_asked_->sent = now;
    if (item->order == Order::seto) odometry_.zeroed(now);
    if (item->id) applied(item->id);
  }
}

void Arcos::transmit(Buffer bytes, Time now) {
  outbox_.sent(bytes.size(), now);
  last_sent_ = now;
  effects_.push_back(driver::Transmit{channel_, std::move(bytes)});
}

void Arcos::queue(Order order, Buffer bytes, CommandId id) {
  outbox_.push({order, std::move(bytes), id});
}

// ---- states --------------------------------------------------------------------------------

DevicePhase Arcos::phase() const {
  static constexpr std::array phases{DevicePhase::closed,   DevicePhase::waiting,     DevicePhase::opening,
                                     DevicePhase::greeting, DevicePhase::configuring, DevicePhase::ready,
                                     DevicePhase::closing};
  return phases[state_.index()];
}

bool Arcos::online() const {
  if (auto const* configuring = std::get_if<Configuring>(&state_))
    return configuring->step != Configuring::Step::pause;
  if (auto const* closing = std::get_if<Closing>(&state_)) return closing->step == Closing::Step::rest;
  return std::holds_alternative<Ready>(state_);
}

void Arcos::become(State next, std::string step, std::string trouble, Time now) {
  state_ = std::move(next);
  step_ = std::move(step);
  trouble_ = std::move(trouble);
  device_due_ = now;
}

void Arcos::worry(Worry what, std::string text, Time now) {
  worry_ = what;
  trouble_ = std::move(text);
  device_due_ = now;
}

void Arcos::relieve(Worry what, Time now) {
  if (worry_ != what) return;
  worry_ = Worry::none;
  trouble_ = settings_trouble_;
  device_due_ = now;
}

void Arcos::open(Time now) {
  ++attempt_;
  baud_ = config_.baud;
  effects_.push_back(driver::Open{channel_, config_.address, baud_});
  become(Opening{}, "channel", trouble_, now);
}

// 1 s after the first failure, then twice as long each time.
Duration Arcos::pause() const {
  auto const doublings = std::min<std::uint32_t>(attempt_ > 0 ? attempt_ - 1 : 0, 5);
  return std::min<Duration>(retry_first * (1u << doublings), retry_last);
}

// The connection is over; says why, leaves the controller stopped as far as it can hear, tries again.
void Arcos::fail(std::string step, std::string trouble, Time now) {
  refuse_waiting(Refusal::link_lost);
  if (channel_open_) {
    transmit(arcos::encode(Order::stop), now);
    transmit(arcos::encode(Order::close, 1), now);
    effects_.push_back(driver::Close{channel_});
    channel_open_ = false;
  }
  framer_.reset();
  live_.reset();
  stopping_.reset();
  motors_asked_.reset();
  motors_on_ = stale_ = sip_seen_ = false;
  greet_with_ = arcos::Handshake::First::stop;
  count("connections lost");
  become(Waiting{now + pause()}, std::move(step), std::move(trouble), now);
}

// Carries out what the handshake wants; begins it on a fresh channel.
void Arcos::greet(Time now) {
  if (std::holds_alternative<Opening>(state_)) {
    outbox_.clear();
    outbox_.set_baud(baud_);
    become(Greeting{arcos::Handshake(baud_)}, "SYNC0", trouble_, now);
    std::get<Greeting>(state_).handshake.start(std::exchange(greet_with_, arcos::Handshake::First::stop),
                                               now);
  }
  auto& handshake = std::get<Greeting>(state_).handshake;
  for (auto& effect : handshake.drain()) {
    if (auto* send = std::get_if<arcos::Handshake::Send>(&effect)) {
      transmit(std::move(send->bytes), now);
    } else if (auto const* use = std::get_if<arcos::Handshake::UseBaud>(&effect)) {
      baud_ = use->baud;
      outbox_.set_baud(baud_);
      framer_.reset();
      effects_.push_back(driver::SetBaud{channel_, baud_});
    } else if (auto const* remark = std::get_if<arcos::Handshake::Remark>(&effect)) {
      note(remark->text);
    } else if (auto const* done = std::get_if<arcos::Handshake::Done>(&effect)) {
      return begin_session(arcos::Identity(done->identity), now);
    } else if (auto const* failed = std::get_if<arcos::Handshake::Failed>(&effect)) {
      auto const strays = framer_.counts().stray;
      auto const hint = strays > 0
                            ? fmt::format(" ({} bytes came that make no packet: another baud?)", strays)
                            : std::string();
      return fail(failed->step,
                  fmt::format("{}{} at {}. Is the robot switched on, the line the right one, and no other "
                              "program using it?",
                              failed->what, hint, config_.address),
                  now);
    } else if (std::holds_alternative<arcos::Handshake::Reopen>(effect)) {
      attempt_ = 1;  // somebody is there: no need to wait for long
      fail("SYNC0", "the STOP before SYNC0 was taken for a SYNC, as simulators do; once more without it",
           now);
      greet_with_ = arcos::Handshake::First::sync;
      return;
    }
  }
  if (step_ != handshake.step()) {
    step_ = handshake.step();
    device_due_ = device_due_.value_or(now + 1s);
  }
}

void Arcos::begin_session(arcos::Identity const& identity, Time now) {
  identity_ = identity;
  generation_ = arcos::find_generation(identity.sub_type);
  if (!generation_) {
    generation_ = options_.parameters;
    if (!generation_) {
      fail("SYNC2",
           fmt::format(
               "the robot calls itself {} of class {}, sub-class \"{}\", which this driver has no numbers "
               "for; set parameters = p3dx or parameters = p3dx-sh in its configuration",
               identity.name, identity.type, identity.sub_type),
           now);
      return;
    }
    note(fmt::format("sub-class \"{}\" is unknown; taken as {} as configured", identity.sub_type,
                     generation_->sub_type));
  } else if (options_.parameters && options_.parameters != generation_) {
    note(fmt::format("configured as {}, but the robot says that it is {}; that counts",
                     options_.parameters->sub_type, generation_->sub_type));
  }
  settings_.reset();
  settings_trouble_.clear();
  worry_ = Worry::none;
  sip_seen_ = stale_ = false;
  motors_on_ = stop_button_ = false;
  moving_ = false;
  at_rest_ = true;
  heard_at_ = {};
  sonar_enabled_at_.reset();
  encoder_.reset();
  charge_fraction_.reset();
  odometry_.rebase();
  // One cycle between the answer to SYNC2 and OPEN, as ARIA leaves.
  become(Configuring{Configuring::Step::pause, now, now + 100ms, now}, "OPEN", "", now);
}

void Arcos::ready(Time now) {
  attempt_ = 0;
  last_sip_ = now;
  auto const trouble = trouble_;
  become(Ready{}, "", trouble, now);
  describe();
}

Result<std::unique_ptr<Driver>> make_arcos(DriverConfig const& config) {
  auto const serial = config.address.starts_with("serial:");
  if (!serial && !config.address.starts_with("tcp:"))
    return fault("arcos: address \"{}\": say tcp:HOST:PORT or serial:/dev/…", config.address);
  auto options = arcos::parse_options(config.options);
  if (!options) return tl::unexpected(options.error());
  auto adjusted = config;
  if (!serial)
    adjusted.baud = 0;
  else if (adjusted.baud == 0)
    adjusted.baud = 9600;
  if (adjusted.name.empty()) adjusted.name = "arcos";
  return std::make_unique<Arcos>(std::move(adjusted), *options);
}

}  // namespace cy
