#include "interleave.hpp"

#include "report.hpp"
#include <algorithm>

namespace cy::bench {
namespace {

struct Series {
  std::vector<double> p50, p99, p999;
  std::int64_t lost = 0;
};

void run_block(Peer& peer, Plan const& plan, Series& series) {
  Buffer payload(plan.payload);
  std::vector<double> samples;
  samples.reserve(std::max(plan.warm_up, plan.per_block));
  peer.round_trips(plan.warm_up, payload, samples);
  samples.clear();
  series.lost += peer.round_trips(plan.per_block, payload, samples);
  if (samples.empty()) return;
  series.p50.push_back(quantile(samples, 0.5));
  series.p99.push_back(quantile(samples, 0.99));
  series.p999.push_back(quantile(samples, 0.999));
}

}  // namespace

std::int64_t Peer::round_trips(std::size_t count, MutableBytes payload, std::vector<double>& samples) {
  using Clock = std::chrono::steady_clock;
  std::int64_t lost = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // Every message differs, so an answer to an earlier one is noticed.
    for (std::size_t at = 0; at < payload.size(); ++at) payload[at] = static_cast<std::uint8_t>(i * 7 + at);
    auto const begin = Clock::now();
    auto const came_back = round_trip(payload);
    auto const end = Clock::now();
    if (came_back)
      samples.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
    else
      ++lost;
  }
  return lost;
}

std::vector<Latency> measure(std::vector<std::unique_ptr<Peer>> const& peers, Plan const& plan) {
  std::vector<Series> series(peers.size());
  for (std::size_t block = 0; block < plan.blocks; ++block)
    for (std::size_t i = 0; i < peers.size(); ++i) {
      // A block begins where the last one did not, so nobody always follows the same neighbour.
      auto const turn = (i + block) % peers.size();
      run_block(*peers[turn], plan, series[turn]);
    }

  std::vector<Latency> rows;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    auto& s = series[i];
    rows.push_back({std::string(peers[i]->name()), quantile(s.p50, 0.5), quantile(s.p99, 0.5),
                    quantile(s.p999, 0.5), s.lost});
  }
  return rows;
}

}  // namespace cy::bench
