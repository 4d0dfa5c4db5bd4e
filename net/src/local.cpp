#include <cy/net/local.hpp>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "loop_impl.hpp"
#include <deque>

namespace cy::net {

using Protocol = asio::local::stream_protocol;

struct LocalStream::Impl : std::enable_shared_from_this<LocalStream::Impl> {
  explicit Impl(Protocol::socket s) : socket(std::move(s)) {}

  void start() { read_size(); }
  void read_size() {
    asio::async_read(socket, asio::buffer(size), [self = shared_from_this()](auto error, auto) {
      if (error) return self->ended(error.message());
      auto const n = load_le<std::uint32_t>(self->size.data());
      if (n > max_local_frame) return self->ended("a frame claims more than 4 MiB");
      self->frame.resize(n);
      self->read_frame();
    });
  }
  void read_frame() {
    asio::async_read(socket, asio::buffer(frame), [self = shared_from_this()](auto error, auto) {
      if (error) return self->ended(error.message());
      // The handler may replace the handlers, or close.
      auto const on_frame = self->handlers.on_frame;
      if (on_frame) on_frame(self->frame);
      if (self->socket.is_open()) self->read_size();
    });
  }
  void write() {
    asio::async_write(socket, asio::buffer(queue.front()), [self = shared_from_this()](auto error, auto) {
      if (error) return;  // the reader says it
      self->waiting -= self->queue.front().size();
      self->queue.pop_front();
      if (!self->queue.empty()) self->write();
    });
  }
  void ended(std::string_view why) {
    if (!socket.is_open()) return;
    boost::system::error_code ignored;
    socket.close(ignored);
    auto const on_closed = std::exchange(handlers, {}).on_closed;
    if (on_closed) on_closed(why);
  }

  Protocol::socket socket;
  Handlers handlers;
  std::array<std::uint8_t, 4> size{};
  Buffer frame;
  std::deque<Buffer> queue;
  std::size_t waiting = 0;
};

LocalStream::LocalStream(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {
  impl_->start();
}
LocalStream::~LocalStream() {
  close();
}

Result<std::unique_ptr<LocalStream>> LocalStream::connect(Loop& loop, std::string const& path,
                                                          Handlers handlers) {
  Protocol::socket socket(loop.impl().context);
  boost::system::error_code error;
  socket.connect(Protocol::endpoint(path), error);
  if (error) return fault("local socket {}: {}", path, error.message());
  auto impl = std::make_shared<Impl>(std::move(socket));
  impl->handlers = std::move(handlers);
  return std::make_unique<LocalStream>(std::move(impl));
}

bool LocalStream::send(Bytes messages, std::size_t limit) {
  if (!impl_->socket.is_open() || impl_->waiting > limit) return false;
  Buffer frame(4 + messages.size());
  store_le(frame.data(), static_cast<std::uint32_t>(messages.size()));
  std::copy(messages.begin(), messages.end(), frame.begin() + 4);
  impl_->waiting += frame.size();
  impl_->queue.push_back(std::move(frame));
  if (impl_->queue.size() == 1) impl_->write();
  return true;
}

void LocalStream::close() {
  impl_->handlers = {};
  boost::system::error_code ignored;
  impl_->socket.close(ignored);
}

void LocalStream::set_handlers(Handlers handlers) {
  impl_->handlers = std::move(handlers);
}

struct LocalServer::Impl : std::enable_shared_from_this<LocalServer::Impl> {
  Impl(Loop& loop, std::string p, OnAccepted f)
      : acceptor(loop.impl().context), path(std::move(p)), on_accepted(std::move(f)) {}
  void accept() {
    acceptor.async_accept([self = shared_from_this()](auto error, Protocol::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (!error)
        self->on_accepted(
            std::make_unique<LocalStream>(std::make_shared<LocalStream::Impl>(std::move(socket))));
      if (self->acceptor.is_open()) self->accept();
    });
  }
  Protocol::acceptor acceptor;
  std::string path;
  OnAccepted on_accepted;
};

LocalServer::LocalServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
LocalServer::~LocalServer() {
  boost::system::error_code ignored;
  impl_->acceptor.close(ignored);
  ::unlink(impl_->path.c_str());
}

Result<std::unique_ptr<LocalServer>> LocalServer::open(Loop& loop, std::string const& path,
                                                       OnAccepted on_accepted) {
  if (path.size() >= sizeof(sockaddr_un::sun_path))
    return fault("local socket {}: the path is longer than {} bytes", path,
                 sizeof(sockaddr_un::sun_path) - 1);
  boost::system::error_code error;
  Protocol::socket probe(loop.impl().context);
  probe.connect(Protocol::endpoint(path), error);
  if (!error) return fault("local socket {}: another process listens there already", path);
  // Only a stale socket is in the way; what else stands there is somebody's.
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0) {
    if (!S_ISSOCK(there.st_mode))
      return fault("local socket {}: something else is there already; choose another path", path);
    ::unlink(path.c_str());
  }

  auto impl = std::make_shared<Impl>(loop, path, std::move(on_accepted));
  impl->acceptor.open(Protocol(), error);
  // The file must never be open to others, not even for a moment.
  auto const mask = ::umask(0177);
  if (!error) impl->acceptor.bind(Protocol::endpoint(path), error);
  ::umask(mask);
  if (!error) impl->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return fault("local socket {}: {}", path, error.message());
  impl->accept();
  return std::unique_ptr<LocalServer>(new LocalServer(std::move(impl)));
}

}  // namespace cy::net
