// How a simulated Pioneer controller is made: which generation, what stands in its FLASH, what is
// fitted, what goes wrong. Numbers cite where they come from; the controller's own units (mm,
// degrees, decivolts) stay inside FLASH, because CONFIGpac says them so.
#pragma once

#include <cy/controllers/fault_order.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace cy::sim {

// Two boards that are both sold as "P3-DX" (ARIA: params/p3dx.p, params/p3dx-sh.p).
enum class Generation : std::uint8_t {
  h8,   // sub-type p3dx: AROS, 0.485 mm a unit, SIP ends after DIGOUT
  sh2,  // sub-type p3dx-sh: ARCOS since 2005, 1 mm a unit, SIP with the ARCOS tail
};
constexpr double mm_per_unit(Generation generation) {
  return generation == Generation::h8 ? 0.485 : 1.0;
}
constexpr std::string_view sub_type_of(Generation generation) {
  return generation == Generation::h8 ? "p3dx" : "p3dx-sh";
}
// Which the sub-type names; none for other robots.
std::optional<Generation> generation_of(std::string_view sub_type);

// HOSTBAUD's codes 0 to 4, slowest first, as ARCOS counts them; 0: no such code.
constexpr unsigned baud_of(int code) {
  constexpr unsigned rates[] = {9600, 19200, 38400, 57600, 115200};
  return code >= 0 && code < 5 ? rates[code] : 0;
}

// What a session starts with and returns to. Defaults: the maker's manual where it has examples
// (1000 mm/s, SIP 100 ms, watchdog 2000 ms, 40 ms a disc), AMRISim's session values (accelerations,
// 150 deg/s), the rest GUESSES.
struct Flash {
  std::string name{"cy-sim"};  // "MobileSim" makes ARIA think of a simulator
  std::string serial{"SIM0001"};
  std::uint16_t rot_vel_top{300}, trans_vel_top{1500};  // deg/s, mm/s: no session may exceed them
  std::uint16_t rot_acc_top{600}, trans_acc_top{2000};  // deg/s^2, mm/s^2
  std::uint16_t rot_vel_max{150}, trans_vel_max{1000};  // SETRV, SETV
  std::uint16_t rot_acc{100}, rot_decel{100};           // SETRA
  std::uint16_t trans_acc{300}, trans_decel{300};       // SETA
  std::uint8_t sip_cycle{100};                          // ms
  std::uint16_t watchdog{2000};                         // ms; 0: none
  std::uint8_t sonar_cycle{40};                         // ms per disc
  std::uint8_t host_baud{0};                            // HOSTBAUD code: 9600; see baud_of
  std::uint16_t stall_val{200}, stall_count{200};       // PWM, ms without power
  std::uint16_t low_battery{115}, shutdown_volts{110};  // decivolts
  std::uint16_t rev_count{32550}, ticks_mm{128};
  std::int16_t drift_factor{0};
};

struct ArcosOptions {
  Generation generation{Generation::sh2};
  Flash flash;
  bool rear_sonar{true};
  bool front_bumpers{};  // five segments each, where fitted
  bool rear_bumpers{};
  bool gyro{};
  double battery_volts{12.8};
  // Batteries that say how full they are. The usual lead batteries do not: SIP says 0, "not provided".
  bool reports_charge{};
  // As AMRISim where that is friendlier than a robot: a sync out of order is echoed, motors are on
  // after OPEN, the watchdog only warns, CLOSE also ends the connection, and a lost connection
  // ends the session.
  bool lenient{};
  bool trace_speed{};  // the true speed into the trace every 10 ms
  std::vector<FaultOrder> faults;
};

}  // namespace cy::sim
