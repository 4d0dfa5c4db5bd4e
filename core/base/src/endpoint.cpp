#include <cy/base/endpoint.hpp>

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace cy {
namespace {
constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
}

bool is_ipv4(Endpoint const& e) {
  return std::equal(mapped.begin(), mapped.end(), e.address.begin());
}

bool is_loopback(Endpoint const& e) {
  if (is_ipv4(e)) return e.address[12] == 127;
  return std::all_of(e.address.begin(), e.address.end() - 1, [](auto b) { return b == 0; }) &&
         e.address[15] == 1;
}

std::string to_string(Endpoint const& e) {
  char text[INET6_ADDRSTRLEN] = {};
  if (is_ipv4(e)) {
    inet_ntop(AF_INET, e.address.data() + 12, text, sizeof text);
    return fmt::format("{}:{}", text, e.port);
  }
  inet_ntop(AF_INET6, e.address.data(), text, sizeof text);
  return fmt::format("[{}]:{}", text, e.port);
}

Result<Endpoint> parse_endpoint(std::string_view text, std::uint16_t default_port) {
  auto host = text;
  auto port_text = std::string_view{};
  if (text.starts_with('[')) {
    auto const close = text.find(']');
    if (close == std::string_view::npos) return fault("address '{}': ']' is missing", text);
    host = text.substr(1, close - 1);
    auto const rest = text.substr(close + 1);
    if (!rest.empty() && !rest.starts_with(':'))
      return fault("address '{}': ':PORT' expected after ']'", text);
    if (!rest.empty()) port_text = rest.substr(1);
    if (!rest.empty() && port_text.empty()) return fault("address '{}': the port is empty", text);
  } else if (auto const colon = text.find(':'); colon != std::string_view::npos && colon == text.rfind(':')) {
    host = text.substr(0, colon);
    port_text = text.substr(colon + 1);
    if (port_text.empty()) return fault("address '{}': the port is empty", text);
  }

  Endpoint e{{}, default_port};
  if (!port_text.empty()) {
    auto const [end, error] = std::from_chars(port_text.data(), port_text.data() + port_text.size(), e.port);
    if (error != std::errc{} || end != port_text.data() + port_text.size())
      return fault("address '{}': '{}' is no port (0 to 65535)", text, port_text);
  }
  auto const host_text = std::string(host);
  if (inet_pton(AF_INET, host_text.c_str(), e.address.data() + 12) == 1) {
    std::copy(mapped.begin(), mapped.end(), e.address.begin());
    return e;
  }
  if (inet_pton(AF_INET6, host_text.c_str(), e.address.data()) == 1) return e;
  return fault("address '{}': '{}' is no numeric IPv4 or IPv6 address", text, host);
}

}  // namespace cy
