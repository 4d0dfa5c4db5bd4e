// How much parity a frame is worth, by what its receiver lost lately: parity costs bandwidth, a frame that
// still lacks something costs a round trip, and the least of both together is chosen. Few long bursts are
// left to resends, frequent short ones are not.
//
// Losses are modelled as independent bursts of the mean length that was measured: of n blocks, a
// number of bursts ~ Binomial(n, loss / length) is lost, each as long as the mean. With length 1 that
// is independent loss. Pure; one for each viewer of a stream.
#pragma once

#include <cy/media/messages.hpp>

namespace cy::media {

struct RedundancyOptions {
  // What a frame that has to be asked for costs, in frames' bandwidth: something at any rate, and more the
  // longer the answer takes. So a frame of six blocks gets one row at 2 % loss and 40 ms there and back, two
  // at 5 % and 100 ms.
  double ask_cost = 3.0;
  double wait_cost = 50.0;  // for each second of the round trip
  double most = 0.5;        // parity for each data block: a worse link has to slow down instead
  Duration memory = 2s;     // how long a loss is remembered (time constant)
  double believed = 0.002;  // less loss than that is not worth parity
};

class Redundancy {
 public:
  explicit Redundancy(RedundancyOptions options = {}) : options_(options) {}

  void on_report(ReceiverReport const& report);
  // Parity blocks for a frame of so many data blocks.
  std::size_t rows_for(std::size_t blocks) const;

 private:
  RedundancyOptions options_;
  double loss_{};      // share of the blocks
  double burst_{1.0};  // blocks
  Duration rtt_{};
};

}  // namespace cy::media
