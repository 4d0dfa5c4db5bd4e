// A blocking UDP socket over IPv4, and nothing else: the floor that everything is measured from.
#pragma once

#include <cy/base/bytes.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace cy::bench {

class UdpSocket {
 public:
  UdpSocket();  // throws std::system_error, as all of these do
  ~UdpSocket();
  UdpSocket(UdpSocket const&) = delete;
  UdpSocket& operator=(UdpSocket const&) = delete;

  void bind(std::string const& host);
  void connect(std::string const& host, std::uint16_t port);
  void receive_for_at_most(std::chrono::milliseconds);
  std::uint16_t port() const;

  void send(Bytes);                                  // to where it is connected
  std::optional<std::size_t> receive(MutableBytes);  // nothing: the time is over
  std::size_t receive_and_remember(MutableBytes);    // and who sent it
  void answer(Bytes);                                // to who was remembered

 private:
  int fd_;
  alignas(8) std::uint8_t sender_[16] = {};
};

}  // namespace cy::bench
