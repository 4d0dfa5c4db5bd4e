// A UDP port that receives and sends in batches.
#pragma once

#include <cy/net/loop.hpp>
#include <cy/session/datagram.hpp>

namespace cy::net {

struct UdpOptions {
  // After a datagram, look for the next one this long before sleeping; 0: never. It is done only
  // while it pays: when looking finds nothing most times, it is left for a while.
  Duration spin = 30us;
  int dscp = 0;                  // 46 (expedited forwarding) marks commands before video
  int receive_buffer = 1 << 20;  // bytes
};

class UdpPort {
 public:
  using OnDatagram = std::function<void(MutableBytes datagram, Endpoint const& from)>;
  // Called after each batch, when what the datagrams caused may be sent.
  using OnBatch = std::function<void()>;

  // `bind`: port 0 takes a free one. Faults name the address and the system's reason.
  static Result<std::unique_ptr<UdpPort>> open(Loop& loop, Endpoint bind, UdpOptions const& options,
                                               OnDatagram on_datagram, OnBatch on_batch);
  ~UdpPort();

  Endpoint local() const;
  // Sends all and clears the box. What the system cannot take now is dropped and counted.
  void send(session::Outbox& out);
  std::uint64_t unsent() const;

 private:
  struct Impl;
  explicit UdpPort(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace cy::net
