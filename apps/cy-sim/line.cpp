#include "line.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "uart.hpp"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <utility>

namespace cy::sim {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::size_t backlog_limit = 64 * 1024;

// Reads and writes of one open stream. Kept alive by its own operations; once closed it is silent.
template <class Stream>
class Pump : public std::enable_shared_from_this<Pump<Stream>> {
 public:
  Pump(Stream stream, std::function<void(Bytes)> on_bytes, std::function<void(std::string)> on_end)
      : stream_{std::move(stream)}, on_bytes_{std::move(on_bytes)}, on_end_{std::move(on_end)} {}

  void start() { read(); }

  void write(Buffer bytes) {
    if (closed_) return;
    if (backlog_ + bytes.size() > backlog_limit) {
      if (!std::exchange(losing_, true)) spdlog::warn("the client does not read; bytes for it are lost");
      return;
    }
    losing_ = false;
    backlog_ += bytes.size();
    waiting_.push_back(std::move(bytes));
    if (waiting_.size() == 1) send();
  }

  void end_when_written() {
    ending_ = true;
    if (waiting_.empty()) end("the controller ended the connection");
  }

  void close() {
    closed_ = true;
    error_code ignored;
    stream_.close(ignored);
  }

 private:
  void read() {
    stream_.async_read_some(asio::buffer(in_),
                            [self = this->shared_from_this()](error_code error, std::size_t n) {
                              if (self->closed_) return;
                              if (error) return self->end(error.message());
                              self->on_bytes_({self->in_.data(), n});
                              if (!self->closed_) self->read();
                            });
  }
  void send() {
    asio::async_write(stream_, asio::buffer(waiting_.front()),
                      [self = this->shared_from_this()](error_code error, std::size_t) {
                        if (self->closed_) return;
                        if (error) return self->end(error.message());
                        self->backlog_ -= self->waiting_.front().size();
                        self->waiting_.pop_front();
                        if (!self->waiting_.empty()) return self->send();
                        if (self->ending_) self->end("the controller ended the connection");
                      });
  }
  void end(std::string why) {
    if (closed_) return;
    close();
    on_end_(std::move(why));
  }

  Stream stream_;
  std::function<void(Bytes)> on_bytes_;
  std::function<void(std::string)> on_end_;
  std::array<std::uint8_t, 4096> in_{};
  std::deque<Buffer> waiting_;
  std::size_t backlog_{};
  bool closed_{};
  bool ending_{};
  bool losing_{};
};

class TcpLine final : public Line, public std::enable_shared_from_this<TcpLine> {
 public:
  TcpLine(asio::io_context& loop, tcp::endpoint endpoint, Handlers handlers)
      : acceptor_{loop}, retry_{loop}, endpoint_{std::move(endpoint)}, handlers_{std::move(handlers)} {}

  // While a client is connected nobody listens, so a second one is refused.
  Result<void> listen() {
    error_code error;
    acceptor_.open(endpoint_.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address{true}, error);
    if (!error) acceptor_.bind(endpoint_, error);
    if (!error) acceptor_.listen(1, error);
    if (error) {
      error_code ignored;
      acceptor_.close(ignored);
      return fault("port {} on {}: {}; another simulator or robot server may run there", endpoint_.port(),
                   endpoint_.address().to_string(), error.message());
    }
    endpoint_ = acceptor_.local_endpoint();
    acceptor_.async_accept([self = shared_from_this()](error_code failed, tcp::socket socket) {
      if (!self->closed_) self->accepted(failed, std::move(socket));
    });
    return {};
  }

  void close() {
    closed_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    retry_.cancel();
    if (pump_) pump_->close();
  }
  void write(Buffer bytes) override {
    if (pump_) pump_->write(std::move(bytes));
  }
  void hang_up() override {
    if (pump_) pump_->end_when_written();
  }
  std::string address() const override {
    return endpoint_.address().is_v6()
               ? fmt::format("tcp:[{}]:{}", endpoint_.address().to_string(), endpoint_.port())
               : fmt::format("tcp:{}:{}", endpoint_.address().to_string(), endpoint_.port());
  }

 private:
  void accepted(error_code failed, tcp::socket socket) {
    error_code ignored;
    acceptor_.close(ignored);
    if (failed) return listen_again();
    socket.set_option(tcp::no_delay{true}, ignored);
    auto const peer = socket.remote_endpoint(ignored);
    spdlog::info("{}: client {}:{}", address(), peer.address().to_string(), peer.port());
    pump_ = std::make_shared<Pump<tcp::socket>>(std::move(socket), handlers_.on_bytes,
                                                [weak = weak_from_this()](std::string why) {
                                                  auto const self = weak.lock();
                                                  if (!self || self->closed_) return;
                                                  spdlog::info("{}: client gone ({})", self->address(), why);
                                                  self->pump_.reset();
                                                  self->handlers_.on_disconnected();
                                                  self->listen_again();
                                                });
    handlers_.on_connected();
    pump_->start();
  }
  void listen_again() {
    auto const listening = listen();
    if (listening) return;
    spdlog::error("{}; trying again in a second", listening.error().what);
    retry_.expires_after(std::chrono::seconds{1});
    retry_.async_wait([self = shared_from_this()](error_code cancelled) {
      if (!cancelled && !self->closed_) self->listen_again();
    });
  }

