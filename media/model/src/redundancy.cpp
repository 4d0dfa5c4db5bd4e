#include <cy/media/parity.hpp>
#include <cy/media/redundancy.hpp>

#include <cmath>
#include <limits>

namespace cy::media {
namespace {

// P[Binomial(n, p) > most]
double more_than(std::size_t most, std::size_t n, double p) {
  auto term = std::pow(1.0 - p, static_cast<double>(n));
  auto sum = term;
  for (std::size_t i = 1; i <= std::min(most, n); ++i) {
    term *= static_cast<double>(n - i + 1) / static_cast<double>(i) * p / (1.0 - p);
    sum += term;
  }
  return std::max(0.0, 1.0 - sum);
}

}  // namespace

void Redundancy::on_report(ReceiverReport const& report) {
  if (report.parity_received > report.blocks_received) return;
  auto const lost = double(report.blocks_lost) + double(report.blocks_restored);
  // Of data alone: nobody tells what parity was lost.
  auto const all = lost + double(report.blocks_received) - double(report.parity_received);
  if (all <= 0.0 || report.span <= Duration{}) return;
  rtt_ = std::clamp<Duration>(report.round_trip, 0s, 1s);
  auto const weight = 1.0 - std::exp(-seconds(report.span) / seconds(options_.memory));
  loss_ += weight * (lost / all - loss_);
  if (report.loss_bursts == 0) return;
  burst_ += weight * (std::max(1.0, lost / double(report.loss_bursts)) - burst_);
}

std::size_t Redundancy::rows_for(std::size_t blocks) const {
  if (blocks == 0 || blocks >= max_coded || loss_ < options_.believed) return 0;
  auto const most =
      std::min(static_cast<std::size_t>(std::ceil(options_.most * double(blocks))), max_coded - blocks);
  auto const p = std::min(0.5, loss_ / burst_);
  auto const ask = options_.ask_cost + options_.wait_cost * seconds(rtt_);
  std::size_t best = 0;
  auto least = std::numeric_limits<double>::infinity();
  for (std::size_t rows = 0; rows <= most; ++rows) {
    // A mean length is seldom whole: a row makes good a burst of 1.3, too, more often than not.
    auto const bursts = static_cast<std::size_t>(double(rows) / burst_ + 0.3);
    auto const failing = more_than(bursts, blocks + rows, p);
    auto const cost = double(rows) / double(blocks) + ask * failing;
    if (cost < least) {
      least = cost;
      best = rows;
    }
  }
  return best;
}

}  // namespace cy::media
