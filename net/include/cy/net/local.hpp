// Framed streams over Unix sockets: u32 length in little-endian, then that many bytes of wire
// messages. For processes of the same machine; the socket file's permissions are its lock.
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/base/result.hpp>
#include <cy/net/loop.hpp>

namespace cy::net {

inline constexpr std::size_t max_local_frame = 4u << 20;

class LocalStream {
 public:
  struct Handlers {
    std::function<void(MutableBytes frame)> on_frame;
    std::function<void(std::string_view why)> on_closed;  // last call; not after close()
  };
  static Result<std::unique_ptr<LocalStream>> connect(Loop& loop, std::string const& path, Handlers handlers);
  ~LocalStream();

  // False when more than `limit` bytes wait to be sent; the frame is dropped then.
  bool send(Bytes messages, std::size_t limit = max_local_frame);
  void close();
  // Replaces the handlers, for streams that a server accepted.
  void set_handlers(Handlers handlers);

  struct Impl;
  explicit LocalStream(std::shared_ptr<Impl> impl);

 private:
  std::shared_ptr<Impl> impl_;
};

class LocalServer {
 public:
  using OnAccepted = std::function<void(std::unique_ptr<LocalStream>)>;
  // A stale socket file is replaced; one that somebody listens on is refused. Mode 0600.
  static Result<std::unique_ptr<LocalServer>> open(Loop& loop, std::string const& path,
                                                   OnAccepted on_accepted);
  ~LocalServer();

 private:
  struct Impl;
  explicit LocalServer(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace cy::net
