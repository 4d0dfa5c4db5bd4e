// cy-camera: one camera's process. Takes pictures, encodes them, hands them to the agent.
#include <cy/av/frame.hpp>

#include <CLI/CLI.hpp>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent_link.hpp"
#include "worker.hpp"
#include <csignal>
#include <cstdio>
#include <thread>

namespace {

struct Arguments {
  cy::camera::Settings settings;
  std::string agent = "/run/cylib/agent.sock";
};

void describe(CLI::App& app, Arguments& a) {
  auto& s = a.settings;
  app.set_config("--config", "", "Read these options from a TOML file, by their long names");
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.add_option("--source", s.source, "v4l2:/dev/videoN, file:PATH, test: or world:PATH")
      ->capture_default_str();
  app.add_option("--codec", s.codec, "FFmpeg's name of the format: h264, mjpeg, vp8 …")
      ->capture_default_str();
  app.add_option("--encoder", s.encoder,
                 "FFmpeg's name of the encoder; empty: the first choice for the codec");
  app.add_option("--width", s.width, "px; 0: the source's")
      ->capture_default_str()
      ->check(CLI::Range(0, cy::camera::largest_side));
  app.add_option("--height", s.height, "px; 0: the source's")
      ->capture_default_str()
      ->check(CLI::Range(0, cy::camera::largest_side));
  app.add_option("--fps", s.fps, "Pictures a second, at most")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 240.0));
  app.add_option("--bitrate", s.bitrate, "bit/s")
      ->capture_default_str()
      ->check(CLI::Range(50'000U, 50'000'000U));
  app.add_option("--stream", s.stream, "The stream's number in the agent's configuration")
      ->capture_default_str();
  app.add_option("--robot", s.robot, "The robot that it is mounted on; 0: none")->capture_default_str();
  app.add_option("--name", s.name, "What people call it")->capture_default_str();
  app.add_option("--agent", a.agent, "The agent's local socket")->capture_default_str();
  app.add_flag("--stats", s.stats, "Print figures once a second");
}

void route_ffmpeg_log() {
  cy::media::route_log([](cy::media::LogLevel level, std::string_view text) {
    spdlog::log(level == cy::media::LogLevel::error ? spdlog::level::warn : spdlog::level::debug,
                "ffmpeg: {}", text);
  });
}

}  // namespace

int main(int argc, char** argv) {
  // First of all: signals come as something to read, and every thread inherits the mask.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, nullptr);

  CLI::App app("Takes a camera's pictures, encodes them and hands them to the agent.", "cy-camera");
  Arguments arguments;
  describe(app, arguments);
  CLI11_PARSE(app, argc, argv);
  spdlog::set_default_logger(spdlog::stderr_color_mt("cy-camera"));
  spdlog::set_pattern("%H:%M:%S.%e %^%l%$ %v");
  route_ffmpeg_log();

  auto const stop_fd = signalfd(-1, &signals, SFD_CLOEXEC);
  auto const wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (stop_fd < 0 || wake_fd < 0) {
    spdlog::error("no file descriptors are left");
    return 1;
  }

  cy::camera::Exchange exchange([wake_fd] {
    std::uint64_t const one = 1;
    // Fails only when the count is full, and then the other side is awake already.
    static_cast<void>(!::write(wake_fd, &one, sizeof one));
  });
  auto worker = cy::camera::Worker::make(arguments.settings, exchange);
  if (!worker) {
    std::fprintf(stderr, "cy-camera: %s\n", worker.error().what.c_str());
    return 2;
  }
  std::thread pictures([&] { worker->run(); });
  cy::camera::AgentLink link(arguments.agent, cy::media::StreamId{arguments.settings.stream}, exchange,
                             stop_fd, wake_fd);
  link.run();
  exchange.stop();
  pictures.join();
  spdlog::info("stopped");
  return 0;
}
