// A UDP proxy with an emulated network in it: what `cy emulate` is.
#pragma once

#include <cy/emulate/pipe.hpp>
#include <cy/net/udp.hpp>

#include <map>

namespace cy::net {

struct ProxyOptions {
  Endpoint listen;
  Endpoint target;
  emulate::Schedule there;  // from the clients to the target
  emulate::Schedule back;
  Seed seed;
  std::size_t max_clients = 64;  // at once; the one that was quiet longest gives way
};

// Each client gets a port of its own towards the target, so that answers find their way back.
class Proxy {
 public:
  static Result<std::unique_ptr<Proxy>> open(Loop& loop, ProxyOptions options);

  Endpoint local() const { return port_->local(); }
  struct Counters {
    emulate::Counters there, back;
    std::size_t clients = 0;  // that ever came
  };
  Counters counters() const;

 private:
  Proxy(Loop& loop, ProxyOptions options);
  struct Client {
    Endpoint from;
    std::unique_ptr<UdpPort> port;
    emulate::Pipe there, back;
    Time heard{};
  };
  Client* admit(Endpoint const& from);
  void on_client(MutableBytes datagram, Endpoint const& from);
  void settle();

  Loop& loop_;
  ProxyOptions options_;
  std::unique_ptr<UdpPort> port_;
  Timer timer_;
  std::map<Endpoint, std::unique_ptr<Client>> clients_;
  Counters gone_;  // what passed for clients that gave way
  session::Outbox out_;
};

}  // namespace cy::net
