#include "recorder.hpp"

#include <cy/net/loop.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>

namespace cy::agent {
namespace {

namespace fs = std::filesystem;
// The newest of so many files is being written; the others are the past.
constexpr std::size_t files_kept = 4;
constexpr Duration retry = 10s;  // after the disk failed

Duration unix_offset() {
  return std::chrono::system_clock::now().time_since_epoch() - net::now().time_since_epoch();
}

}  // namespace

struct Recorder::Disk {
  fs::path folder;
  fs::path path;
  std::ofstream file;
  std::atomic<bool> failing{false};

  void begin() {
    std::error_code error;
    fs::create_directories(folder, error);
    std::vector<fs::path> old;
    for (auto const& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".mcap") old.push_back(entry.path());
    std::sort(old.begin(), old.end());
    for (std::size_t i = 0; i + files_kept <= old.size(); ++i) fs::remove(old[i], error);
    auto stamp = std::chrono::duration_cast<std::chrono::milliseconds>(
                     std::chrono::system_clock::now().time_since_epoch())
                     .count();
    do path = folder / fmt::format("blackbox-{}.mcap", stamp++);
    while (fs::exists(path, error));
    file = std::ofstream(path, std::ios::binary);
    judge();
  }
  void write(Bytes bytes) {
    if (failing) return;  // what comes after a hole cannot be read
    file.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.flush();
    judge();
  }
  void judge() {
    if (failing.exchange(!file) == !file) return;
    if (file)
      spdlog::info("black box: {} is written again", path.string());
    else
      spdlog::error("black box: {} cannot be written: is the disk full, or the folder somebody else's?",
                    path.string());
  }
};

Recorder::Recorder(net::Worker& files, std::string folder, std::size_t bytes)
    : files_(files),
      folder_(std::move(folder)),
      file_bytes_(bytes / files_kept),
      disk_(std::make_shared<Disk>()) {
  if (folder_.empty()) return;
  disk_->folder = folder_;
  begin_file();
}

Recorder::~Recorder() {
  if (!whole_) return;
  writer_.finish();
  hand_over();
}

bool Recorder::working() const {
  return !folder_.empty() && whole_ && !disk_->failing;
}

void Recorder::begin_file() {
  whole_ = files_.post([disk = disk_] { disk->begin(); });
  if (!whole_) return;
  if (auto const lost = std::exchange(lost_, 0); lost > 0)
    spdlog::warn("black box: the disk was too slow for {} records; a new file begins", lost);
  record::Options options;
  options.unix_offset = unix_offset();
  writer_ = record::Writer(options);
  for (std::size_t i = 0; i < channels_.size(); ++i)
    channels_[i] = writer_.add_channel({std::string(names(host::Topic{})[i]), "cylib"});
  written_ = 0;
}

void Recorder::on_record(host::Record const& record, Time now) {
  if (folder_.empty()) return;
  auto const again = disk_->failing && now >= retry_at_;
  if (again) retry_at_ = now + retry;
  if (again || !whole_) begin_file();
  if (!whole_) {
    ++lost_;
    return;
  }
  Buffer bytes(2 + record.bytes.size());
  store_le(bytes.data(), record.about);
  std::copy(record.bytes.begin(), record.bytes.end(), bytes.begin() + 2);
  writer_.on_record(channels_[static_cast<std::size_t>(record.topic)], bytes, now);
  write();
}

void Recorder::on_time(Time now) {
  if (folder_.empty()) return;
  writer_.on_time(now);
  write();
}

void Recorder::write() {
  hand_over();
  if (written_ < file_bytes_) return;
  writer_.finish();
  hand_over();
  begin_file();
}

// A slice that the worker does not take ends the file: a hole would spoil all that follows.
void Recorder::hand_over() {
  auto bytes = writer_.take();
  if (bytes.empty() || !whole_) return;
  written_ += bytes.size();
  whole_ = files_.post([disk = disk_, bytes = std::move(bytes)] { disk->write(bytes); });
}

}  // namespace cy::agent
