#include <cy/station/door.hpp>

#include <algorithm>

namespace cy::station {
namespace {

// Names in Host and Origin are compared without case (RFC 9110, 4.2.3).
bool same(std::string_view a, std::string_view b) {
  auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

Result<Endpoint> parse_listen(std::string_view text) {
  auto numeric = std::string(text);
  constexpr std::string_view name = "localhost";
  if (text.starts_with(name) && (text.size() == name.size() || text[name.size()] == ':'))
    numeric.replace(0, name.size(), "127.0.0.1");
  auto const endpoint = parse_endpoint(numeric, 8080);
  if (!endpoint) return fault("listen '{}': {}; for example 127.0.0.1:8080", text, endpoint.error().what);
  if (!is_loopback(*endpoint))
    return fault(
        "listen '{}': the page is served on loopback only, since whoever reaches it can drive; use "
        "127.0.0.1:{} and, from another machine, an SSH tunnel (ssh -L)",
        text, endpoint->port);
  return *endpoint;
}

Door::Door(std::uint16_t port) {
  for (auto const* name : {"127.0.0.1", "localhost", "[::1]"}) {
    hosts_.push_back(fmt::format("{}:{}", name, port));
    if (port == 80) hosts_.emplace_back(name);
  }
}

bool Door::host_allowed(std::string_view host) const {
  return std::any_of(hosts_.begin(), hosts_.end(), [&](auto const& known) { return same(known, host); });
}

bool Door::origin_allowed(std::string_view origin) const {
  constexpr std::string_view scheme = "http://";
  return origin.starts_with(scheme) && host_allowed(origin.substr(scheme.size()));
}

std::vector<std::pair<std::string_view, std::string>> headers_for(std::string_view host) {
  return {
      {"Content-Security-Policy",
       fmt::format("default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src "
                   "'self' ws://{}; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors "
                   "'none'",
                   host)},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Cache-Control", "no-cache"},
  };
}

}  // namespace cy::station
