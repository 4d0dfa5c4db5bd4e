// cy-sim: a world with simulated robots that speak their makers' protocols.
#include <cy/world/parse.hpp>

#include <CLI/CLI.hpp>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "simulator.hpp"
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

namespace fs = std::filesystem;
using namespace cy;
using namespace cy::sim;

// Beside an installed program, else in the source tree that it was built from.
std::string default_world() {
  std::error_code ignored;
  auto const program = fs::read_symlink("/proc/self/exe", ignored);
  auto const installed = program.parent_path().parent_path() / "share/cylib/worlds/lab.toml";
  return fs::exists(installed, ignored) ? installed.string() : CY_SOURCE_DIR "/sim/world/worlds/lab.toml";
}

Result<WorldModel> load_world(std::string const& path) {
  std::ifstream file{path, std::ios::binary};
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    return fault("world {}: cannot be read; give a .map or .toml file with --world", path);
  }
  return parse_world(text.str(), path);
}

template <class T>
bool parse_all(std::vector<std::string> const& texts, Result<T> (*parse)(std::string_view),
               std::vector<T>& into) {
  for (auto const& text : texts) {
    auto value = parse(text);
    if (!value) {
      spdlog::error("{}", value.error().what);
      return false;
    }
    into.push_back(std::move(*value));
  }
  return true;
}

struct Texts {
  std::string world = default_world();
  std::string profile = "real";
  std::string size = "640x480";
  std::string log = "info";
  unsigned host_baud = 9600;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> robots, faults, cameras, walks;
};

void declare(CLI::App& app, SimulatorOptions& o, Texts& t) {
  app.set_version_flag("--version", CY_VERSION);
  app.add_option("--world", t.world, "World: a .toml of ours or a MobileSim .map")->capture_default_str();
  app.add_option("--seed", t.seed, "Of all chance; the same seed repeats a run [the world's]");
  app.add_option("--profile", t.profile, "ideal: geometry alone; real: errors of sensors, wheels, lenses")
      ->check(CLI::IsMember({"ideal", "real"}))
      ->capture_default_str();
  app.add_option("--robot", t.robots,
                 "TYPE[@x,y,degrees]:PORT or TYPE[@x,y,degrees]:pty:/PATH, TYPE p3dx or p3dx-sh; port 0: any "
                 "free one; repeat for more [p3dx-sh:8101]");
  app.add_option("--bind", o.bind, "IP address of the TCP ports")->capture_default_str();
  app.add_option("--fault", t.faults, "[ROBOT:]ORDER[,ORDER], see below; repeat for more");
  app.add_flag("--orders", o.orders_on_stdin, "Take more fault orders from standard input, one a line");

  auto* const robot = app.add_option_group("Robots");
  robot->add_option("--name", o.arcos.flash.name, "FLASH name; MobileSim makes ARIA see a simulator")
      ->capture_default_str();
  robot->add_flag("--lenient", o.arcos.lenient,
                  "As AMRISim: syncs out of order are echoed, motors on after OPEN, the watchdog only warns, "
                  "CLOSE hangs up, a lost connection ends the session");
  robot->add_flag("--front-bumpers", o.arcos.front_bumpers, "Five segments in front");
  robot->add_flag("--rear-bumpers", o.arcos.rear_bumpers, "Five segments at the back");
  robot->add_flag("--gyro", o.arcos.gyro, "A gyro is fitted");
  robot->add_flag("!--no-rear-sonar", o.arcos.rear_sonar, "Only the front array is fitted");
  robot->add_option("--battery", o.arcos.battery_volts, "Volts at the start")
      ->check(CLI::Range(11.0, 13.0))
      ->capture_default_str();
  robot->add_flag("--reports-charge", o.arcos.reports_charge, "Batteries that say how full they are");
  robot->add_option("--host-baud", t.host_baud, "In FLASH: of a pty until HOSTBAUD says otherwise")
      ->check(CLI::IsMember({9600, 19200, 38400, 57600, 115200}))
      ->capture_default_str();
  robot->add_option("--watchdog-ms", o.arcos.flash.watchdog, "Of the controllers; 0: none")
      ->capture_default_str();

  auto* const camera = app.add_option_group("Cameras");
  camera->add_option("--camera", t.cameras, "[ROBOT=]PATH of a frame port for cy-camera; repeat for more");
  camera->add_option("--fps", o.fps, "Pictures a second")
      ->check(CLI::Range(0.1, 120.0))
      ->capture_default_str();
  camera->add_option("--size", t.size, "WIDTHxHEIGHT, even")->capture_default_str();
  camera->add_flag("--mark", o.camera.mark, "Frame number and capture time as a bar code in the picture");
  app.add_option("--walk", t.walks,
                 "Somebody who walks x,y;x,y;... and back to the first, in metres; repeat for more");

  app.add_option("--trace", o.trace, "File for the byte trace, JSON lines");
  app.add_flag("--trace-speed", o.arcos.trace_speed,
               "The true speed into the trace, every 10 ms while it moves");
  app.add_option("--port-file", o.port_file, "File that names each robot's address once all is ready");
  app.add_option("--log", t.log, "Logs on standard error: debug, info, warn, error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->capture_default_str();
  app.footer("Fault orders (times count from the start; ms, s or min):\n" + fault_order_help() +
             "\nExample: a robot at x 2, y 3 whose line goes silent for two seconds, with a camera\n"
             "  cy-sim --robot p3dx-sh@2,3,90:8101 --fault silent@20s+2s --camera /dev/shm/pioneer-eye");
}

bool read_size(std::string const& text, CameraModel& model) {
  unsigned width{}, height{};
  char x{}, rest{};
  std::istringstream in{text};
  if (!(in >> width >> x >> height) || x != 'x' || in >> rest || width % 2 != 0 || height % 2 != 0 ||
      width < 64 || width > 1920 || height < 64 || height > 1440) {
    spdlog::error("size \"{}\": write WIDTHxHEIGHT, both even, from 64x64 to 1920x1440", text);
    return false;
  }
  model.width = width;
  model.height = height;
  return true;
}

int run(SimulatorOptions options, Texts const& texts) {
  auto world = load_world(texts.world);
  if (!world) {
    spdlog::error("{}", world.error().what);
    return 1;
  }
  options.world = std::move(*world);
  options.profile = texts.profile == "ideal" ? Profile::ideal : Profile::real;
  options.seed = texts.seed ? Seed{*texts.seed} : options.world.seed;
  auto robots = texts.robots;
  if (robots.empty()) robots.emplace_back("p3dx-sh:8101");
  if (!parse_all(robots, parse_robot_spec, options.robots) ||
      !parse_all(texts.faults, parse_fault_spec, options.faults) ||
      !parse_all(texts.cameras, parse_camera_spec, options.cameras) ||
      !parse_all(texts.walks, parse_walk, options.walks) || !read_size(texts.size, options.camera)) {
    return 1;
  }
  auto& code = options.arcos.flash.host_baud;
  while (baud_of(code) != texts.host_baud) ++code;
  auto simulator = Simulator::start(std::move(options));
  if (!simulator) {
    spdlog::error("{}", simulator.error().what);
    return 1;
  }
  (*simulator)->run();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("cy-sim", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
  CLI::App app{"A world with simulated robots that speak their makers' protocols.", "cy-sim"};
  SimulatorOptions options;
  Texts texts;
  declare(app, options, texts);
  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  spdlog::set_level(spdlog::level::from_str(texts.log));
  try {
    return run(std::move(options), texts);
  } catch (std::exception const& error) {
    spdlog::critical("{}", error.what());
    return 1;
  }
}
