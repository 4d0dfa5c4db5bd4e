// What an ARCOS controller tells its client. Decoders take a frame's payload, ID included;
// encoders give whole frames.
//
// Firmware of different ages sends different lengths: what a packet stops short of stays empty.
// Sources: the ARCOS and AROS manuals' packet tables, and what ARIA and Player read of them.
#pragma once

#include <cy/codec/arcos_frame.hpp>

#include <optional>
#include <string>

namespace cy::arcos {

// The packets' IDs.
namespace packet {
inline constexpr std::uint8_t sip_stopped = 0x32;
inline constexpr std::uint8_t sip_moving = 0x33;
inline constexpr std::uint8_t config = 0x20;
inline constexpr std::uint8_t encoder = 0x90;
inline constexpr std::uint8_t gyro = 0x98;
inline constexpr std::uint8_t aux1 = 0xb0;
inline constexpr std::uint8_t aux2 = 0xb8;
inline constexpr std::uint8_t aux3 = 0xc8;
inline constexpr std::uint8_t gripper = 0xe0;
inline constexpr std::uint8_t io = 0xf0;
inline constexpr std::uint8_t joystick = 0xf8;
inline constexpr std::uint8_t battery = 0xfa;
// A controller that was reset says so by either of these.
inline constexpr std::uint8_t reset_a = 0xfe;
inline constexpr std::uint8_t reset_b = 0xff;
}  // namespace packet

// ARIA takes 0x32 and 0x33 for a SIP, Player 0x30 to 0x34.
constexpr bool is_sip(std::uint8_t id) {
  return id >= 0x30 && id <= 0x34;
}
constexpr bool is_reset(std::uint8_t id) {
  return id == packet::reset_a || id == packet::reset_b;
}

// The answer to SYNC2.
struct Identity {
  std::string name;      // FLASH name: "AMRISim"
  std::string type;      // class: "Pioneer"
  std::string sub_type;  // "p3dx-sh": which generation it is
};
Buffer encode(Identity const& identity);
Decoded<Identity> decode_identity(Bytes payload);

// The standard server information packet.
struct Sip {
  // In flags.
  static constexpr std::uint16_t motors_on = 1u << 0;
  static constexpr std::uint16_t sonar_on = 0x1eu;  // bits 1-4: arrays 1-4
  static constexpr std::uint16_t stop_button = 1u << 5;
  static constexpr std::uint16_t e_stall = 1u << 6;
  static constexpr std::uint16_t ledge_far = 1u << 7;
  static constexpr std::uint16_t ledge_near = 1u << 8;
  static constexpr std::uint16_t joystick_button = 1u << 9;
  static constexpr std::uint16_t charger_power = 1u << 10;
  // In faults.
  static constexpr std::uint16_t temperature_warning = 1u << 1;
  static constexpr std::uint16_t gyro_failed = 1u << 4;

  struct Reading {
    std::uint8_t disc{};
    std::uint16_t range{};
    friend bool operator==(Reading const&, Reading const&) = default;
  };

  bool moving{};
  std::uint16_t x{}, y{};  // running totals; only the low 15 bits count
  std::int16_t heading{};  // 4096 units a turn
  std::int16_t left{}, right{};
  std::uint8_t battery{};      // decivolts on a 12 V scale
  std::uint8_t stall_rear{};   // bit 0 left wheel stalled, bits 1-7 rear bumper segments
  std::uint8_t stall_front{};  // bit 0 right wheel stalled, bits 1-7 front bumper segments
  std::int16_t control{};
  std::uint16_t flags{};
  std::uint8_t compass{};       // 2-degree units
  std::vector<Reading> sonars;  // only what is new since the last SIP

