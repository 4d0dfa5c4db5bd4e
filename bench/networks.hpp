// Events sent open loop, as a person's are, through an emulated network.
#pragma once

#include <string>
#include <vector>

namespace cy::bench {

struct OpenLoop {
  std::string net;    // a preset or spec of cy emulate
  double per_s = 50;  // events a second
  std::size_t count = 2000;
  std::size_t message = 64;  // bytes
};

struct OpenLoopResult {
  OpenLoop plan;
  double p50_us = 0, p99_us = 0, p999_us = 0;
  std::int64_t lost = 0;  // not applied within two seconds
};

// All at once, each with an agent process, a client and a network of its own.
std::vector<OpenLoopResult> measure_open_loop(std::string const& agent_program,
                                              std::vector<OpenLoop> const& plans);

// The bare socket's ping-pong through the same network: what a loss costs when nobody repeats.
OpenLoopResult measure_raw_udp(OpenLoop const& plan);

}  // namespace cy::bench
