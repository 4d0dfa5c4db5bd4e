// What an open session does with each client command.
#include "arcos_machine.hpp"
#include <algorithm>

namespace cy::sim {

using arcos::Order;

namespace {

// ARIA's Vel2Div: VEL2 counts in 20 mm/s.
constexpr double vel2_unit = 0.020;

}  // namespace

void ArcosController::Machine::on_order(arcos::ClientCommand const& command) {
  effects.emplace_back(
      TraceEntry{at, Ordered{static_cast<std::uint8_t>(command.order),
                             std::string{arcos::name_of(command.order)}, command.signed_value()}});
  switch (command.order) {
    case Order::pulse:
    case Order::open:
      return;
    case Order::close:
      return close_session("CLOSE");
    case Order::enable:
      return enable(command.value() != 0, "ENABLE");
    case Order::reset:
      return restart("RESET");
    case Order::maintenance:
      // Waits for new firmware until it is switched off and on (here: until the next client).
      close_session("MAINTENANCE");
      maintenance = true;
      return;
    default:
      break;
  }
  // Everything else that a robot of this kind lacks (arm, AUX ports, laser, lamps, sound, local
  // joystick) is taken without an answer, as firmware does.
  if (!on_motion(command) && !on_setting(command)) on_request(command);
}

bool ArcosController::Machine::on_motion(arcos::ClientCommand const& command) {
  auto& motion = body.motion;
  auto const heading = body.odometry().yaw;
  auto const value = command.signed_value();
  switch (command.order) {
    case Order::vel:
      motion.vel(value / 1000.0);
      return true;
    case Order::rvel:
    case Order::rotate:
      motion.rvel(radians(value));
      return true;
    case Order::move:
      motion.move(value / 1000.0);
      return true;
    case Order::head:
      motion.head(radians(value), heading);
      return true;
    case Order::dhead:
      motion.turn(radians(value), heading);
      return true;
    case Order::dchead:
      motion.turn_on(radians(value), heading);
      return true;
    case Order::stop:
      motion.stop();
      return true;
    case Order::e_stop:
    case Order::qstop:
      motion.estop();
      return true;
    case Order::vel2: {
      // Recomposed to translation and rotation, so that their limits hold.
      auto const [high, low] = command.pair();
      auto const left = static_cast<std::int8_t>(high) * vel2_unit;
      auto const right = static_cast<std::int8_t>(low) * vel2_unit;
      motion.vel2((left + right) / 2.0, (right - left) / (2.0 * half_track));
      return true;
    }
    default:
      return false;
  }
}

bool ArcosController::Machine::on_setting(arcos::ClientCommand const& command) {
  auto const& flash = options.flash;
  auto const value = command.signed_value();
  auto const magnitude = int{command.magnitude};
  // + sets the acceleration, - the deceleration; nothing sets them to zero.
  auto const set_ramp = [value](int& accel, int& decel, int top) {
    if (value > 0) accel = std::min(value, top);
    if (value < 0) decel = std::min(-value, top);
  };
  switch (command.order) {
    case Order::setv:
      session.speed = std::min(magnitude, int{flash.trans_vel_top});
      break;
    case Order::setrv:
      session.turn = std::min(magnitude, int{flash.rot_vel_top});
      break;
    case Order::seta:
      set_ramp(session.accel, session.decel, flash.trans_acc_top);
      break;
    case Order::setra:
      set_ramp(session.turn_accel, session.turn_decel, flash.rot_acc_top);
      break;
    case Order::revcount:
      if (magnitude != 0) session.rev_count = magnitude;
      break;
    case Order::ticksmm:
      if (magnitude != 0) session.ticks_mm = magnitude;
      break;
    case Order::driftfactor:
      session.drift = value;
      break;
    case Order::seto:
      body.zero_odometry();
      return true;
    case Order::sonar:
      sonar.select(command.magnitude, at);
      return true;
    case Order::polling:
      sonar.polling(command.text);
      return true;
    case Order::sonarcycle:
      session.sonar_cycle = static_cast<std::uint8_t>(std::clamp(magnitude, 2, 120));
      sonar.cycle(std::chrono::milliseconds{session.sonar_cycle});
      return true;
    case Order::bumpstall:
      body.bump_stall = command.magnitude & 3U;
      return true;
    case Order::e_stall:
      session.e_stall = magnitude != 0;
      return true;
    case Order::digout: {
      auto const [mask, states] = command.pair();
      session.digital_out = static_cast<std::uint8_t>((session.digital_out & ~mask) | (states & mask));
      return true;
    }
    case Order::adsel:
      session.analog_port = static_cast<std::uint8_t>(magnitude & 7);
      return true;
    case Order::battest:
      session.fake_battery = magnitude;
      return true;
    case Order::hostbaud:
      if (auto const baud = baud_of(magnitude); baud != 0) effects.emplace_back(ControllerBaud{baud});
      return true;
    default:
      return false;
  }
  apply_session();
  return true;
}

bool ArcosController::Machine::on_request(arcos::ClientCommand const& command) {
  auto const poll = poll_of(command.value());
  switch (command.order) {
    case Order::config:
      if (fault(FaultKind::noconfig) != nullptr) return true;
      // Older firmware knows fewer fields; it stopped before the sonar cycle and what follows.
      send(arcos::encode(config(), fault(FaultKind::oldfw) != nullptr     ? std::size_t{39}
                                   : options.generation == Generation::h8 ? std::size_t{43}
                                                                          : arcos::config_fields));
      return true;
    case Order::encoder:
      session.encoder = poll;
      return true;
    case Order::iorequest:
      session.io = poll;
      return true;
    case Order::griprequest:
      session.gripper = poll;
      return true;
    case Order::batteryinfo:
      session.battery = poll;
      return true;
    case Order::arm_status:
      session.arm = poll;
      return true;
    case Order::arm_info: {
      // "No arm", zero joints.
      Buffer payload{0xa1};
      for (auto const c : std::string_view{"No arm"}) payload.push_back(static_cast<std::uint8_t>(c));
      payload.insert(payload.end(), {0, 0});
      send(arcos::frame(payload));
      return true;
    }
    case Order::gyro:
      session.gyro = options.gyro && command.value() != 0;
      session.next_gyro = at + 25ms;
      session.gyro_samples.clear();
      return true;
    default:
      return false;
  }
}

// AMRISim's own commands, for tools that were written against the family's simulators.
bool ArcosController::Machine::on_simulator_order(Bytes payload) {
  auto const order = static_cast<Order>(payload[0]);
  auto const note = [&](int value) {
    effects.emplace_back(TraceEntry{at, Ordered{payload[0], std::string{arcos::name_of(order)}, value}});
  };
  switch (order) {
    case Order::sim_set_pose: {
      // Type byte, then x, y in mm and the heading in degrees, 32 bits each.
      if (payload.size() < 14) return true;
      auto const at_byte = [&](std::size_t i) { return load_le<std::int32_t>(payload.data() + i); };
      body.set_pose({at_byte(2) / 1000.0, at_byte(6) / 1000.0, normalised(radians(at_byte(10)))});
      note(0);
      return true;
    }
    case Order::sim_reset:
      body.set_pose(home);
      body.zero_odometry();
      note(0);
      return true;
    case Order::sim_stat: {
      auto const command = arcos::decode_command(payload);
      session.sim_stat = command ? poll_of(command->value()) : Poll::once;
      note(command ? command->value() : 1);
      return true;
    }
    case Order::sim_exit:
      note(0);
      return true;  // asks the simulator to end: not for a client to say
    default:
      return false;
  }
}

}  // namespace cy::sim
