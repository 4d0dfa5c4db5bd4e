// Time, faults and the way out of a simulated Pioneer controller.
#include <cy/controllers/arcos_controller.hpp>

#include "arcos_machine.hpp"
#include <algorithm>

namespace cy::sim {
namespace {

// GUESS: how long the controller waits for the rest of a packet; ARIA uses this for itself.
constexpr Duration packet_patience = 100ms;
// A host that slept longer than this does not make up for it.
constexpr Duration catch_up_limit = 60s;

}  // namespace

std::optional<Generation> generation_of(std::string_view sub_type) {
  for (auto const generation : {Generation::h8, Generation::sh2}) {
    if (sub_type == sub_type_of(generation)) return generation;
  }
  return {};
}

ArcosController::Machine::Machine(World& w, Pose2 start, ArcosOptions o, Seed seed, Time now)
    : world{w},
      options{std::move(o)},
      home{start},
      started{now},
      random{seed},
      body{w, start, options, Seed{random.next()}},
      sonar{options.rear_sonar},
      session{fresh_session(options.flash)},
      at{now},
      called{now},
      next_step{now + servo_cycle} {
  apply_session();
  for (auto const& fault : options.faults) add_fault(fault, now);
  if (fault(FaultKind::stale_session) != nullptr) open_session("left open by an earlier client");
}

// --- time -----------------------------------------------------------------------------------

bool ArcosController::Machine::stepping() const {
  return phase == Phase::open || motors || !body.resting() || body.motion.commanded() != Twist{};
}

std::optional<Time> ArcosController::Machine::watchdog_at() const {
  if (phase != Phase::open || watchdog_tripped || options.flash.watchdog == 0) return {};
  return session.last_packet + std::chrono::milliseconds{options.flash.watchdog};
}

std::optional<Time> ArcosController::Machine::deadline() const {
  std::optional<Time> first;
  auto const consider = [&first](std::optional<Time> time) {
    if (time && (!first || *time < *first)) first = time;
  };
  if (stepping()) consider(next_step);
  if (phase == Phase::open) {
    consider(session.next_sip);
    consider(sonar.deadline());
    consider(watchdog_at());
  }
  if (!fault_edges.empty()) consider(fault_edges.front());
  if (!delayed.empty()) consider(delayed.front().due);
  consider(give_up_at);
  return first;
}

void ArcosController::Machine::advance(Time now) {
  called = now;
  if (now - at > catch_up_limit) {
    // Everything that was due lies in the gap; go on from its end.
    auto const gap = now - at - catch_up_limit;
    at += gap;
    next_step += gap;
    session.next_sip += gap;
    session.next_gyro += gap;
    if (sonar.deadline()) sonar.postpone(gap);
  }
  for (auto next = deadline(); next && *next <= now; next = deadline()) {
    at = std::max(at, *next);
    if (!fault_edges.empty() && fault_edges.front() <= at) {
      meet_fault_edge();
    } else if (stepping() && next_step <= at) {
      step();
    } else if (auto const watchdog = watchdog_at(); watchdog && *watchdog <= at) {
      check_watchdog();
    } else if (phase == Phase::open && sonar.deadline() && *sonar.deadline() <= at) {
      fire_sonar();
    } else if (phase == Phase::open && session.next_sip <= at) {
      session.next_sip += std::chrono::milliseconds{options.flash.sip_cycle};
      send_cycle();
    } else if (!delayed.empty() && delayed.front().due <= at) {
      auto bytes = std::move(delayed.front().bytes);
      delayed.pop_front();
      leave(std::move(bytes));
    } else if (give_up_at && *give_up_at <= at) {
      give_up_at.reset();
      for (auto const& payload : framer.give_up()) on_packet(payload);
      if (framer.pending() > 0) give_up_at = at + packet_patience;
    }
  }
  at = std::max(at, now);
  if (!stepping() && next_step <= at) next_step = at + servo_cycle;
}

void ArcosController::Machine::step() {
  next_step += servo_cycle;
  body.step(at);
  if (body.motion.estopping() != was_estopping) {
    was_estopping = !was_estopping;
    trace("e_stop", was_estopping ? "braking" : "over", was_estopping ? "E_STOP" : "at rest");
  }
  auto const stalled = body.left_stalled() || body.right_stalled();
  if (stalled != was_stalled) {
    was_stalled = stalled;
    trace("stall",
          !stalled                                      ? "none"
          : body.left_stalled() && body.right_stalled() ? "both"
          : body.left_stalled()                         ? "left"
                                                        : "right",
          "wheels");
  }
  auto const moving = !body.resting();
  if (moving != was_moving) {
    was_moving = moving;
    trace("motion", moving ? "moving" : "resting", "true speed");
  }
  if (options.trace_speed && (moving || body.motion.commanded() != Twist{})) {
    effects.emplace_back(TraceEntry{at, TrueSpeed{body.pose(), body.true_speed()}});
  }
  if (session.gyro && phase == Phase::open) {
    for (; session.next_gyro <= at; session.next_gyro += 25ms) {
      // ARIA: rate = -(raw - 512) * 5 / 1023 * 300 / 2.5 * 1.626 deg/s, 25 ms a sample.
      auto const noise = world.profile() == Profile::real ? random.normal(0.0, 0.7) : 0.0;
      auto const raw = 512.0 + noise - degrees(body.true_speed().angular) / (5.0 / 1023.0 * 120.0 * 1.626);
      session.gyro_samples.push_back({static_cast<std::int16_t>(std::clamp(raw, 0.0, 1023.0) + 0.5), 25});
    }
  }
}

void ArcosController::Machine::fire_sonar() {
  for (auto const disc : sonar.fire()) {
    if (disc >= disc_count) continue;
    auto const& place = discs[disc];
    auto const range = body.sonar({place.x / 1000.0, place.y / 1000.0, radians(place.yaw)}, random);
    sonar.heard(disc, static_cast<std::uint16_t>(std::clamp(range * 1000.0 + 0.5, 0.0, 5000.0)));
  }
}

void ArcosController::Machine::check_watchdog() {
  watchdog_tripped = true;
  trace("watchdog", options.lenient ? "warned" : "tripped", "no packet");
  hold();
}

// --- faults -----------------------------------------------------------------------------------

FaultOrder const* ArcosController::Machine::fault(FaultKind kind) const {
  for (auto const& order : faults) {
    if (order.kind == kind && order.holds(at - started)) return &order;
  }
  return nullptr;
}

void ArcosController::Machine::add_fault(FaultOrder order, Time now) {
  order.from += now - started;
  faults.push_back(order);
  auto const edge = [this](Time time) {
    fault_edges.insert(std::upper_bound(fault_edges.begin(), fault_edges.end(), time), time);
  };
  edge(started + order.from);
  if (order.length) edge(started + order.from + *order.length);
}

void ArcosController::Machine::meet_fault_edge() {
  auto const edge = fault_edges.front();
  fault_edges.erase(fault_edges.begin());
  press(fault(FaultKind::estop) != nullptr);
  body.charging = fault(FaultKind::charger) != nullptr;
  for (auto const& order : faults) {
    if (order.kind == FaultKind::reset && started + order.from == edge) restart("fault order");
  }
}

// Maker's manual, STOP button: stall and motors off, ENABLE 1 needed afterwards. GUESS: with
// E_STALL 0 the button only takes the power away while it is pressed.
void ArcosController::Machine::press(bool pressed) {
  if (pressed == button) return;
  button = pressed;
  trace("button", pressed ? "pressed" : "released", "STOP button");
  if (pressed && session.e_stall) enable(false, "STOP button");
  hold();
}

void ArcosController::Machine::hold() {
  body.motion.hold((watchdog_tripped && !options.lenient) || button);
}

// --- out -----------------------------------------------------------------------------------

void ArcosController::Machine::send(Buffer bytes) {
  leave(std::move(bytes));
}

void ArcosController::Machine::send_late(Buffer bytes) {
  auto const* late = fault(FaultKind::late);
  if (late == nullptr && delayed.empty()) return leave(std::move(bytes));
  auto const due = at + (late != nullptr ? late->delay : Duration{});
  delayed.push_back({delayed.empty() ? due : std::max(due, delayed.back().due), std::move(bytes)});
}

void ArcosController::Machine::leave(Buffer bytes) {
  if (!connected || bytes.empty() || fault(FaultKind::silent) != nullptr) return;
  if (auto const* bad = fault(FaultKind::badsum); bad != nullptr && random.chance(bad->chance)) {
    bytes.back() = static_cast<std::uint8_t>(bytes.back() ^ (1 + random.below(255)));
  }
  if (auto const* stray = fault(FaultKind::stray); stray != nullptr && random.chance(stray->chance)) {
    Buffer noise(1 + random.below(4));
    // Header bytes are the noise that hurts.
    for (auto& byte : noise)
      byte = static_cast<std::uint8_t>(random.chance(0.5) ? 0xfa + random.below(2) : random.below(256));
    bytes.insert(bytes.begin(), noise.begin(), noise.end());
  }
  effects.emplace_back(TraceEntry{called, BytesOut{bytes}});
  effects.emplace_back(ControllerSend{std::move(bytes)});
}

void ArcosController::Machine::trace(std::string_view what, std::string_view to, std::string_view why) {
  effects.emplace_back(TraceEntry{at, Changed{what, to, why}});
}

// --- the public face ----------------------------------------------------------------------------

ArcosController::ArcosController(World& world, Pose2 start, ArcosOptions options, Seed seed, Time now)
    : machine_{std::make_unique<Machine>(world, start, std::move(options), seed, now)} {}
ArcosController::~ArcosController() = default;
ArcosController::ArcosController(ArcosController&&) noexcept = default;

void ArcosController::on_connected(Time now) {
  auto& m = *machine_;
  m.advance(now);
  m.connected = true;
  m.maintenance = false;
  m.framer.reset();
  m.give_up_at.reset();
  m.trace("line", "connected", "client");
}

void ArcosController::on_disconnected(Time now) {
  auto& m = *machine_;
  m.advance(now);
  m.connected = false;
  m.trace("line", "disconnected", "client");
  // A controller does not see who listens at the other end of its serial line: the session goes
  // on, and the watchdog stops the motion. AMRISim ends it.
  if (m.options.lenient) m.close_session("connection lost");
}

void ArcosController::on_bytes(Bytes bytes, Time now) {
  auto& m = *machine_;
  m.advance(now);
  m.effects.emplace_back(TraceEntry{now, BytesIn{copy_of(bytes)}});
  if (m.maintenance || m.fault(FaultKind::deaf) != nullptr) return;
  for (auto const& payload : m.framer.feed(bytes)) m.on_packet(payload);
  m.give_up_at.reset();
  if (m.framer.pending() > 0) m.give_up_at = now + packet_patience;
}

void ArcosController::on_time(Time now) {
  machine_->advance(now);
}

std::optional<Time> ArcosController::deadline() const {
  return machine_->deadline();
}

std::vector<ControllerEffect> ArcosController::drain() {
  return std::exchange(machine_->effects, {});
}

void ArcosController::order(FaultOrder fault, Time now) {
  machine_->advance(now);
  machine_->add_fault(fault, now);
}

BodyId ArcosController::body() const {
  return machine_->body.id();
}
Pose2 ArcosController::pose() const {
  return machine_->body.pose();
}
Twist ArcosController::speed() const {
  return machine_->body.true_speed();
}

}  // namespace cy::sim
