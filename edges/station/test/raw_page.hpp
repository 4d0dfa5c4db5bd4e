// A page as the network sees it, on plain sockets: no library that the station itself uses.
#pragma once

#include <cy/base/endpoint.hpp>
#include <cy/station/messages.hpp>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <functional>

namespace cy::station {

class Tcp {
 public:
  explicit Tcp(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  }
  ~Tcp() { close(); }
  Tcp(Tcp const&) = delete;
  Tcp& operator=(Tcp const&) = delete;

  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }
  bool send(std::string_view text) const {
    return ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  // What has come within `longest`; nothing: the other side closed, or nothing came.
  std::string receive(std::chrono::milliseconds longest) {
    pollfd one{fd_, POLLIN, 0};
    if (::poll(&one, 1, static_cast<int>(longest.count())) <= 0) return {};
    std::string part(65536, '\0');
    auto const n = ::recv(fd_, part.data(), part.size(), 0);
    ended_ = n <= 0;
    part.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return part;
  }
  bool ended() const { return ended_; }

 private:
  int fd_;
  bool ended_ = false;
};

// One request; everything until the station closes.
inline std::string ask(std::uint16_t port, std::string const& request) {
  Tcp tcp(port);
  tcp.send(request);
  std::string all;
  while (!tcp.ended()) {
    auto const part = tcp.receive(std::chrono::milliseconds(3000));
    if (part.empty()) break;
    all += part;
  }
  return all;
}

inline std::string get(std::uint16_t port, std::string const& target, std::string const& more = {},
                       std::string const& method = "GET") {
  return ask(port, method + " " + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                       "\r\nConnection: close\r\n" + more + "\r\n");
}

inline std::string upgrade_request(std::string const& host, std::string const& origin) {
  return "GET /ws HTTP/1.1\r\nHost: " + host + "\r\n" + (origin.empty() ? "" : "Origin: " + origin + "\r\n") +
         "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
         "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
}

// RFC 6455, as far as a page needs it.
class RawPage {
 public:
  explicit RawPage(std::uint16_t port) : tcp_(port) {
    auto const own = "127.0.0.1:" + std::to_string(port);
    tcp_.send(upgrade_request(own, "http://" + own));
    while (in_.find("\r\n\r\n") == std::string::npos) {
      auto const part = tcp_.receive(std::chrono::milliseconds(3000));
      if (part.empty()) return;
      in_ += part;
    }
    answer_ = in_.substr(0, in_.find("\r\n"));
    in_.erase(0, in_.find("\r\n\r\n") + 4);
  }
  std::string const& answer() const { return answer_; }
  void close() { tcp_.close(); }
  bool ended() const { return tcp_.ended() || close_reason_; }
  std::optional<std::string> const& close_reason() const { return close_reason_; }

  void send_frame(std::uint8_t opcode, Bytes data) {
    std::string frame;
    frame += static_cast<char>(0x80 | opcode);
    if (data.size() < 126) {
      frame += static_cast<char>(0x80 | data.size());
    } else if (data.size() < 65536) {
      frame += static_cast<char>(0x80 | 126);
      for (auto const shift : {8, 0}) frame += static_cast<char>(data.size() >> shift);
    } else {
      frame += static_cast<char>(0x80 | 127);
      for (auto shift = 56; shift >= 0; shift -= 8) frame += static_cast<char>(data.size() >> shift);
    }
    frame += std::string("\1\2\3\4", 4);
    for (std::size_t i = 0; i < data.size(); ++i) frame += static_cast<char>(data[i] ^ (i % 4 + 1));
    tcp_.send(frame);
  }
  template <wire::Message M>
  void say(M const& message) {
    send_frame(2, wire::encoded(message));
  }
  template <wire::Message M>
  void command(std::uint32_t token, M const& what) {
    PageCommand c;
    c.token = token;
    c.robot = RobotId{1};
    c.what = wire::body_of(what);
    say(c);
  }

  // Reads, and pings as a page does, until a message of the type satisfies; nothing after `longest`.
  template <wire::Message M>
  std::optional<M> wait(std::function<bool(M const&)> const& good = {},
                        std::chrono::milliseconds longest = std::chrono::milliseconds(5000)) {
    auto const end = std::chrono::steady_clock::now() + longest;
    for (;;) {
      for (; at_ < messages_.size(); ++at_)
        if (auto m = wire::as<M>(wire::view(messages_[at_])); m && (!good || good(*m))) {
          ++at_;
          return m;
        }
      if (ended() || std::chrono::steady_clock::now() >= end) return std::nullopt;
      if (pings) say(PagePing{1.0});
      in_ += tcp_.receive(std::chrono::milliseconds(50));
      read_frames();
    }
  }
  bool pings = true;

 private:
  void read_frames() {
    for (;;) {
      auto const byte = [&](std::size_t i) { return static_cast<std::uint8_t>(in_[i]); };
      if (in_.size() < 2) return;
      std::size_t head = 2, size = byte(1) & 0x7f;
      if (size >= 126) {
        auto const more = size == 126 ? 2U : 8U;
        if (in_.size() < 2 + more) return;
        size = 0;
        for (std::size_t i = 0; i < more; ++i) size = size << 8 | byte(2 + i);
        head += more;
      }
      if (in_.size() < head + size) return;
      auto const opcode = byte(0) & 0x0f;
      auto const payload = in_.substr(head, size);
      // A long message comes in several frames.
      if (opcode == 0 || opcode == 2) message_ += payload;
      if (opcode == 9) send_frame(10, bytes_of(payload));
      if (opcode == 8) close_reason_ = payload.substr(std::min<std::size_t>(2, payload.size()));
      auto const last = (byte(0) & 0x80) != 0;
      in_.erase(0, head + size);
      if (opcode > 2 || !last) continue;
      wire::Walk walk(bytes_of(message_));
      while (auto const raw = walk.next()) messages_.push_back({raw->type, copy_of(raw->payload)});
      EXPECT_FALSE(walk.fault());
      message_.clear();
    }
  }

  Tcp tcp_;
  std::string in_, message_, answer_;
  std::vector<wire::Body> messages_;
  std::size_t at_ = 0;
  std::optional<std::string> close_reason_;
};

}  // namespace cy::station
