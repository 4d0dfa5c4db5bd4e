#include "settings.hpp"

#include <cy/app/config.hpp>
#include <cy/app/keys.hpp>
#include <cy/station/door.hpp>

#include <netdb.h>

#include <filesystem>

namespace cy::station {
namespace {

namespace fs = std::filesystem;

constexpr std::uint16_t agent_port = 4747;

std::string first(std::string const& given, std::string const& otherwise) {
  return given.empty() ? otherwise : given;
}

// Paths in a file are meant from where the file is.
std::string beside(std::string const& file, std::string const& path) {
  return path.empty() || file.empty() ? path : (fs::path(file).parent_path() / path).string();
}
std::string key_beside(std::string const& file, std::string const& key) {
  return key.starts_with("cy-public:") ? key : beside(file, key);
}

// Where a build tree and an installation keep the page, seen from the program.
std::string find_page(fs::path const& folder) {
  std::vector<fs::path> const places{folder / "../web/dist", folder / "../../web/dist",
                                     folder / "../../../web/dist", folder / "../share/cylib/web"};
  std::error_code error;
  for (auto const& place : places)
    if (fs::exists(place / "index.html", error)) return place.lexically_normal().string();
  return places.back().lexically_normal().string();
}

// The address of the agent: numeric, or a name that is looked up once, at the start.
Result<Endpoint> find_agent(std::string const& text) {
  if (auto const numeric = parse_endpoint(text, agent_port)) return *numeric;
  auto const colon = text.rfind(':');
  auto const name = text.substr(0, colon);
  auto const port = colon == std::string::npos ? std::to_string(agent_port) : text.substr(colon + 1);
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (auto const error = ::getaddrinfo(name.c_str(), port.c_str(), &hints, &found); error != 0)
    return fault("the agent's address '{}': {}; for example 10.0.0.7:{}", text, ::gai_strerror(error),
                 agent_port);
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> service{};
  auto const error = ::getnameinfo(found->ai_addr, found->ai_addrlen, host.data(), host.size(),
                                   service.data(), service.size(), NI_NUMERICHOST | NI_NUMERICSERV);
  auto const v6 = found->ai_family == AF_INET6;
  ::freeaddrinfo(found);
  if (error != 0) return fault("the agent's address '{}': {}", text, ::gai_strerror(error));
  auto const numeric = v6 ? fmt::format("[{}]:{}", host.data(), service.data())
                          : fmt::format("{}:{}", host.data(), service.data());
  return parse_endpoint(numeric, agent_port);
}

Result<Role> role_of(std::string const& text) {
  auto const all = names(Role{});
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i] == text) return static_cast<Role>(i);
  return fault("the role '{}' is not known: observer, operator, editor or manager", text);
}

}  // namespace

Result<StationOptions> settings_from(Given const& given, std::string const& program_folder) {
  auto file = given.config.empty() ? app::parse_config("", "") : app::read_config(given.config);
  if (!file) return tl::unexpected(file.error());

  StationOptions options;
  auto station = file->table("station");
  auto agent = file->table("agent");
  auto link = file->table("link");
  options.desk.name = first(given.name, station.text("name", "station"));
  auto const listen = first(given.listen, station.text("listen", "127.0.0.1:8080"));
  options.web = first(given.web, beside(given.config, station.text("web", "")));
  auto const key_file = first(given.key, beside(given.config, station.text("key_file", "station.key")));
  auto const role = first(given.role, station.text("role", "operator"));
  auto const address = first(given.agent, agent.text("address", ""));
  auto const agent_key = first(given.agent_key, key_beside(given.config, agent.text("key", "")));
  auto& core = options.client.core;
  core.set_point_lifetime = link.milliseconds("drive_lifetime_ms", core.set_point_lifetime, 50ms, 1s);
  core.set_point_period = link.milliseconds("drive_period_ms", core.set_point_period, 10ms, 500ms);
  if (auto const faults = file->finish(); !faults) return tl::unexpected(faults.error());

  auto const where = parse_listen(listen);
  if (!where) return tl::unexpected(where.error());
  options.listen = *where;
  if (options.web.empty()) options.web = find_page(program_folder);
  auto const highest = role_of(role);
  if (!highest) return tl::unexpected(highest.error());
  options.client.role = *highest;
  if (address.empty())
    return fault("no agent is named: say where it is with --agent HOST:PORT, or [agent] address in --config");
  auto const at = find_agent(address);
  if (!at) return tl::unexpected(at.error());
  options.client.agent = *at;
  if (agent_key.empty())
    return fault("the agent's public key is not known: give it with --agent-key, or [agent] key in --config");
  auto const trusted = app::read_public_key(agent_key);
  if (!trusted) return tl::unexpected(trusted.error());
  options.client.agent_key = *trusted;
  auto own = app::read_key(key_file);
  if (!own) return tl::unexpected(own.error());
  options.client.key = std::make_shared<seal::KeyPair const>(std::move(*own));
  return options;
}

}  // namespace cy::station
