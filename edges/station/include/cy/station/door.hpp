// Who may talk to the station at all: loopback only, known Host and Origin, known paths.
//
// A page of any other site runs in the same browser and reaches loopback, too. The Host list stops
// names that were bound to 127.0.0.1 by their owner (DNS rebinding), the Origin list stops sockets
// opened by other pages; the headers keep what is served from being framed or sniffed.
//
// It does not tell the machine's users apart: any program that runs there can send the right Host and
// Origin, and then drives with the station's key (docs/safety.md, What remains).
#pragma once

#include <cy/base/endpoint.hpp>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace cy::station {

// "127.0.0.1:8080", "[::1]:8080", "localhost:8080". Faults for every address but loopback.
Result<Endpoint> parse_listen(std::string_view text);

// What was turned away, and why; shown with the link's own counters.
enum class Turned : std::uint8_t {
  connections,
  bad_request,
  method,
  host,
  path,
  origin,
  upgrade,
  text_message,
  long_message,
  silent
};
constexpr auto names(Turned) {
  return std::array<std::string_view, 10>{
      "too many connections", "bad request",    "method not allowed",   "foreign host",
      "no such file",         "foreign origin", "not a socket request", "text message",
      "message too long",     "time-out"};
}
inline constexpr std::size_t turned_kinds = 10;

class Door {
 public:
  explicit Door(std::uint16_t port);

  // The value of the Host header.
  bool host_allowed(std::string_view host) const;
  // The value of the Origin header; empty when there was none, which no browser omits on a socket.
  bool origin_allowed(std::string_view origin) const;

 private:
  std::vector<std::string> hosts_;
};

// The headers of every answer. `host` is one that is allowed.
std::vector<std::pair<std::string_view, std::string>> headers_for(std::string_view host);

}  // namespace cy::station
