// What a network path does to datagrams, and how that changes with time.
#pragma once

#include <cy/base/time.hpp>

#include <optional>
#include <vector>

namespace cy::emulate {

// Loss in bursts: a two-state Markov chain stepped once a datagram (Gilbert 1960, Elliott 1963).
// All are probabilities, 0 to 1.
struct GilbertElliott {
  double p_bad{};        // good → bad
  double p_good{};       // bad → good; bursts last 1 / p_good datagrams on average
  double loss_good = 0;  // loss while good
  double loss_bad = 1;   // loss while bad
  friend bool operator==(GilbertElliott const&, GilbertElliott const&) = default;
};

// The default loses and delays nothing.
struct Path {
  Duration delay{};   // one way
  Duration jitter{};  // each datagram is late by a further uniform share of this; order is kept
  double loss{};      // independent of everything, 0 to 1
  std::optional<GilbertElliott> bursts{};
  double duplicate{};  // 0 to 1: delivered twice
  double reorder{};    // 0 to 1: held back by `late`, so that those behind overtake it
  Duration late = 10ms;
  std::optional<double> rate_bps{};  // bit/s of payload bytes; none: unlimited
  Duration queue = 300ms;            // with a rate: what would wait longer is dropped
  bool down{};                       // an outage: nothing gets through
  friend bool operator==(Path const&, Path const&) = default;
};

// A path that changes: each entry holds from `after` (counted from the first datagram or the
// first look at the pipe) until the next one. `period` repeats the whole, zero does not.
struct Schedule {
  struct Entry {
    Duration after{};
    Path path{};
  };
  std::vector<Entry> entries;  // in order of time; the first with after == 0
  Duration period{};

  Schedule() : entries{{}} {}
  Schedule(Path const& path)
      : entries{{Duration{}, path}} {}  // NOLINT(google-explicit-constructor): a path is one

  Path const& at(Duration elapsed) const;
};

}  // namespace cy::emulate
