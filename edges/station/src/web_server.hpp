// HTTP and WebSocket on one loopback port, and the station's one loop. Boost.Beast stays in the
// .cpp file.
//
// Everything but post() and stop() is called in run()'s thread (or before it), and every handler
// is called there. Bounded: connections, header size, message size, and time for each step.
#pragma once

#include <cy/station/door.hpp>
#include <cy/station/outbox.hpp>
#include <cy/station/site.hpp>
#include <cy/station/viewer_desk.hpp>

#include <functional>

namespace cy::station {

struct WebOptions {
  Endpoint listen;
  std::size_t most_connections = 64;
  std::size_t largest_header = 8 * 1024;
  std::size_t largest_message = 64 * 1024;  // a page sends a few hundred bytes
  // What the kernel holds for a slow page is old when it arrives: keep it short.
  int send_buffer = 256 * 1024;
};

struct WebHandlers {
  std::function<void(ConnectionId)> on_opened;  // a socket at /ws
  std::function<void(ConnectionId, Bytes)> on_data;
  std::function<void(ConnectionId, std::string_view why)> on_closed;  // once for each on_opened
  std::function<void(ConnectionId)> on_written;
  std::function<void()> on_time;
};

class WebServer {
 public:
  static Result<std::unique_ptr<WebServer>> open(WebOptions const& options, Site site, WebHandlers handlers);
  ~WebServer();
  WebServer(WebServer const&) = delete;
  WebServer& operator=(WebServer const&) = delete;

  Endpoint local() const;
  void run();
  void stop();
  void post(std::function<void()> work);
  // Calls on_time then; a new time replaces the old one.
  void set_timer(std::optional<Time> due);

  // One message of these pieces; on_written follows. Not while another one is being written.
  void write(ConnectionId socket, std::vector<Shared> pieces);
  // Says why; on_closed follows.
  void close(ConnectionId socket, std::string_view why);
  std::vector<Counter> counters() const;

  struct Impl;

 private:
  explicit WebServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace cy::station