  // Optional from here; a packet ends with the first that it lacks. Manual and AMRISim put the
  // gripper's state first and the analog port second, ARIA and Player read them the other way.
  std::optional<std::uint8_t> grip_or_port;
  std::optional<std::uint8_t> port_or_grip;
  std::optional<std::uint8_t> analog;
  std::optional<std::uint8_t> digital_in;
  std::optional<std::uint8_t> digital_out;
  std::optional<std::uint16_t> battery_x10;
  std::optional<std::uint8_t> charge;    // 0 not, 1 bulk, 2 overcharge, 3 float, 4 balance
  std::optional<std::int16_t> rotation;  // 0.1 deg/s
  std::optional<std::uint16_t> faults;
  std::optional<std::int16_t> lateral;
  std::optional<std::int8_t> temperature;       // °C; -127 and -128: none
  std::optional<std::uint8_t> state_of_charge;  // percent; 0: not provided
  std::optional<std::uint32_t> micros;
  std::optional<std::uint32_t> flags3;
};
// Sonars that would not fit are left out.
Buffer encode(Sip const& sip);
Decoded<Sip> decode_sip(Bytes payload);

// CONFIGpac. Names and order as in the manuals' table; units are the controller's: mm, degrees, ms,
// decivolts, bauds as HOSTBAUD codes.
struct Config {
  std::string type, sub_type, serial;
  std::uint8_t four_motors{};
  std::uint16_t rot_vel_top{}, trans_vel_top{}, rot_acc_top{}, trans_acc_top{}, pwm_max{};
  std::string name;
  std::uint8_t sip_cycle{}, host_baud{}, aux1_baud{};
  std::uint16_t has_gripper{}, front_sonar{};
  std::uint8_t rear_sonar{};
  std::uint16_t low_battery{}, rev_count{}, watchdog{};
  std::uint8_t p2mpacs{};
  std::uint16_t stall_val{}, stall_count{}, joy_vel{}, joy_rot_vel{};
  std::uint16_t rot_vel_max{}, trans_vel_max{}, rot_acc{}, rot_decel{}, rot_kp{}, rot_kv{}, rot_ki{};
  std::uint16_t trans_acc{}, trans_decel{}, trans_kp{}, trans_kv{}, trans_ki{};
  std::uint8_t front_bumps{}, rear_bumps{}, charger{}, sonar_cycle{};
  std::uint8_t auto_baud{};  // 1 can switch, 2 does
  std::uint8_t has_gyro{};   // 1 read by the computer, 2 by the controller
  std::int16_t drift_factor{};
  std::uint8_t aux2_baud{}, aux3_baud{};
  std::uint16_t ticks_mm{}, shutdown_volts{};
  std::string firmware;
  std::uint16_t gyro_cw{}, gyro_ccw{};
  std::uint8_t kinematics_delay{};
  std::uint16_t lat_vel_top{}, lat_acc_top{}, lat_vel_max{}, lat_acc{}, lat_decel{};
  std::uint16_t charge_threshold{};
  std::uint8_t pdb_port{};
  std::uint16_t gyro_rate_limit{};
  std::int8_t high_temp_shutdown{-128};
  std::uint16_t power_bits{};
  std::uint8_t battery_type{};
  std::uint16_t soc_low{}, soc_shutdown{};
  std::string bootloader;
  std::uint32_t config_flags{};
  std::int16_t gyro_firmware{};

  // How many of the fields above were in the packet.
  std::size_t present{};

  // The one list of fields, in the packet's order.
  template <class Self, class Visit>
  static void each(Self& c, Visit&& visit) {
    auto const all = [&](auto&... field) { (visit(field), ...); };
    all(c.type, c.sub_type, c.serial, c.four_motors, c.rot_vel_top, c.trans_vel_top, c.rot_acc_top,
        c.trans_acc_top, c.pwm_max, c.name, c.sip_cycle, c.host_baud, c.aux1_baud, c.has_gripper,
        c.front_sonar, c.rear_sonar, c.low_battery, c.rev_count, c.watchdog, c.p2mpacs, c.stall_val,
        c.stall_count, c.joy_vel, c.joy_rot_vel, c.rot_vel_max, c.trans_vel_max, c.rot_acc, c.rot_decel,
        c.rot_kp, c.rot_kv, c.rot_ki, c.trans_acc, c.trans_decel, c.trans_kp, c.trans_kv, c.trans_ki,
        c.front_bumps, c.rear_bumps, c.charger, c.sonar_cycle, c.auto_baud, c.has_gyro, c.drift_factor,
        c.aux2_baud, c.aux3_baud, c.ticks_mm, c.shutdown_volts, c.firmware, c.gyro_cw, c.gyro_ccw,
        c.kinematics_delay, c.lat_vel_top, c.lat_acc_top, c.lat_vel_max, c.lat_acc, c.lat_decel,
        c.charge_threshold, c.pdb_port, c.gyro_rate_limit, c.high_temp_shutdown, c.power_bits, c.battery_type,
        c.soc_low, c.soc_shutdown, c.bootloader, c.config_flags, c.gyro_firmware);
  }

