// Measures several peers side by side: blocks of round trips in turn, so that what disturbs the
// machine disturbs all of them.
#pragma once

#include "peer.hpp"
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cy::bench {

struct Plan {
  std::size_t blocks = 21;
  std::size_t per_block = 2000;
  // Round trips at the head of each block that are not recorded: the caches are somebody else's.
  std::size_t warm_up = 50;
  std::size_t payload = 64;
};

// Each is the median over the blocks of that block's quantile, in microseconds.
struct Latency {
  std::string system;
  double p50_us = 0;
  double p99_us = 0;
  double p999_us = 0;
  std::int64_t lost = 0;  // in all blocks
};

// The peers must have been started. Throws what they throw.
std::vector<Latency> measure(std::vector<std::unique_ptr<Peer>> const& peers, Plan const& plan);

}  // namespace cy::bench
