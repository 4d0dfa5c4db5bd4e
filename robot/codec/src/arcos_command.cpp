#include <cy/codec/arcos_command.hpp>

#include <algorithm>
#include <cstdlib>

namespace cy::arcos {
namespace {

constexpr std::uint8_t int_positive = 0x3b;
constexpr std::uint8_t int_negative = 0x1b;
constexpr std::uint8_t text_type = 0x2b;

}  // namespace

std::string_view name_of(Order order) {
  switch (order) {
    case Order::pulse:
      return "PULSE";
    case Order::open:
      return "OPEN";
    case Order::close:
      return "CLOSE";
    case Order::polling:
      return "POLLING";
    case Order::enable:
      return "ENABLE";
    case Order::seta:
      return "SETA";
    case Order::setv:
      return "SETV";
    case Order::seto:
      return "SETO";
    case Order::move:
      return "MOVE";
    case Order::rotate:
      return "ROTATE";
    case Order::setrv:
      return "SETRV";
    case Order::vel:
      return "VEL";
    case Order::head:
      return "HEAD";
    case Order::dhead:
      return "DHEAD";
    case Order::say:
      return "SAY";
    case Order::joyrequest:
      return "JOYREQUEST";
    case Order::config:
      return "CONFIG";
    case Order::encoder:
      return "ENCODER";
    case Order::setrvdir:
      return "SETRVDIR";
    case Order::rvel:
      return "RVEL";
    case Order::dchead:
      return "DCHEAD";
    case Order::setra:
      return "SETRA";
    case Order::sonar:
      return "SONAR";
    case Order::stop:
      return "STOP";
    case Order::digout:
      return "DIGOUT";
    case Order::setpbioport:
      return "SETPBIOPORT";
    case Order::vel2:
      return "VEL2";
    case Order::gripper:
      return "GRIPPER";
    case Order::adsel:
      return "ADSEL";
    case Order::gripperval:
      return "GRIPPERVAL";
    case Order::griprequest:
      return "GRIPREQUEST";
    case Order::gyrocalcw:
      return "GYROCALCW";
    case Order::gyrocalccw:
      return "GYROCALCCW";
    case Order::iorequest:
      return "IOREQUEST";
    case Order::ptupos:
      return "PTUPOS";
    case Order::tty2:
      return "TTY2";
    case Order::getaux:
      return "GETAUX";
    case Order::bumpstall:
      return "BUMPSTALL";
    case Order::tcm2:
      return "TCM2";
    case Order::joydrive:
      return "JOYDRIVE";
    case Order::sonarcycle:
      return "SONARCYCLE";
    case Order::movingblink:
      return "MOVINGBLINK";
    case Order::hostbaud:
      return "HOSTBAUD";
    case Order::aux1baud:
      return "AUX1BAUD";
    case Order::aux2baud:
      return "AUX2BAUD";
    case Order::aux3baud:
      return "AUX3BAUD";
    case Order::e_stop:
      return "E_STOP";
    case Order::e_stall:
      return "E_STALL";
    case Order::qstop:
      return "QSTOP";
    case Order::gyro:
      return "GYRO";
    case Order::message:
      return "MESSAGE";
    case Order::tty4:
      return "TTY4";
    case Order::getaux3:
      return "GETAUX3";
    case Order::batteryinfo:
      return "BATTERYINFO";
    case Order::tty3:
      return "TTY3";
    case Order::getaux2:
      return "GETAUX2";
    case Order::charge:
      return "CHARGE";
    case Order::arm_info:
      return "ARM_INFO";
    case Order::arm_status:
      return "ARM_STATUS";
    case Order::arm_init:
      return "ARM_INIT";
    case Order::arm_check:
      return "ARM_CHECK";
    case Order::arm_power:
      return "ARM_POWER";
    case Order::arm_home:
      return "ARM_HOME";
    case Order::arm_park:
      return "ARM_PARK";
    case Order::arm_pos:
      return "ARM_POS";
    case Order::arm_speed:
      return "ARM_SPEED";
    case Order::arm_stop:
      return "ARM_STOP";
    case Order::arm_autopark:
      return "ARM_AUTOPARK";
    case Order::arm_grippark:
      return "ARM_GRIPPARK";
    case Order::rotkp:
      return "ROTKP";
    case Order::rotkv:
      return "ROTKV";
    case Order::rotki:
      return "ROTKI";
    case Order::transkp:
      return "TRANSKP";
    case Order::transkv:
      return "TRANSKV";
    case Order::transki:
      return "TRANSKI";
    case Order::revcount:
      return "REVCOUNT";
    case Order::driftfactor:
      return "DRIFTFACTOR";
    case Order::soundtog:
      return "SOUNDTOG";
    case Order::ticksmm:
      return "TICKSMM";
    case Order::latvel:
      return "LATVEL";
    case Order::lataccel:
      return "LATACCEL";
    case Order::sim_set_pose:
      return "SIM_SET_POSE";
    case Order::sim_reset:
      return "SIM_RESET";
    case Order::sim_lrf_enable:
      return "SIM_LRF_ENABLE";
    case Order::sim_lrf_fov_start:
      return "SIM_LRF_FOV_START";
    case Order::sim_lrf_fov_end:
      return "SIM_LRF_FOV_END";
    case Order::sim_lrf_resolution:
      return "SIM_LRF_RESOLUTION";
    case Order::sim_ctrl:
      return "SIM_CTRL";
    case Order::sim_stat:
      return "SIM_STAT";
    case Order::sim_message:
      return "SIM_MESSAGE";
    case Order::sim_exit:
      return "SIM_EXIT";
    case Order::battest:
      return "BATTEST";
    case Order::reset:
      return "RESET";
    case Order::maintenance:
      return "MAINTENANCE";
  }
  return "unknown";
}

Buffer encode(Order order) {
  std::array<std::uint8_t, 1> const payload{static_cast<std::uint8_t>(order)};
  return frame(payload);
}

Buffer encode(Order order, int value) {
  auto const magnitude = static_cast<unsigned>(std::abs(std::clamp(value, -65535, 65535)));
  std::array<std::uint8_t, 4> const payload{
      static_cast<std::uint8_t>(order), value < 0 ? int_negative : int_positive,
      static_cast<std::uint8_t>(magnitude), static_cast<std::uint8_t>(magnitude >> 8)};
  return frame(payload);
}

Buffer encode(Order order, Bytes text) {
  auto const part = text.first(std::min(text.size(), text_max));
  Buffer payload{static_cast<std::uint8_t>(order), text_type, static_cast<std::uint8_t>(part.size())};
  payload.insert(payload.end(), part.begin(), part.end());
  return frame(payload);
}

Buffer encode_pair(Order order, std::uint8_t high, std::uint8_t low) {
  auto const both = static_cast<std::int16_t>((high << 8) | low);
  return encode(order, int{both});
}

int ClientCommand::signed_value() const {
  if (argument == Argument::negative) return -int{magnitude};
  return static_cast<std::int16_t>(magnitude);
}

ClientCommand::Pair ClientCommand::pair() const {
  auto const both = static_cast<std::uint16_t>(value());
  return {static_cast<std::uint8_t>(both >> 8), static_cast<std::uint8_t>(both)};
}

Decoded<ClientCommand> decode_command(Bytes payload) {
  if (payload.empty()) return tl::unexpected(Malformed::empty);
  ClientCommand command;
  command.order = static_cast<Order>(payload[0]);
  if (payload.size() == 1) return command;
  auto const type = payload[1];
  if (type != int_positive && type != int_negative && type != text_type)
    return tl::unexpected(Malformed::bad_argument);
  auto rest = payload.subspan(2);
  if (rest.empty()) {
    command.argument = ClientCommand::Argument::bare;
    return command;
  }
  if (type == text_type) {
    auto const size = std::size_t{rest[0]};
    if (rest.size() < 1 + size) return tl::unexpected(Malformed::truncated);
    command.argument = ClientCommand::Argument::text;
    command.text = copy_of(rest.subspan(1, size));
    rest = rest.subspan(1 + size);
  } else {
    if (rest.size() < 2) return tl::unexpected(Malformed::truncated);
    command.argument =
        type == int_negative ? ClientCommand::Argument::negative : ClientCommand::Argument::positive;
    command.magnitude = load_le<std::uint16_t>(rest.data());
    rest = rest.subspan(2);
  }
  command.rest = copy_of(rest);
  return command;
}

}  // namespace cy::arcos
