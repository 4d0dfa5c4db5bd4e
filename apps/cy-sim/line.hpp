// Where a simulated controller's bytes come from and go to: a TCP port that takes one client at a
// time, as controllers behind a serial bridge do, or a pty. Lives in the io_context's thread.
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/base/result.hpp>

#include "robot_spec.hpp"
#include <functional>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace cy::sim {

class Line {
 public:
  struct Handlers {
    std::function<void()> on_connected;
    std::function<void()> on_disconnected;
    std::function<void(Bytes)> on_bytes;
  };
  virtual ~Line() = default;
  // Bytes that the client does not fetch are lost, as on a serial line: 64 KiB wait at most.
  virtual void write(Buffer bytes) = 0;
  // The controller's own rate from now on: a serial client at another one hears garbage, and is heard
  // as such. A TCP port has none.
  virtual void set_baud(unsigned) {}
  // Ends the connection after what was written, and waits for the next client.
  virtual void hang_up() = 0;
  // As robot drivers spell it: tcp:127.0.0.1:8101, serial:/tmp/pioneer.
  virtual std::string address() const = 0;
};

// `bind` is a numeric IP address. Handlers are called from the loop only.
// `baud`: of the controller at first, and of a pty until a client sets its own.
Result<std::unique_ptr<Line>> open_line(boost::asio::io_context& loop, RobotSpec const& spec,
                                        std::string const& bind, unsigned baud, Line::Handlers handlers);

}  // namespace cy::sim
