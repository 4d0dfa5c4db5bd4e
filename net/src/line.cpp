#include <cy/net/line.hpp>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/serial_port.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "loop_impl.hpp"

namespace cy::net {
namespace {
// A controller that takes no bytes is not there; its stop must not wait behind old ones.
constexpr std::size_t max_backlog = 16 * 1024;
constexpr Duration connect_time = 3s;
}  // namespace

Result<LineAddress> parse_line_address(std::string_view text) {
  auto const syntax = "use tcp:HOST:PORT or serial:/dev/NAME";
  if (text.starts_with("serial:")) {
    auto const path = text.substr(7);
    if (!path.starts_with('/'))
      return fault("address '{}': '{}' is no absolute path; {}", text, path, syntax);
    return LineAddress{true, std::string(path), {}};
  }
  if (text.starts_with("tcp:")) {
    auto const rest = text.substr(4);
    auto const colon = rest.rfind(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == rest.size())
      return fault("address '{}': host or port is missing; {}", text, syntax);
    auto host = rest.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    return LineAddress{false, std::string(host), std::string(rest.substr(colon + 1))};
  }
  return fault("address '{}': unknown kind; {}", text, syntax);
}

struct Line::Impl : std::enable_shared_from_this<Line::Impl> {
  Impl(Loop& loop, Handlers h)
      : context(loop.impl().context),
        handlers(std::move(h)),
        tcp(context),
        serial(context),
        resolver(context),
        limit(context) {}

