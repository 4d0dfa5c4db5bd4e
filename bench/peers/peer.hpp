// A system that answers 64-byte messages, measured beside ours: start it, then one round trip at a
// time.
#pragma once

#include <cy/base/bytes.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cy::bench {

struct PeerOptions {
  // Where the server listens, as an IPv4 address.
  std::string host = "127.0.0.1";
  // What the server's process is started through, such as {"ip", "netns", "exec", "far"}.
  std::vector<std::string> server_prefix;
  // A round trip that takes longer is lost.
  std::chrono::milliseconds timeout{1000};
  // Called with the server's UDP port: the port that is connected to instead. For raw_udp only.
  std::function<std::uint16_t(std::uint16_t)> through;
};

// One client and its server, which runs in a process of its own. Used from one thread. Errors
// that are not a lost message are exceptions: a peer that cannot run must not look slow.
class Peer {
 public:
  Peer() = default;
  Peer(Peer const&) = delete;
  Peer& operator=(Peer const&) = delete;
  virtual ~Peer() = default;

  virtual std::string_view name() const = 0;
  // Starts the server, connects, and has had one answer when it returns.
  virtual void start(PeerOptions const&) = 0;
  // Sends the payload and waits for it to come back; false if it did not in time.
  virtual bool round_trip(Bytes payload) = 0;
  // So many in a row, each message another one; appends the µs of each and returns how many were
  // lost. A system that lives on a loop of its own does this there.
  virtual std::int64_t round_trips(std::size_t count, MutableBytes payload, std::vector<double>& samples);
};

// An answer that is not what was asked.
struct WrongAnswer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One line for each system: how to make its client, and what its server's process runs.
struct System {
  std::string_view name;
  std::unique_ptr<Peer> (*make)();
  // Announces itself by one line on standard output and answers until standard input closes.
  int (*serve)(std::vector<std::string> const& arguments);
};

// The systems that were found when this was built.
std::vector<System> const& systems();

}  // namespace cy::bench
