// The last events of a process, in a ring of fixed size, and a complete MCAP file of them on
// demand: what a fault report carries, and what a replayer turns into a test.
//
// Recording allocates nothing and copies the bytes once; the oldest records make room.
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/base/time.hpp>
#include <cy/record/writer.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cy::record {

struct BlackBoxCounters {
  std::uint64_t recorded{};
  std::uint64_t overwritten{};  // made room for newer ones
  std::uint64_t too_big{};      // did not fit into the whole ring and were left out
};

class BlackBox {
 public:
  // `capacity` bytes hold the records and 20 bytes more for each of them.
  explicit BlackBox(std::size_t capacity, Options options = {});

  ChannelId add_channel(ChannelInfo info);
  void on_record(ChannelId channel, Bytes bytes, Time at);

  // A whole MCAP file: all records still held, oldest first, with gaps visible in the sequence
  // numbers, and the facts `black box` with the reason, the time of the snapshot and the counters.
  // The ring stays as it is.
  Buffer snapshot(Time now, std::string_view reason) const;

  std::size_t held() const { return held_; }
  BlackBoxCounters const& counters() const { return counters_; }

 private:
  struct Head {
    std::int64_t at_ns;
    std::uint32_t size;
    std::uint32_t sequence;
    std::uint32_t channel;
  };
  static constexpr std::size_t head_size = 20;

  void put(Bytes bytes);
  void copy_out(std::size_t at, MutableBytes bytes) const;
  Head head_at(std::size_t at) const;

  Options options_;
  std::vector<ChannelInfo> channels_;
  std::vector<std::uint32_t> sequences_;
  Buffer ring_;
  std::size_t first_ = 0;  // where the oldest record starts
  std::size_t used_ = 0;   // bytes
  std::size_t held_ = 0;   // records
  BlackBoxCounters counters_;
};

}  // namespace cy::record
