// The agent's configuration file, as values.
#pragma once

#include <cy/base/result.hpp>
#include <cy/host/host.hpp>

namespace cy::agent {

struct Settings {
  Endpoint listen = ipv4(127, 0, 0, 1, 4747);
  std::string key_file;
  std::string trust_file;
  std::string socket;     // for cameras; empty: none
  std::string black_box;  // folder; empty: nothing is recorded
  long black_box_mib = 64;
  std::string port_file;  // gets the port that was taken
  bool real_time = true;  // ask for it
  host::HostOptions host;
};

// Paths in the file are relative to it. Faults name file, line, key and what is allowed.
Result<Settings> read_settings(std::string const& path);

}  // namespace cy::agent
