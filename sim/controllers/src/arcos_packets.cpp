// What the controller says: SIPs, CONFIGpac and the packets on request.
#include "arcos_machine.hpp"
#include <algorithm>
#include <cmath>

namespace cy::sim {
namespace {

std::int16_t speed_mm(double metres_per_s) {
  return static_cast<std::int16_t>(std::clamp(std::lround(metres_per_s * 1000.0), -32768L, 32767L));
}

// Running totals that wrap at 16 bits, which satisfies clients that look at 15 and at 12.
std::uint16_t total(double metres, Generation generation) {
  auto const units = std::llround(metres * 1000.0 / mm_per_unit(generation));
  return static_cast<std::uint16_t>(static_cast<std::uint64_t>(units));
}

// 4096 units a turn, -2048 to 2047.
std::int16_t angle(double radians) {
  auto const units = std::llround(radians * 4096.0 / (2.0 * pi));
  auto const turn = static_cast<std::int32_t>(static_cast<std::uint64_t>(units + 2048) & 4095U);
  return static_cast<std::int16_t>(turn - 2048);
}

}  // namespace

bool ArcosController::Machine::due(Poll& poll) const {
  auto const is = poll != Poll::off;
  if (poll == Poll::once) poll = Poll::off;
  return is;
}

std::uint8_t ArcosController::Machine::percent_charged() const {
  return options.reports_charge ? static_cast<std::uint8_t>(std::lround(body.charge() * 100.0))
                                : std::uint8_t{0};
}

// Maker's manual, extended packets: GYROpac comes just before, the others just after the SIP.
void ArcosController::Machine::send_cycle() {
  if (session.gyro && !session.gyro_samples.empty()) {
    send_late(arcos::encode(arcos::Gyro{std::exchange(session.gyro_samples, {})}));
  }
  send_late(arcos::encode(sip()));
  if (due(session.encoder)) send_late(arcos::encode(arcos::Encoder{body.left_ticks(), body.right_ticks()}));
  if (due(session.io)) send_late(io_packet());
  if (due(session.gripper)) send_late(arcos::encode(arcos::Gripper{}));
  if (due(session.battery)) {
    auto const percent = percent_charged();
    send_late(arcos::encode(arcos::Battery{{Buffer{0, 0, 0, percent, percent}}}));
  }
  if (due(session.arm)) {
    // Two status bytes (not connected, no power) and six positions.
    send_late(arcos::frame(Buffer{0xa0, 0, 0, 0, 0, 0, 0, 0, 0}));
  }
  if (due(session.sim_stat)) send_late(sim_stat_packet());
}

arcos::Sip ArcosController::Machine::sip() {
  using arcos::Sip;
  Sip sip;
  auto const pose = body.odometry();
  sip.moving = !options.lenient && (!body.resting() || body.motion.commanded() != Twist{});
  sip.x = total(pose.x, options.generation);
  sip.y = total(pose.y, options.generation);
  sip.heading = angle(pose.yaw);
  sip.left = speed_mm(body.left_speed());
  sip.right = speed_mm(body.right_speed());
  auto const decivolts =
      session.fake_battery != 0 ? session.fake_battery : static_cast<int>(std::lround(body.volts() * 10.0));
  sip.battery = static_cast<std::uint8_t>(std::clamp(decivolts, 0, 255));

  auto const emergency = button && session.e_stall;
  auto const bumped = body.bumped();
  auto const stall_byte = [](bool stalled, unsigned segments) {
    return static_cast<std::uint8_t>((stalled ? 1U : 0U) | (segments << 1U));
  };
  sip.stall_rear = stall_byte(body.left_stalled() || emergency, bumped.rear);
  sip.stall_front = stall_byte(body.right_stalled() || emergency, bumped.front);
  sip.control = angle(body.motion.heading_setpoint(pose.yaw));
  auto const flag = [&sip](bool set, unsigned mask) {
    if (set) sip.flags = static_cast<std::uint16_t>(sip.flags | mask);
  };
  flag(motors, Sip::motors_on);
  flag(sonar.array_on(0), 1U << 1);
  flag(sonar.array_on(1), 1U << 2);
  flag(button, Sip::stop_button);
  flag(emergency, Sip::e_stall);
  flag(body.charging, Sip::charger_power);
  for (auto const& [disc, range] : sonar.take_fresh()) sip.sonars.push_back({disc, range});

  sip.grip_or_port = std::uint8_t{0};
  sip.port_or_grip = session.analog_port;
  sip.analog = std::uint8_t{0};
  sip.digital_in = std::uint8_t{0xff};  // nothing wired: pulled up, as AMRISim says
  sip.digital_out = session.digital_out;
  if (options.generation == Generation::h8) return sip;  // AROS ends here
  sip.battery_x10 = static_cast<std::uint16_t>(std::clamp(decivolts, 0, 65535));
  sip.charge = body.charge_state();
  sip.rotation = static_cast<std::int16_t>(
      std::clamp(std::lround(degrees(body.measured().angular) * 10.0), -32768L, 32767L));
  sip.faults = std::uint16_t{0};
  sip.lateral = std::int16_t{0};
  sip.temperature = std::int8_t{-127};
  sip.state_of_charge = percent_charged();
  return sip;
}

// The session's values stand where FLASH's can be overridden: a client reads back what holds.
// GUESS: the manual's table does not say which of the two it means.
arcos::Config ArcosController::Machine::config() const {
  auto const u16 = [](int value) { return static_cast<std::uint16_t>(value); };
  auto const& flash = options.flash;
  arcos::Config c;
  c.type = "Pioneer";
  c.sub_type = sub_type_of(options.generation);
  c.serial = flash.serial;
  c.rot_vel_top = flash.rot_vel_top;
  c.trans_vel_top = flash.trans_vel_top;
  c.rot_acc_top = flash.rot_acc_top;
  c.trans_acc_top = flash.trans_acc_top;
  c.pwm_max = 400;
  c.name = flash.name;
  c.sip_cycle = flash.sip_cycle;
  c.host_baud = flash.host_baud;
  c.front_sonar = 1;
  c.rear_sonar = options.rear_sonar ? 1 : 0;
  c.low_battery = flash.low_battery;
  c.rev_count = u16(session.rev_count);
  c.watchdog = flash.watchdog;
  c.p2mpacs = 1;
  c.stall_val = flash.stall_val;
  c.stall_count = flash.stall_count;
  c.rot_vel_max = u16(session.turn);
  c.trans_vel_max = u16(session.speed);
  c.rot_acc = u16(session.turn_accel);
  c.rot_decel = u16(session.turn_decel);
  c.trans_acc = u16(session.accel);
  c.trans_decel = u16(session.decel);
  c.front_bumps = options.front_bumpers ? 5 : 0;
  c.rear_bumps = options.rear_bumpers ? 5 : 0;
  c.charger = body.charging ? 1 : 0;
  c.sonar_cycle = session.sonar_cycle;
  c.auto_baud = 2;
  c.has_gyro = options.gyro ? 1 : 0;
  c.drift_factor = static_cast<std::int16_t>(session.drift);
  c.ticks_mm = u16(session.ticks_mm);
  c.shutdown_volts = flash.shutdown_volts;
  c.firmware = options.generation == Generation::h8 ? "1.9" : "3.0";
  return c;
}

// A standard P3: DIGIN, front and rear bumpers, infrared; DIGOUT; eight analog ports and the battery.
Buffer ArcosController::Machine::io_packet() const {
  auto const bumped = body.bumped();
  arcos::Io io;
  io.inputs = {0xff, bumped.front, bumped.rear, 0xff};
  io.outputs = {session.digital_out};
  io.analog.assign(8, 0);
  io.analog.push_back(static_cast<std::uint16_t>(std::clamp(body.volts() / 20.0 * 1023.0, 0.0, 1023.0)));
  return arcos::encode(io);
}

// 0x62 as ARIA's simulator utilities read it: two bytes, u32 flags, three u16 intervals, then the
// true x, y, z in mm and the heading in degrees; AMRISim pads it to 57 bytes.
Buffer ArcosController::Machine::sim_stat_packet() const {
  Buffer payload(57, 0);
  payload[0] = 0x62;
  auto const cycle = options.flash.sip_cycle;
  for (auto const offset : {7, 9, 11}) store_le<std::uint16_t>(payload.data() + offset, cycle);
  auto const pose = body.pose();
  auto const put = [&payload](std::size_t offset, double value) {
    store_le(payload.data() + offset, static_cast<std::int32_t>(std::lround(value)));
  };
  put(13, pose.x * 1000.0);
  put(17, pose.y * 1000.0);
  put(25, degrees(pose.yaw));
  return arcos::frame(payload);
}

}  // namespace cy::sim
