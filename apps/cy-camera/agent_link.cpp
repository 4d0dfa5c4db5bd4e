#include "agent_link.hpp"

#include <cy/av/frame.hpp>

#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace cy::camera {
namespace {

constexpr std::size_t most_input = 64 << 10;  // a frame from the agent; orders are small
constexpr auto complain_again = 30s;

std::string reason(int code) {
  return std::generic_category().message(code);
}

}  // namespace

AgentLink::AgentLink(std::string path, media::StreamId stream, Exchange& exchange, int stop_fd, int wake_fd)
    : path_(std::move(path)), stream_(stream), exchange_(exchange), stop_fd_(stop_fd), wake_fd_(wake_fd) {}

AgentLink::~AgentLink() {
  if (fd_ >= 0) ::close(fd_);
}

void AgentLink::run() {
  for (;;) {
    auto const now = media::now();
    if (fd_ < 0 && now >= retry_at_) connect(now);
    pollfd fds[] = {{stop_fd_, POLLIN, 0},
                    {wake_fd_, POLLIN, 0},
                    {fd_, static_cast<short>(blocked_ ? POLLIN | POLLOUT : POLLIN), 0}};
    auto const wait = fd_ >= 0 ? -1 : static_cast<int>(milliseconds(retry_at_ - now)) + 1;
    if (::poll(fds, 3, wait) < 0 && errno != EINTR) {
      spdlog::error("poll: {}", reason(errno));
      return;
    }
    if (fds[0].revents != 0) return;
    if (fds[1].revents != 0) {
      std::uint64_t count = 0;
      // An eventfd's count is of no interest, only that it is there; EAGAIN means that it is not.
      static_cast<void>(!::read(wake_fd_, &count, sizeof count));
    }
    auto const later = media::now();
    if (fd_ >= 0 && (fds[2].revents & (POLLIN | POLLHUP | POLLERR)) != 0) receive(later);
    if (fd_ >= 0 && (!blocked_ || (fds[2].revents & POLLOUT) != 0)) send(later);
  }
}

void AgentLink::connect(Time now) {
  retry_at_ = now + retry;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path_.size() >= sizeof address.sun_path) {
    complain(fmt::format("the path {} is too long for a socket", path_), now);
    return;
  }
  std::memcpy(address.sun_path, path_.data(), path_.size());
  auto const fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0) {
    auto const code = errno;
    if (fd >= 0) ::close(fd);
    complain(fmt::format("no agent at {}: {}; trying again each {} ms", path_, reason(code), retry.count()),
             now);
    return;
  }
  fd_ = fd;
  blocked_ = false;
  input_.clear();
  complaint_.clear();
  spdlog::info("connected to the agent at {}", path_);
  exchange_.on_connected();
  send(now);
}

void AgentLink::lost(std::string_view why, Time now) {
  ::close(fd_);
  fd_ = -1;
  retry_at_ = now + retry;
  exchange_.on_disconnected();
  spdlog::warn("the agent is gone: {}", why);
}

void AgentLink::receive(Time now) {
  std::uint8_t chunk[4096];
  for (;;) {
    auto const got = ::recv(fd_, chunk, sizeof chunk, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) break;
    if (got <= 0) {
      lost(got == 0 ? "it closed the connection" : reason(errno), now);
      return;
    }
    input_.insert(input_.end(), chunk, chunk + got);
    if (input_.size() > most_input + 4) break;
  }
  std::size_t at = 0;
  while (input_.size() - at >= 4) {
    auto const length = load_le<std::uint32_t>(input_.data() + at);
    if (length > most_input) {
      lost(fmt::format("it sent a frame of {} bytes, more than {}", length, most_input), now);
      return;
    }
    if (input_.size() - at - 4 < length) break;
    if (!hear(Bytes(input_).subspan(at + 4, length))) {
      lost("it sent what is no message", now);
      return;
    }
    at += 4 + length;
  }
  input_.erase(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(at));
}

bool AgentLink::hear(Bytes messages) {
  wire::Walk walk(messages);
  while (auto const raw = walk.next()) {
    if (auto const wanted = wire::as<media::KeyframeWanted>(*raw)) {
      if (wanted->stream == stream_) exchange_.on_keyframe_wanted(*wanted);
    } else if (auto const order = wire::as<media::QualityOrder>(*raw)) {
      if (order->stream == stream_) exchange_.on_quality(*order);
    } else if (auto const subscribe = wire::as<media::Subscribe>(*raw)) {
      if (subscribe->stream == stream_) exchange_.on_subscribe(subscribe->on);
    }
  }
  return !walk.fault();
}

void AgentLink::send(Time now) {
  auto failed = 0;
  exchange_.with_outbox([&](Outbox& outbox) {
    blocked_ = false;
    for (;;) {
      auto const bytes = outbox.front();
      if (bytes.empty()) return;
      auto const sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        outbox.written(static_cast<std::size_t>(sent));
      } else if (errno == EAGAIN) {
        blocked_ = true;
        return;
      } else if (errno != EINTR) {
        failed = errno;
        return;
      }
    }
  });
  if (failed != 0) lost(reason(failed), now);
}

void AgentLink::complain(std::string why, Time now) {
  if (why == complaint_ && now < complained_ + complain_again) return;
  spdlog::warn("{}", why);
  complaint_ = std::move(why);
  complained_ = now;
}

}  // namespace cy::camera
