// The subcommands of cy. Each adds itself to the application and sets the exit status when run.
#pragma once

#include <cy/client/client.hpp>

#include <CLI/CLI.hpp>

namespace cy::cli {

void add_keygen(CLI::App& app, int& status);
void add_trust(CLI::App& app, int& status);
void add_drive(CLI::App& app, int& status);
void add_status(CLI::App& app, int& status);
void add_stop(CLI::App& app, int& status);
void add_task(CLI::App& app, int& status);
void add_emulate(CLI::App& app, int& status);

// Prints the fault, as JSON when asked to, and returns the exit status 1.
int fail(Fault const& fault, bool json);

// For options of seconds: a number from 0 to an hour.
CLI::Validator seconds_range();

// What a command needs to reach an agent.
struct Reach {
  std::string agent = "127.0.0.1:4747";
  std::string agent_key;
  std::string key = "station.key";
  bool clear = false;
  std::string person;
  Role role = Role::operator_;  // claimed; the agent bounds it by what it trusts the key with
  bool json = false;
  void add_to(CLI::App& command);
  Result<std::unique_ptr<Client>> open(ClientHandlers handlers = {}) const;
};

}  // namespace cy::cli
