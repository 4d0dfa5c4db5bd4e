// Where a datagram came from or goes to, as a value: an IPv6 address (IPv4 mapped) and a port.
#pragma once

#include <cy/base/result.hpp>

#include <array>
#include <compare>
#include <cstdint>
#include <string>

namespace cy {

struct Endpoint {
  std::array<std::uint8_t, 16> address{};
  std::uint16_t port{};
  constexpr auto operator<=>(Endpoint const&) const = default;
};

constexpr Endpoint ipv4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d, std::uint16_t port) {
  return {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d}, port};
}

bool is_ipv4(Endpoint const& e);
bool is_loopback(Endpoint const& e);

// "10.0.0.7:4747", "[::1]:4747".
std::string to_string(Endpoint const& e);
// The same texts, numeric only; `default_port` where the text has none. Names are net's business.
Result<Endpoint> parse_endpoint(std::string_view text, std::uint16_t default_port = 0);

}  // namespace cy
