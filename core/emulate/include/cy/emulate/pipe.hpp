// One direction of a virtual network path: datagrams go in, and come out when the path lets them.
//
//   in ─► down or lost? ─► duplicated? ─► queue (rate) ─► delay + jitter, held back? ─► out
//
// A pure machine: same path, seed and calls, same results. Loss comes before the queue, as on a
// radio hop in front of a bottleneck; a duplicate takes its own place in the queue.
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/base/random.hpp>
#include <cy/base/time.hpp>
#include <cy/emulate/path.hpp>

#include <optional>
#include <set>
#include <vector>

namespace cy::emulate {

struct Delivery {
  Time at{};  // when it left the path
  Buffer bytes{};
};

// sent + duplicated == lost + queue_dropped + delivered + what is still under way.
struct Counters {
  std::uint64_t sent{};           // went in
  std::uint64_t lost{};           // by chance, burst or outage
  std::uint64_t queue_dropped{};  // the queue was full
  std::uint64_t duplicated{};     // copies made
  std::uint64_t held_back{};      // those behind them could overtake
  std::uint64_t delivered{};      // came out
  friend bool operator==(Counters const&, Counters const&) = default;
};

class Pipe {
 public:
  Pipe(Schedule schedule, Seed seed);

  void on_datagram(Bytes bytes, Time now);
  // When the next datagram comes out.
  std::optional<Time> deadline() const;
  // All that came out up to `now`, in order of time.
  std::vector<Delivery> drain(Time now);

  Counters const& counters() const { return counters_; }
  std::size_t under_way() const { return under_way_.size(); }

 private:
  struct Flight {
    Time at{};
    std::uint64_t order{};   // of two at the same time the older one comes first
    mutable Buffer bytes{};  // a set's elements are const; the bytes are no part of the order
    bool operator<(Flight const& other) const { return at != other.at ? at < other.at : order < other.order; }
  };
  bool loses(Path const& path);
  void enqueue(Bytes bytes, Path const& path, Time now);

  Schedule schedule_;
  Random random_;
  bool bad_ = false;  // the Gilbert-Elliott state
  std::optional<Time> start_;
  Time queue_free_{};  // when the bottleneck has sent all that waits
  Time last_out_{};    // jitter keeps the order: nothing leaves before this
  std::uint64_t order_ = 0;
  std::set<Flight> under_way_;
  Counters counters_;
};

}  // namespace cy::emulate