  // Whether the packet reached as far as this field: has(&Config::watchdog).
  template <class T>
  bool has(T Config::*field) const {
    auto index = std::size_t{0}, wanted = std::size_t{~std::size_t{0}};
    each(*this, [&](auto const& f) {
      if (static_cast<void const*>(&f) == static_cast<void const*>(&(this->*field))) wanted = index;
      ++index;
    });
    return wanted < present;
  }
};
inline constexpr std::size_t config_fields = 67;
// The first `fields` of it, or as many as fit: older firmware stops early.
Buffer encode(Config const& config, std::size_t fields = config_fields);
Decoded<Config> decode_config(Bytes payload);

// Running wheel counts; they wrap at 32 bits.
struct Encoder {
  std::int32_t left{}, right{};
};
Buffer encode(Encoder const& encoder);
Decoded<Encoder> decode_encoder(Bytes payload);

struct Io {
  std::vector<std::uint8_t> inputs;  // on a standard P3: DIGIN, front bumpers, rear bumpers, IR
  std::vector<std::uint8_t> outputs;
  std::vector<std::uint16_t> analog;  // 10 bits: 0-1023 = 0-5 V
  std::optional<std::uint16_t> battery;
};
Buffer encode(Io const& io);
Decoded<Io> decode_io(Bytes payload);

struct Gyro {
  struct Sample {
    std::int16_t rate{};  // 0-1023, 512 = still
    std::uint8_t temperature{};
    friend bool operator==(Sample const&, Sample const&) = default;
  };
  std::vector<Sample> samples;
};
Buffer encode(Gyro const& gyro);
Decoded<Gyro> decode_gyro(Bytes payload);

struct Joystick {
  std::uint8_t button0{}, button1{};
  std::uint16_t x{}, y{}, throttle{};  // 10 bits
};
Buffer encode(Joystick const& joystick);
Decoded<Joystick> decode_joystick(Bytes payload);

struct Battery {
  std::vector<Buffer> batteries;  // each: flags1, flags2, flags3, relative, absolute charge in percent
};
Buffer encode(Battery const& battery);
Decoded<Battery> decode_battery(Bytes payload);

// Bytes that came in at a serial port of the controller.
struct Aux {
  std::uint8_t port{1};  // 1-3
  Buffer bytes;
};
Buffer encode(Aux const& aux);
Decoded<Aux> decode_aux(Bytes payload);

struct Gripper {
  static constexpr std::uint8_t paddles_open = 1u << 0;
  static constexpr std::uint8_t paddles_closed = 1u << 1;
  static constexpr std::uint8_t paddles_moving = 1u << 2;
  static constexpr std::uint8_t paddles_error = 1u << 3;
  static constexpr std::uint8_t lift_up = 1u << 4;
  static constexpr std::uint8_t lift_down = 1u << 5;
  static constexpr std::uint8_t lift_moving = 1u << 6;
  static constexpr std::uint8_t lift_error = 1u << 7;

  std::uint8_t type{};  // 0 none, 1 P2/P3 user I/O, 2 PeopleBot general I/O
  std::uint8_t state{};
  std::uint8_t grasp_time{};
};
Buffer encode(Gripper const& gripper);
Decoded<Gripper> decode_gripper(Bytes payload);

}  // namespace cy::arcos
