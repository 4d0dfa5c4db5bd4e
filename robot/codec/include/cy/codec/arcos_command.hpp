// What a client tells an ARCOS controller: a number and at most one argument.
//
//   ID                             no argument
//   ID 3B lo hi                    an int that is not negative
//   ID 1B lo hi                    a negative one, as its magnitude
//   ID 2B n  b1 … bn               bytes, at most 199
#pragma once

#include <cy/codec/arcos_frame.hpp>

namespace cy::arcos {

enum class Order : std::uint8_t {
  pulse = 0,
  open = 1,
  close = 2,
  polling = 3,
  enable = 4,
  seta = 5,
  setv = 6,
  seto = 7,
  move = 8,
  rotate = 9,
  setrv = 10,
  vel = 11,
  head = 12,
  dhead = 13,
  say = 15,
  joyrequest = 17,
  config = 18,
  encoder = 19,
  setrvdir = 20,
  rvel = 21,
  dchead = 22,
  setra = 23,
  sonar = 28,
  stop = 29,
  digout = 30,
  setpbioport = 31,
  vel2 = 32,
  gripper = 33,
  adsel = 35,
  gripperval = 36,
  griprequest = 37,
  gyrocalcw = 38,
  gyrocalccw = 39,
  iorequest = 40,
  ptupos = 41,
  tty2 = 42,
  getaux = 43,
  bumpstall = 44,
  tcm2 = 45,
  joydrive = 47,
  sonarcycle = 48,
  movingblink = 49,
  hostbaud = 50,
  aux1baud = 51,
  aux2baud = 52,
  aux3baud = 53,
  e_stop = 55,
  e_stall = 56,
  qstop = 57,
  gyro = 58,
  message = 59,
  tty4 = 60,
  getaux3 = 61,
  batteryinfo = 62,
  tty3 = 66,
  getaux2 = 67,
  charge = 68,
  arm_info = 70,
  arm_status = 71,
  arm_init = 72,
  arm_check = 73,
  arm_power = 74,
  arm_home = 75,
  arm_park = 76,
  arm_pos = 77,
  arm_speed = 78,
  arm_stop = 79,
  arm_autopark = 80,
  arm_grippark = 81,
  rotkp = 82,
  rotkv = 83,
  rotki = 84,
  transkp = 85,
  transkv = 86,
  transki = 87,
  revcount = 88,
  driftfactor = 89,
  soundtog = 92,
  ticksmm = 93,
  latvel = 110,
  lataccel = 113,
  sim_set_pose = 224,
  sim_reset = 225,
  sim_lrf_enable = 230,
  sim_lrf_fov_start = 231,
  sim_lrf_fov_end = 232,
  sim_lrf_resolution = 233,
  sim_ctrl = 236,
  sim_stat = 237,
  sim_message = 238,
  sim_exit = 239,
  battest = 250,
  reset = 253,
  maintenance = 255
};

// "VEL"; "unknown" for a number that has none.
std::string_view name_of(Order order);

// The handshake uses the numbers 0, 1, 2 of PULSE, OPEN and CLOSE.
inline constexpr auto sync0 = Order::pulse;
inline constexpr auto sync1 = Order::open;
inline constexpr auto sync2 = Order::close;

inline constexpr std::size_t text_max = 199;

// Whole frames.
Buffer encode(Order order);
// Clamped to ±65535, which the 16-bit magnitude can say.
Buffer encode(Order order, int value);
// Cut to text_max.
Buffer encode(Order order, Bytes text);
// The "two-byte" commands (VEL2, DIGOUT, ARM_POS …), as ARIA sends them: the 16-bit value goes
// through the signed sender, so from high >= 0x80 on it travels negated, as 1B.
Buffer encode_pair(Order order, std::uint8_t high, std::uint8_t low);

// A command as it arrived at a controller.
struct ClientCommand {
  enum class Argument : std::uint8_t {
    none,      // the number alone
    bare,      // a type byte with nothing behind it (Player's SETO)
    positive,  // 3B
    negative,  // 1B
    text       // 2B
  };

  Order order{};  // possibly a number without a name
  Argument argument{};
  std::uint16_t magnitude{};
  Buffer text;
  Buffer rest;  // bytes behind the argument (SIM_SET_POSE has some); usually none

  // As a number whose sign is its type.
  int value() const { return argument == Argument::negative ? -int{magnitude} : int{magnitude}; }
  // As a signed command's number: some senders put two's complement behind 3B.
  int signed_value() const;
  // As a two-byte command's bytes, from either form.
  struct Pair {
    std::uint8_t high, low;
  };
  Pair pair() const;
};

Decoded<ClientCommand> decode_command(Bytes payload);

}  // namespace cy::arcos
