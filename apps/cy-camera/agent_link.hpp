// The camera's end of the agent's local link: connects for as long as it takes, sends the outbox,
// hands over what the agent says. Unix stream socket; one thread, pumped by run().
#pragma once

#include <cy/base/result.hpp>

#include "exchange.hpp"

namespace cy::camera {

class AgentLink {
 public:
  static constexpr auto retry = 500ms;

  // `stop_fd` becomes readable when the process shall end; `wake_fd` (an eventfd) when the outbox
  // has something. Neither is owned.
  AgentLink(std::string path, media::StreamId stream, Exchange& exchange, int stop_fd, int wake_fd);
  ~AgentLink();
  AgentLink(AgentLink const&) = delete;
  AgentLink& operator=(AgentLink const&) = delete;

  void run();

 private:
  void connect(Time now);
  void lost(std::string_view why, Time now);
  void receive(Time now);
  void send(Time now);
  bool hear(Bytes messages);
  void complain(std::string why, Time now);

  std::string path_;
  media::StreamId stream_;
  Exchange& exchange_;
  int stop_fd_, wake_fd_;
  int fd_{-1};
  bool blocked_{};  // the socket takes no more for now
  Time retry_at_{};
  Buffer input_;
  std::string complaint_;  // what was logged last, and when
  Time complained_{};
};

}  // namespace cy::camera