  // Each open() has its number; what an earlier one still had under way finds it changed.
  void open(std::string const& address, unsigned baud) {
    shut();
    auto const mine = ++number;
    auto const parsed = parse_line_address(address);
    auto const fail = [this, mine](std::string why) {
      asio::post(context,
                 [self = shared_from_this(), mine, why = std::move(why)] { self->ended(mine, why); });
    };
    if (!parsed) return fail(parsed.error().what);
    is_serial = parsed->serial;
    if (is_serial) {
      boost::system::error_code error;
      serial.open(parsed->host_or_path, error);
      if (!error) error = claim();
      if (!error) error = configure(baud);
      if (error) return fail(error.message());
      asio::post(context, [self = shared_from_this(), mine] { self->opened(mine); });
      return;
    }
    limit.expires_after(connect_time);
    limit.async_wait([self = shared_from_this(), mine](auto error) {
      if (!error) self->ended(mine, "no connection within 3 s");
    });
    resolver.async_resolve(parsed->host_or_path, parsed->port,
                           [self = shared_from_this(), mine](auto error, auto results) {
                             if (mine != self->number) return;
                             if (error) return self->ended(mine, error.message());
                             asio::async_connect(self->tcp, results, [self, mine](auto failed, auto const&) {
                               if (mine != self->number) return;
                               if (failed) return self->ended(mine, failed.message());
                               boost::system::error_code ignored;
                               self->tcp.set_option(asio::ip::tcp::no_delay(true), ignored);
                               self->opened(mine);
                             });
                           });
  }
  void opened(unsigned mine) {
    if (mine != number) return;
    limit.cancel();
    is_open = true;
    handlers.on_opened();
    if (mine == number) read(mine);
  }
  void read(unsigned mine) {
    auto const done = [self = shared_from_this(), mine](auto error, std::size_t size) {
      if (mine != self->number) return;
      if (error) return self->ended(mine, error.message());
      self->handlers.on_bytes(Bytes(self->incoming).first(size));
      if (mine == self->number) self->read(mine);
    };
    if (is_serial)
      serial.async_read_some(asio::buffer(incoming), done);
    else
      tcp.async_read_some(asio::buffer(incoming), done);
  }
  void write(unsigned mine) {
    writing = std::exchange(waiting, {});
    auto const done = [self = shared_from_this(), mine](auto error, std::size_t) {
      if (mine != self->number) return;
      self->writing.clear();
      if (error) return self->ended(mine, error.message());
      if (!self->waiting.empty()) self->write(mine);
    };
    if (is_serial)
      asio::async_write(serial, asio::buffer(writing), done);
    else
      asio::async_write(tcp, asio::buffer(writing), done);
  }
  void send(Bytes bytes) {
    if (!is_open) return;
    // Straight out when nothing waits: a stop must not wait for the loop's next turn, and a process
    // that ends has none.
    if (writing.empty() && waiting.empty()) bytes = bytes.subspan(write_now(bytes));
    if (bytes.empty()) return;
    if (waiting.size() + bytes.size() > max_backlog) {
      asio::post(context, [self = shared_from_this(), mine = number] {
        self->ended(mine, "the controller takes no bytes");
      });
      return;
    }
    waiting.insert(waiting.end(), bytes.begin(), bytes.end());
    if (writing.empty()) write(number);
  }
  // How many bytes the kernel took at once; Asio opens its serial ports non-blocking.
  std::size_t write_now(Bytes bytes) {
    auto const took =
        is_serial ? ::write(serial.native_handle(), bytes.data(), bytes.size())
                  : ::send(tcp.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return took > 0 ? static_cast<std::size_t>(took) : 0;  // what went wrong, the write by the loop says
  }
  void ended(unsigned mine, std::string_view why) {
    if (mine != number) return;
    shut();
    if (handlers.on_closed) handlers.on_closed(why);
  }
  void shut() {
    ++number;
    is_open = false;
    boost::system::error_code ignored;
    resolver.cancel();
    limit.cancel();
    tcp.close(ignored);
    // A pseudo-terminal would stay claimed as long as its other side is open.
    if (serial.is_open()) ::ioctl(serial.native_handle(), TIOCNXCL);
    serial.close(ignored);
    waiting.clear();
    writing.clear();
  }
  void set_baud(unsigned baud) {
    if (!serial.is_open()) return;
    if (auto const error = configure(baud))
      asio::post(context,
                 [self = shared_from_this(), mine = number, error] { self->ended(mine, error.message()); });
  }
  // Two programs on one line would steal each other's bytes. The lock holds against our own kind,
  // whatever its rights; TIOCEXCL against all that have no special ones.
  boost::system::error_code claim() {
    auto const handle = serial.native_handle();
    if (::flock(handle, LOCK_EX | LOCK_NB) != 0) return {EBUSY, boost::system::system_category()};
    if (::ioctl(handle, TIOCEXCL) != 0) return {errno, boost::system::system_category()};
    return {};
  }
  boost::system::error_code configure(unsigned baud) {
    using Port = asio::serial_port;
    boost::system::error_code error;
    auto const set = [&](auto const& option) {
      if (!error) serial.set_option(option, error);
    };
    set(Port::baud_rate(baud));
    set(Port::character_size(8));
    set(Port::parity(Port::parity::none));
    set(Port::stop_bits(Port::stop_bits::one));
    set(Port::flow_control(Port::flow_control::none));
    return error;
  }

  asio::io_context& context;
  Handlers handlers;
  asio::ip::tcp::socket tcp;
  asio::serial_port serial;
  asio::ip::tcp::resolver resolver;
  asio::steady_timer limit;
  unsigned number = 0;
  bool is_serial = false;
  bool is_open = false;
  std::array<std::uint8_t, 4096> incoming{};
  Buffer writing, waiting;
};

Line::Line(Loop& loop, Handlers handlers) : impl_(std::make_shared<Impl>(loop, std::move(handlers))) {}
Line::~Line() {
  impl_->shut();
  impl_->handlers = {};
}
void Line::open(std::string const& address, unsigned baud) {
  impl_->open(address, baud);
}
void Line::close() {
  impl_->shut();
}
void Line::send(Bytes bytes) {
  impl_->send(bytes);
}
void Line::set_baud(unsigned baud) {
  impl_->set_baud(baud);
}

}  // namespace cy::net
