// The agent's end of the local link, as a real Unix server in the test, and the real camera process.
#pragma once

#include <cy/av/frame.hpp>
#include <cy/media/messages.hpp>

#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>

extern char** environ;

namespace cy::camera {

class FakeAgent {
 public:
  explicit FakeAgent(std::filesystem::path const& path) : path_(path) {
    listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    ::listen(listener_, 4);
  }
  ~FakeAgent() {
    if (fd_ >= 0) ::close(fd_);
    ::close(listener_);
    std::filesystem::remove(path_);
  }
  FakeAgent(FakeAgent const&) = delete;
  FakeAgent& operator=(FakeAgent const&) = delete;

  bool accept(Duration within) {
    if (!readable(listener_, within)) return false;
    fd_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    return fd_ >= 0;
  }
  template <wire::Message M>
  void send(M const& message) {
    auto const body = wire::encoded(message);
    Buffer bytes(4);
    store_le(bytes.data(), static_cast<std::uint32_t>(body.size()));
    bytes.insert(bytes.end(), body.begin(), body.end());
    send_raw(bytes);
  }
  void send_raw(Bytes bytes) { ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }

  // The next message, or nothing within the time. `closed` tells a closed connection.
  std::optional<wire::Body> next(Duration within) {
    auto const until = media::now() + within;
    for (;;) {
      if (input_.size() >= 4) {
        auto const length = load_le<std::uint32_t>(input_.data());
        if (input_.size() >= 4 + length) {
          wire::Walk walk(Bytes(input_).subspan(4, length));
          auto const raw = walk.next();
          std::optional<wire::Body> body;
          if (raw) body = wire::Body{raw->type, copy_of(raw->payload)};
          input_.erase(input_.begin(), input_.begin() + 4 + length);
          return body;
        }
      }
      auto const left = until - media::now();
      if (left <= Duration{} || !readable(fd_, left)) return std::nullopt;
      std::uint8_t chunk[65536];
      auto const got = ::recv(fd_, chunk, sizeof chunk, 0);
      if (got <= 0) {
        closed = true;
        return std::nullopt;
      }
      input_.insert(input_.end(), chunk, chunk + got);
    }
  }
  // The next message of this type; others are passed over.
  template <wire::Message M>
  std::optional<M> next_of(Duration within) {
    auto const until = media::now() + within;
    while (media::now() < until && !closed) {
      auto const body = next(until - media::now());
      if (!body) continue;
      if (auto m = wire::as<M>(wire::view(*body))) return m;
    }
    return std::nullopt;
  }

  bool closed{};

 private:
  static bool readable(int fd, Duration within) {
    pollfd p{fd, POLLIN, 0};
    return ::poll(&p, 1, static_cast<int>(milliseconds(within)) + 1) > 0;
  }
  std::filesystem::path path_;
  int listener_{-1}, fd_{-1};
  Buffer input_;
};

class CameraProcess {
 public:
  explicit CameraProcess(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), CY_CAMERA);
    std::vector<char*> argv;
    for (auto& a : arguments) argv.push_back(a.data());
    argv.push_back(nullptr);
    posix_spawn(&pid_, CY_CAMERA, nullptr, nullptr, argv.data(), environ);
  }
  ~CameraProcess() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  CameraProcess(CameraProcess const&) = delete;
  CameraProcess& operator=(CameraProcess const&) = delete;

  void signal(int number) const { ::kill(pid_, number); }
  // The exit code, 128 + signal, or nothing when it did not end in time.
  std::optional<int> wait(Duration within) {
    auto const until = media::now() + within;
    do {
      auto status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      }
      ::usleep(5'000);
    } while (media::now() < until);
    return std::nullopt;
  }

 private:
  pid_t pid_{-1};
};

}  // namespace cy::camera
