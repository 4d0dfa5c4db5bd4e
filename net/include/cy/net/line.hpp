// A byte line to a controller: a TCP connection or a serial port, by one address syntax.
//
//   tcp:HOST:PORT      serial:/dev/ttyUSB0
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/base/result.hpp>
#include <cy/net/loop.hpp>

namespace cy::net {

class Line {
 public:
  struct Handlers {
    std::function<void()> on_opened;
    std::function<void(Bytes bytes)> on_bytes;
    std::function<void(std::string_view why)> on_closed;  // at most once for each open()
  };
  Line(Loop& loop, Handlers handlers);
  ~Line();

  // Ends in on_opened or on_closed; an open line is closed first, silently.
  void open(std::string const& address, unsigned baud);
  void close();  // no on_closed
  // Bytes are sent in order; what cannot be sent within `limit` bytes of backlog closes the line.
  void send(Bytes bytes);
  void set_baud(unsigned baud);  // serial only

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

// The address, taken apart; faults say what the syntax is.
struct LineAddress {
  bool serial = false;
  std::string host_or_path;
  std::string port;
};
Result<LineAddress> parse_line_address(std::string_view text);

}  // namespace cy::net
