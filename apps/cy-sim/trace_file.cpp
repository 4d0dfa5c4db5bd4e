#include "trace_file.hpp"

#include <cerrno>
#include <cstring>

namespace cy::sim {

Result<TraceFile> TraceFile::open(std::string const& path) {
  auto* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return fault("trace {}: {}", path, std::strerror(errno));
  return TraceFile{file};
}

void TraceFile::write(TraceEntry const& entry, unsigned robot) {
  auto const line = to_json(entry, robot) + '\n';
  std::fwrite(line.data(), 1, line.size(), file_.get());
  dirty_ = true;
}

void TraceFile::flush() {
  if (!std::exchange(dirty_, false)) return;
  std::fflush(file_.get());
}

}  // namespace cy::sim
