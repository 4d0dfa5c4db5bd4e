// From a silent line to an open session and back.
#include "arcos_machine.hpp"

namespace cy::sim {

using arcos::Order;

std::string_view name_of(Phase phase) {
  switch (phase) {
    case Phase::no_sync:
      return "no_sync";
    case Phase::synced0:
      return "synced0";
    case Phase::synced1:
      return "synced1";
    case Phase::ready:
      return "ready";
    case Phase::open:
      return "open";
  }
  return "?";
}

void ArcosController::Machine::become(Phase next, std::string_view why) {
  if (next == phase) return;
  phase = next;
  trace("session", name_of(next), why);
}

void ArcosController::Machine::on_packet(Bytes payload) {
  if (payload.empty() || maintenance) return;
  if (phase != Phase::open) return on_handshake(payload[0]);

  // Maker's manual, watchdog: any packet ends its stop, and the last set-points are resumed.
  session.last_packet = at;
  if (watchdog_tripped) {
    watchdog_tripped = false;
    hold();
    trace("watchdog", "lifted", body.motion.wants_motion() ? "packet; set-points resumed" : "packet");
  }
  if (on_simulator_order(payload)) return;
  if (auto const command = arcos::decode_command(payload)) on_order(*command);
}

// Maker's manual, connecting: 0, 1, 2 in this order, each answered; anything else starts over.
// AMRISim answers whatever comes with its own number.
void ArcosController::Machine::on_handshake(std::uint8_t id) {
  auto const echo = [&] { send(arcos::frame(Bytes{&id, 1})); };
  if (phase == Phase::ready) {
    // The same numbers mean PULSE, OPEN and CLOSE from here.
    if (id == static_cast<std::uint8_t>(Order::open)) open_session("OPEN");
    if (id == static_cast<std::uint8_t>(Order::close)) close_session("CLOSE");
    return;
  }
  auto const expected = static_cast<std::uint8_t>(phase);
  if (id != expected && (id == 0 || !options.lenient)) {
    become(Phase::no_sync, "sync out of order");
    if (id != 0) return;
  }
  switch (phase) {
    case Phase::no_sync:
      echo();
      become(Phase::synced0, "SYNC0");
      return;
    case Phase::synced0:
      echo();
      become(Phase::synced1, "SYNC1");
      return;
    default:
      send(arcos::encode(
          arcos::Identity{options.flash.name, "Pioneer", std::string{sub_type_of(options.generation)}}));
      become(Phase::ready, "SYNC2");
  }
}

// Maker's manual, OPEN: motors disabled whatever they were, sonars start to fire, SIPs begin.
void ArcosController::Machine::open_session(std::string_view why) {
  session = fresh_session(options.flash);
  session.next_sip = at + std::chrono::milliseconds{options.flash.sip_cycle};
  session.last_packet = at;
  watchdog_tripped = false;
  apply_session();
  body.bump_stall = 0;
  sonar.start(std::chrono::milliseconds{options.flash.sonar_cycle}, at);
  if (!stepping()) next_step = at + servo_cycle;
  become(Phase::open, why);
  enable(options.lenient, "OPEN");
  hold();
}

void ArcosController::Machine::close_session(std::string_view why) {
  auto const was_open = phase == Phase::open;
  body.motion.stop();
  enable(false, why);
  sonar.stop();
  watchdog_tripped = false;
  hold();
  session = fresh_session(options.flash);
  apply_session();
  become(Phase::no_sync, why);
  if (!was_open) return;
  effects.emplace_back(ControllerBaud{baud_of(options.flash.host_baud)});
  if (options.lenient) effects.emplace_back(ControllerHangUp{});
}

// RESET, or a brown-out: the first thing a fresh controller says is 0xFF.
void ArcosController::Machine::restart(std::string_view why) {
  framer.reset();
  give_up_at.reset();
  delayed.clear();
  close_session(why);
  body.zero_odometry();
  std::uint8_t const fresh = arcos::packet::reset_b;
  send(arcos::frame(Bytes{&fresh, 1}));
}

void ArcosController::Machine::enable(bool on, std::string_view why) {
  if (on && (fault(FaultKind::nomotors) != nullptr || (button && session.e_stall))) return;
  body.motion.power(on);
  if (on == motors) return;
  motors = on;
  trace("motors", on ? "on" : "off", why);
}

Session fresh_session(Flash const& flash) {
  Session session;
  session.speed = flash.trans_vel_max;
  session.accel = flash.trans_acc;
  session.decel = flash.trans_decel;
  session.turn = flash.rot_vel_max;
  session.turn_accel = flash.rot_acc;
  session.turn_decel = flash.rot_decel;
  session.rev_count = flash.rev_count;
  session.ticks_mm = flash.ticks_mm;
  session.drift = flash.drift_factor;
  session.sonar_cycle = flash.sonar_cycle;
  return session;
}

void ArcosController::Machine::apply_session() {
  body.limits = {session.speed / 1000.0, session.accel / 1000.0,      session.decel / 1000.0,
                 radians(session.turn),  radians(session.turn_accel), radians(session.turn_decel)};
  body.calibration = {static_cast<double>(session.rev_count), static_cast<double>(session.ticks_mm),
                      static_cast<double>(session.drift)};
}

}  // namespace cy::sim
