// cy: keys, driving, looking and bad networks from the command line.
#include <cy/app/keys.hpp>

#include <nlohmann/json.hpp>
#include <pwd.h>
#include <unistd.h>

#include "commands.hpp"

namespace cy::cli {

int fail(Fault const& fault, bool json) {
  if (json)
    fmt::print("{}\n", nlohmann::json{{"error", fault.what}}.dump());
  else
    fmt::print(stderr, "cy: {}\n", fault.what);
  return 1;
}

// CLI::Range lets "nan" through, as it is neither too small nor too large.
CLI::Validator seconds_range() {
  return {[](std::string const& text) {
            double value{};
            if (CLI::detail::lexical_cast(text, value) && value >= 0.0 && value <= 3600.0)
              return std::string{};
            return text + " is no number from 0 to 3600";
          },
          "SECONDS"};
}

void Reach::add_to(CLI::App& command) {
  command.add_option("--agent", agent, "the agent's address, HOST:PORT")->capture_default_str();
  command.add_option("--agent-key", agent_key, "the agent's public key, or its .pub file");
  command.add_option("--key", key, "this side's secret key file")->capture_default_str();
  command.add_flag("--clear", clear,
                   "nothing is sealed or proven, and no keys are needed: everybody on the way can read and "
                   "command; the agent must allow it (allow_clear)");
  command.add_option("--person", person, "who commands, as others see it; default: the user's name");
  command.add_flag("--json", json, "print JSON, a line each");
}

Result<std::unique_ptr<Client>> Reach::open(ClientHandlers handlers) const {
  ClientOptions options;
  auto const where = parse_endpoint(agent, 4747);
  if (!where) return tl::unexpected(where.error());
  options.agent = *where;
  if (clear) {
    fmt::print(stderr, "cy: NOT SEALED: everybody on the way can read this link and command through it\n");
    options.core.dialer.clear = true;
  } else {
    if (agent_key.empty()) return fault("the agent's key is needed: --agent-key FILE.pub, or --clear");
    auto const theirs = app::read_public_key(agent_key);
    if (!theirs) return tl::unexpected(theirs.error());
    auto own = app::read_key(key);
    if (!own) return tl::unexpected(own.error());
    options.agent_key = *theirs;
    options.key = std::make_shared<seal::KeyPair const>(std::move(*own));
  }
  options.name = "cy";
  options.person = person;
  options.role = role;
  if (options.person.empty())
    if (auto const* user = ::getpwuid(::getuid())) options.person = user->pw_name;
  return Client::open(std::move(options), std::move(handlers));
}

}  // namespace cy::cli

int main(int argc, char** argv) {
  CLI::App app{"CyLib's command line. Every command has --help."};
  app.require_subcommand(1);
  auto status = 0;
  cy::cli::add_keygen(app, status);
  cy::cli::add_trust(app, status);
  cy::cli::add_drive(app, status);
  cy::cli::add_status(app, status);
  cy::cli::add_stop(app, status);
  cy::cli::add_task(app, status);
  cy::cli::add_emulate(app, status);
  CLI11_PARSE(app, argc, argv);
  return status;
}
