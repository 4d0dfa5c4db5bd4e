#include "recorder.hpp"

#include <cy/net/loop.hpp>

#include <spdlog/spdlog.h>

#include <filesystem>
#include <fstream>

namespace cy::agent {
namespace {

namespace fs = std::filesystem;
// The newest of so many files is being written; the others are the past.
constexpr std::size_t files_kept = 4;

Duration unix_offset() {
  return std::chrono::system_clock::now().time_since_epoch() - net::now().time_since_epoch();
}

}  // namespace

struct Recorder::Disk {
  fs::path folder;
  std::ofstream file;

  void begin() {
    std::error_code error;
    fs::create_directories(folder, error);
    std::vector<fs::path> old;
    for (auto const& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".mcap") old.push_back(entry.path());
    std::sort(old.begin(), old.end());
    for (std::size_t i = 0; i + files_kept <= old.size(); ++i) fs::remove(old[i], error);
    auto const stamp = std::chrono::duration_cast<std::chrono::milliseconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
    auto const path = folder / fmt::format("blackbox-{}.mcap", stamp);
    file = std::ofstream(path, std::ios::binary);
    if (!file) spdlog::error("black box: {} cannot be written", path.string());
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
  if (folder_.empty()) return;
  writer_.finish();
  write();
}

void Recorder::begin_file() {
  record::Options options;
  options.unix_offset = unix_offset();
  writer_ = record::Writer(options);
  for (std::size_t i = 0; i < channels_.size(); ++i)
    channels_[i] = writer_.add_channel({std::string(names(host::Topic{})[i]), "cylib"});
  written_ = 0;
  files_.post([disk = disk_] { disk->begin(); });
}

void Recorder::on_record(host::Record const& record, Time now) {
  if (folder_.empty()) return;
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
  auto bytes = writer_.take();
  if (bytes.empty()) return;
  written_ += bytes.size();
  files_.post([disk = disk_, bytes = std::move(bytes)] {
    disk->file.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    disk->file.flush();
  });
  if (written_ < file_bytes_) return;
  writer_.finish();
  auto last = writer_.take();
  files_.post([disk = disk_, last = std::move(last)] {
    disk->file.write(reinterpret_cast<char const*>(last.data()), static_cast<std::streamsize>(last.size()));
  });
  begin_file();
}

}  // namespace cy::agent
