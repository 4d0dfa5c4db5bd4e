// The station's options, from a file and from the command line, which wins.
//
//   [station]  name, listen, web, key_file, role
//   [agent]    address, key (cy-public:… or the path of a .pub file)
//   [link]     drive_lifetime_ms, drive_period_ms
//
// Paths in the file are relative to it.
#pragma once

#include <cy/station/station.hpp>

namespace cy::station {

// As given on the command line; empty: not given.
struct Given {
  std::string config, name, listen, web, key, role, agent, agent_key;
};

// Faults name the file, the line and the key, or the option.
Result<StationOptions> settings_from(Given const& given, std::string const& program_folder);

}  // namespace cy::station
