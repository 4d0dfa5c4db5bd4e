// A loop whose every wait is bounded, a folder of its own, and loopback.
#pragma once

#include <cy/net/udp.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace cy::net {

inline constexpr Duration longest = 10s;

class Net : public testing::Test {
 protected:
  Net()
      : limit(loop, [this] {
          ADD_FAILURE() << "nothing within 10 s";
          loop.stop();
        }) {
    limit.set(now() + longest);
    folder = std::filesystem::temp_directory_path() / ("cy_net_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
  }
  ~Net() override { std::filesystem::remove_all(folder); }
  std::string path(char const* name) const { return (folder / name).string(); }

  Loop loop;
  Timer limit;
  std::filesystem::path folder;
};

inline Endpoint loopback(std::uint16_t port = 0) {
  return ipv4(127, 0, 0, 1, port);
}

}  // namespace cy::net