  tcp::acceptor acceptor_;
  asio::steady_timer retry_;
  tcp::endpoint endpoint_;
  Handlers handlers_;
  std::shared_ptr<Pump<tcp::socket>> pump_;
  bool closed_{};
};

// Owns a TcpLine that its own operations share.
class TcpLineOwner final : public Line {
 public:
  explicit TcpLineOwner(std::shared_ptr<TcpLine> line) : line_{std::move(line)} {}
  ~TcpLineOwner() override { line_->close(); }
  void write(Buffer bytes) override { line_->write(std::move(bytes)); }
  void hang_up() override { line_->hang_up(); }
  std::string address() const override { return line_->address(); }

 private:
  std::shared_ptr<TcpLine> line_;
};

struct Speed {
  unsigned baud;
  speed_t code;
};
constexpr Speed speeds[] = {
    {1200, B1200},   {2400, B2400},   {4800, B4800},     {9600, B9600},     {19200, B19200},
    {38400, B38400}, {57600, B57600}, {115200, B115200}, {230400, B230400},
};

// The slave stays open here too, so that clients may come and go: the controller never learns of
// it, as on a serial line.
class PtyLine final : public Line {
 public:
  PtyLine(asio::io_context& loop, int master, int slave, std::string link, unsigned baud, Handlers handlers)
      : slave_{slave},
        link_{std::move(link)},
        baud_{baud},
        pump_{std::make_shared<Pump<asio::posix::stream_descriptor>>(
            asio::posix::stream_descriptor{loop, master},
            [this, on_bytes = std::move(handlers.on_bytes)](Bytes sent) {
              if (auto const heard = as_heard(sent, client_baud(), baud_); !heard.empty()) on_bytes(heard);
            },
            [path = link_](std::string why) { spdlog::error("pty {}: {}", path, why); })} {
    pump_->start();
  }
  ~PtyLine() override {
    pump_->close();
    ::close(slave_);
    ::unlink(link_.c_str());
  }
  void write(Buffer bytes) override {
    if (auto heard = as_heard(bytes, baud_, client_baud()); !heard.empty()) pump_->write(std::move(heard));
  }
  void set_baud(unsigned baud) override { baud_ = baud; }
  void hang_up() override {}
  std::string address() const override { return "serial:" + link_; }

 private:
  // The terminal's speed, which nothing on a pty obeys by itself. 0: none that a controller has.
  unsigned client_baud() const {
    termios now{};
    if (::tcgetattr(slave_, &now) != 0) return 0;
    for (auto const& speed : speeds)
      if (speed.code == ::cfgetospeed(&now)) return speed.baud;
    return 0;
  }

  int slave_;
  std::string link_;
  unsigned baud_;  // the controller's
  std::shared_ptr<Pump<asio::posix::stream_descriptor>> pump_;
};

Result<std::unique_ptr<Line>> open_pty(asio::io_context& loop, std::string const& link, unsigned baud,
                                       Line::Handlers handlers) {
  auto const failed = [&link](std::string_view what) {
    return fault("pty {}: {}: {}", link, what, std::strerror(errno));
  };
  struct stat there {};
  if (::lstat(link.c_str(), &there) == 0 && !S_ISLNK(there.st_mode)) {
    return fault("pty {}: something that is no link lies there; choose another path", link);
  }
  auto const master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0) return failed("no pty to be had");
  std::array<char, 128> name{};
  if (::grantpt(master) != 0 || ::unlockpt(master) != 0 ||
      ::ptsname_r(master, name.data(), name.size()) != 0) {
    ::close(master);
    return failed("cannot set the pty up");
  }
  auto const slave = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios raw{};
  if (slave < 0 || ::tcgetattr(slave, &raw) != 0) {
    ::close(master);
    return failed("cannot open the pty");
  }
  ::cfmakeraw(&raw);
  for (auto const& speed : speeds)
    if (speed.baud == baud) ::cfsetspeed(&raw, speed.code);
  ::tcsetattr(slave, TCSANOW, &raw);
  ::unlink(link.c_str());
  if (::symlink(name.data(), link.c_str()) != 0) {
    auto const fault_made = failed("cannot make the link");
    ::close(master);
    ::close(slave);
    return fault_made;
  }
  auto const on_connected = handlers.on_connected;
  auto line = std::make_unique<PtyLine>(loop, master, slave, link, baud, std::move(handlers));
  on_connected();
  return line;
}

}  // namespace

Result<std::unique_ptr<Line>> open_line(asio::io_context& loop, RobotSpec const& spec,
                                        std::string const& bind, unsigned baud, Line::Handlers handlers) {
  if (!spec.pty.empty()) return open_pty(loop, spec.pty, baud, std::move(handlers));
  error_code error;
  auto const address = asio::ip::make_address(bind, error);
  if (error) return fault("bind address \"{}\": {}; write a numeric IP address", bind, error.message());
  auto line = std::make_shared<TcpLine>(loop, tcp::endpoint{address, spec.port}, std::move(handlers));
  if (auto const listening = line->listen(); !listening) return tl::unexpected(listening.error());
  return std::make_unique<TcpLineOwner>(std::move(line));
}

}  // namespace cy::sim
