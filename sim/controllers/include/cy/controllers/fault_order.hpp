// What can be ordered to go wrong in a simulated controller, and the text form of such orders.
//
//   silent@10s+3s     says nothing from 10 s after its start, for 3 s
//   badsum=5%         every twentieth packet has a wrong checksum, always
//   late=150ms@2s     SIPs leave 150 ms late from 2 s on
//   reset@4s          one event at 4 s
//
// Form: name[=value][@from][+length]. `from` counts from the controller's start (default: at
// once); without a length it lasts for ever. Times need a unit (ms, s, min), chances a %.
#pragma once

#include <cy/base/result.hpp>
#include <cy/base/time.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace cy::sim {

enum class FaultKind : std::uint8_t {
  silent,         // no bytes come out
  deaf,           // bytes that come in are ignored
  badsum,         // value: the chance that a packet's checksum is wrong
  late,           // value: how long a SIP is held back
  stray,          // value: the chance of stray bytes before a packet
  reset,          // an event: the controller restarts (0xFF)
  stale_session,  // at the start: still open from an earlier client
  estop,          // the STOP button is pressed
  nomotors,       // ENABLE 1 is ignored
  oldfw,          // CONFIGpac stops early, as from older firmware
  noconfig,       // CONFIG is not answered
  charger,        // the charger is plugged in
};

struct FaultOrder {
  FaultKind kind{};
  Duration from{};                 // after the start
  std::optional<Duration> length;  // none: for ever
  double chance{};                 // badsum, stray: 0..1
  Duration delay{};                // late

  bool holds(Duration since_start) const {
    return since_start >= from && (!length || since_start < from + *length);
  }
};

std::string_view name_of(FaultKind kind);

// One order, or several separated by commas. The fault names the order and what is allowed.
Result<FaultOrder> parse_fault_order(std::string_view text);
Result<std::vector<FaultOrder>> parse_fault_orders(std::string_view text);

// For --help: one line per order.
std::string fault_order_help();

}  // namespace cy::sim
