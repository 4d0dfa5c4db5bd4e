// The trace as a file of JSON lines; sim/controllers/README.md has the form.
#pragma once

#include <cy/base/result.hpp>
#include <cy/controllers/trace.hpp>

#include <cstdio>
#include <memory>
#include <string>

namespace cy::sim {

class TraceFile {
 public:
  static Result<TraceFile> open(std::string const& path);
  void write(TraceEntry const& entry, unsigned robot);
  // What was written so far is there for readers.
  void flush();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit TraceFile(std::FILE* file) : file_{file} {}
  std::unique_ptr<std::FILE, Closer> file_;
  bool dirty_{};
};

}  // namespace cy::sim
