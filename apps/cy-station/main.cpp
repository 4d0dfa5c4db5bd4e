// cy-station: the operator's side. Serves the page on loopback, and speaks to one agent.
#include <CLI/CLI.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "settings.hpp"
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace {

struct Arguments {
  cy::station::Given given;
  std::string port_file;
  bool stats = false;
};

void describe(CLI::App& app, Arguments& a) {
  auto& g = a.given;
  app.add_option("--config", g.config, "station.toml; what is given here wins over it");
  app.add_option("--name", g.name, "What the station calls itself (default: station)");
  app.add_option("--listen", g.listen,
                 "Where the page is: a loopback address (default: 127.0.0.1:8080; port 0: any)");
  app.add_option("--web", g.web, "The built page's folder (default: beside the program)");
  app.add_option("--agent", g.agent, "The agent, HOST:PORT");
  app.add_option("--agent-key", g.agent_key, "Its public key, cy-public:… or a .pub file");
  app.add_option("--key", g.key,
                 "The station's own secret key file (default: station.key; cy keygen makes one)");
  app.add_option("--role", g.role,
                 "Role of the persons here, at most: observer, operator, editor or manager "
                 "(default: operator); the agent bounds it further");
  app.add_option("--port-file", a.port_file, "Writes the page's port into this file");
  app.add_flag("--stats", a.stats, "Logs figures once a second");
  app.set_version_flag("--version", "cy-station " CY_VERSION);
}

// Seen whole or not at all by whoever waits for it.
bool write_port(std::string const& path, std::uint16_t port) {
  auto const part = path + ".part";
  {
    std::ofstream out(part);
    out << port << '\n';
    out.flush();
    if (!out) return false;
  }
  std::error_code error;
  std::filesystem::rename(part, path, error);
  return !error;
}

void log_figures(cy::station::StationFigures const& figures, std::uint64_t shown_before) {
  std::string counters;
  for (auto const& counter : figures.counters)
    counters += fmt::format(", {} {}", counter.reason, counter.count);
  spdlog::info("link {}, viewers {}, pictures shown {}/s, newest {:.0f} ms old{}",
               cy::wire::name_of(figures.link), figures.viewers, figures.shown.pictures - shown_before,
               figures.shown.age_ms, counters);
}

// Until SIGTERM or SIGINT.
void wait(cy::station::Station const& station, sigset_t const& signals, bool stats) {
  std::uint64_t shown = 0;
  for (;;) {
    timespec const second{1, 0};
    auto const signal = stats ? sigtimedwait(&signals, nullptr, &second) : sigwaitinfo(&signals, nullptr);
    if (signal > 0) return;
    if (!stats || errno != EAGAIN) continue;
    auto const figures = station.figures();
    log_figures(figures, shown);
    shown = figures.shown.pictures;
  }
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Serves the operator's page on loopback, and drives the robots of one agent.", "cy-station");
  Arguments arguments;
  describe(app, arguments);
  CLI11_PARSE(app, argc, argv);
  spdlog::set_default_logger(spdlog::stderr_logger_mt("cy-station"));

  // Waited for below; the station's threads inherit the mask.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);

  std::error_code error;
  auto const self = std::filesystem::read_symlink("/proc/self/exe", error);
  auto options = cy::station::settings_from(arguments.given, self.parent_path().string());
  if (!options) {
    std::fprintf(stderr, "cy-station: %s\n", options.error().what.c_str());
    return 2;
  }
  options->desk.software = "CyLib " CY_VERSION;
  auto const agent = cy::to_string(options->client.agent);
  auto const station = cy::station::Station::open(std::move(*options));
  if (!station) {
    std::fprintf(stderr, "cy-station: %s\n", station.error().what.c_str());
    return 1;
  }
  auto const local = (*station)->local();
  if (!arguments.port_file.empty() && !write_port(arguments.port_file, local.port)) {
    std::fprintf(stderr, "cy-station: %s cannot be written\n", arguments.port_file.c_str());
    return 1;
  }
  spdlog::info("the agent is {}", agent);
  std::printf("page: http://%s/\n", cy::to_string(local).c_str());
  std::fflush(stdout);
  wait(**station, signals, arguments.stats);
  spdlog::info("stopping");
  return 0;
}
