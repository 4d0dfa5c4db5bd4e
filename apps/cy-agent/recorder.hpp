// The black box on disk: MCAP files of bounded size in a folder, the oldest given up for the
// newest, readable up to the last second whatever happens to the process. A disk that is full or too
// slow loses records, says so, and never holds up the agent.
#pragma once

#include <cy/host/host.hpp>
#include <cy/net/worker.hpp>
#include <cy/record/writer.hpp>

namespace cy::agent {

class Recorder {
 public:
  // `bytes`: of all files together. An empty folder records nothing.
  Recorder(net::Worker& files, std::string folder, std::size_t bytes);
  ~Recorder();
  void on_record(host::Record const& record, Time now);
  void on_time(Time now);
  // What is recorded now reaches the disk.
  bool working() const;
  std::optional<Time> deadline() const { return folder_.empty() ? std::nullopt : writer_.deadline(); }

 private:
  // Owned by the worker's thread.
  struct Disk;
  void begin_file();
  void write();
  void hand_over();

  net::Worker& files_;
  std::string folder_;
  std::size_t file_bytes_;
  record::Writer writer_;
  std::array<record::ChannelId, names(host::Topic{}).size()> channels_{};
  std::size_t written_ = 0;  // bytes, of this file
  bool whole_ = false;       // this file has no hole
  std::uint64_t lost_ = 0;   // records since the last whole file
  Time retry_at_{};
  std::shared_ptr<Disk> disk_;
};

}  // namespace cy::agent
