// The process in which a peer's server runs: this same program, started again with --serve.
#pragma once

#include <sys/types.h>

#include "peer.hpp"
#include <string>
#include <string_view>
#include <vector>

namespace cy::bench {

// The caller's side. The server ends when this object goes, even if this process is killed: it
// watches the pipe on its standard input.
class ServerProcess {
 public:
  ServerProcess() = default;
  ~ServerProcess();
  ServerProcess(ServerProcess const&) = delete;
  ServerProcess& operator=(ServerProcess const&) = delete;

  // Starts `--serve name arguments…` and returns what the server announces: words on one line.
  // Throws std::runtime_error if it announces nothing.
  std::vector<std::string> start(std::string_view name, PeerOptions const&,
                                 std::vector<std::string> const& arguments);

 private:
  pid_t pid_ = -1;
  int stdin_ = -1;
};

// The server's side.
void announce(std::string const& words);
// Ends the process as soon as standard input closes; call before the server's own loop.
void end_with_parent();

}  // namespace cy::bench
