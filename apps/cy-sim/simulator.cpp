#include "simulator.hpp"

#include <cy/controllers/arcos_controller.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/streambuf.hpp>
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "camera.hpp"
#include "clock.hpp"
#include "line.hpp"
#include "trace_file.hpp"
#include <csignal>
#include <cstring>
#include <istream>

namespace cy::sim {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

// How often pedestrians walk.
constexpr Duration walk_step = 20ms;

// In whole or not at all, since others wait for it to appear.
Result<void> write_file(std::string const& path, std::string const& text) {
  auto const fresh = path + ".new";
  auto const file = ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  auto const failed = [&] { return fault("port file {}: {}", path, std::strerror(errno)); };
  if (file < 0) return failed();
  auto const written = ::write(file, text.data(), text.size());
  ::close(file);
  if (written != static_cast<ssize_t>(text.size()) || ::rename(fresh.c_str(), path.c_str()) != 0)
    return failed();
  return {};
}

}  // namespace

struct Simulator::Parts {
  struct Robot {
    unsigned number;
    ArcosController controller;
    std::unique_ptr<Line> line;
  };

  explicit Parts(SimulatorOptions o)
      : options{std::move(o)}, world{options.world, options.profile, options.seed} {}

  SimulatorOptions options;
  World world;
  asio::io_context loop{1};
  asio::steady_timer timer{loop};
  asio::signal_set signals{loop, SIGTERM, SIGINT};
  asio::posix::stream_descriptor orders{loop};
  asio::streambuf order_text{4096};
  std::optional<TraceFile> trace;
  std::vector<std::unique_ptr<Robot>> robots;
  PoseBoard board;
  std::vector<std::unique_ptr<CameraThread>> cameras;

  Result<void> set_up();
  Result<void> add_robot(std::size_t index, Time at);
  void pump();
  void carry_out(Robot& robot);
  void schedule();
  void read_orders();
  void obey(std::string const& text);
};

Result<void> Simulator::Parts::set_up() {
  if (!options.trace.empty()) {
    auto file = TraceFile::open(options.trace);
    if (!file) return tl::unexpected(file.error());
    trace = std::move(*file);
  }
  for (auto const& spec : options.faults) {
    if (spec.robot > options.robots.size())
      return fault("a fault names robot {}; there are {}", spec.robot, options.robots.size());
  }
  auto const at = now();
  for (std::size_t i = 0; i < options.robots.size(); ++i) {
    if (auto added = add_robot(i, at); !added) return added;
  }
  for (auto const& walk : options.walks) world.add_pedestrian(walk);
  world.on_time(at);
  board.publish(world);

  for (std::size_t i = 0; i < options.cameras.size(); ++i) {
    auto const& spec = options.cameras[i];
    if (spec.robot > robots.size())
      return fault("camera {} is on robot {}; there are {}", spec.path, spec.robot, robots.size());
    auto camera = CameraThread::start({spec.path, options.fps, options.camera}, world,
                                      Seed{options.seed.value + 1000 + i},
                                      robots[spec.robot - 1]->controller.body(), board);
    if (!camera) return tl::unexpected(camera.error());
    cameras.push_back(std::move(*camera));
    spdlog::info("camera of robot {} at {}, {:.0f} pictures a second", spec.robot, spec.path, options.fps);
  }
  if (!options.port_file.empty()) {
    std::string text;
    for (auto const& robot : robots) text += fmt::format("{} {}\n", robot->number, robot->line->address());
    if (auto written = write_file(options.port_file, text); !written) return written;
  }
  signals.async_wait([this](error_code error, int number) {
    if (error) return;
    spdlog::info("ending on {}", number == SIGTERM ? "SIGTERM" : "SIGINT");
    loop.stop();
  });
  if (options.orders_on_stdin) {
    orders.assign(::dup(STDIN_FILENO));
    read_orders();
  }
  return {};
}

Result<void> Simulator::Parts::add_robot(std::size_t index, Time at) {
  auto const& spec = options.robots[index];
  auto const& starts = options.world.starts;
  auto const start = spec.pose ? *spec.pose : index < starts.size() ? starts[index].pose : Pose2{};
  if (!world.is_free({.radius = 0.25}, start)) {
    return fault(
        "robot {} cannot stand at {:.2f},{:.2f}: something is there; give it a pose with @x,y,degrees",
        index + 1, start.x, start.y);
  }
  auto arcos = options.arcos;
  arcos.generation = spec.generation;
  for (auto const& fault : options.faults) {
    if (fault.robot != 0 && fault.robot != index + 1) continue;
    arcos.faults.insert(arcos.faults.end(), fault.orders.begin(), fault.orders.end());
  }
  auto robot = std::make_unique<Robot>(Robot{
      static_cast<unsigned>(index + 1),
      ArcosController{world, start, std::move(arcos), Seed{options.seed.value * 1000 + index}, at}, nullptr});
  auto* const raw = robot.get();
  auto line = open_line(loop, spec, options.bind, baud_of(options.arcos.flash.host_baud),
                        {.on_connected =
                             [this, raw] {
                               raw->controller.on_connected(now());
                               pump();
                             },
                         .on_disconnected =
                             [this, raw] {
                               raw->controller.on_disconnected(now());
                               pump();
                             },
                         .on_bytes =
                             [this, raw](Bytes bytes) {
                               raw->controller.on_bytes(bytes, now());
                               pump();
                             }});
  if (!line) return tl::unexpected(line.error());
  robot->line = std::move(*line);
  spdlog::info("robot {}: {} at {:.2f},{:.2f} facing {:.0f} degrees on {}", robot->number,
               sub_type_of(spec.generation), start.x, start.y, degrees(start.yaw), robot->line->address());
  robots.push_back(std::move(robot));
  return {};
}

void Simulator::Parts::pump() {
  auto const at = now();
  world.on_time(at);
  for (auto const& robot : robots) {
    robot->controller.on_time(at);
    carry_out(*robot);
  }
  if (!cameras.empty()) board.publish(world);
  if (trace) trace->flush();
  schedule();
}

void Simulator::Parts::carry_out(Robot& robot) {
  for (auto& effect : robot.controller.drain()) {
    if (auto* send = std::get_if<ControllerSend>(&effect)) {
      if (robot.line) robot.line->write(std::move(send->bytes));
    } else if (auto const* baud = std::get_if<ControllerBaud>(&effect)) {
      if (robot.line) robot.line->set_baud(baud->baud);
      spdlog::debug("robot {}: {} baud", robot.number, baud->baud);
    } else if (std::holds_alternative<ControllerHangUp>(effect)) {
      if (robot.line) robot.line->hang_up();
    } else if (auto const* entry = std::get_if<TraceEntry>(&effect)) {
      if (auto const* change = std::get_if<Changed>(&entry->what)) {
        spdlog::debug("robot {}: {} {} ({})", robot.number, change->what, change->to, change->why);
      }
      if (trace) trace->write(*entry, robot.number);
    }
  }
}

void Simulator::Parts::schedule() {
  std::optional<Time> first;
  for (auto const& robot : robots) {
    auto const due = robot->controller.deadline();
    if (due && (!first || *due < *first)) first = due;
  }
  auto const at = now();
  if (!options.walks.empty() && (!first || *first > at + walk_step)) first = at + walk_step;
  if (!first) {
    timer.cancel();
    return;
  }
  timer.expires_after(std::max(*first - at, Duration{}));
  timer.async_wait([this](error_code cancelled) {
    if (!cancelled) pump();
  });
}

void Simulator::Parts::read_orders() {
  asio::async_read_until(orders, order_text, '\n', [this](error_code error, std::size_t) {
    if (error) {
      if (error != asio::error::eof) spdlog::warn("orders: {}", error.message());
      return;
    }
    std::istream in{&order_text};
    std::string line;
    std::getline(in, line);
    obey(line);
    read_orders();
  });
}

void Simulator::Parts::obey(std::string const& text) {
  if (text.empty()) return;
  auto const spec = parse_fault_spec(text);
  if (!spec) return spdlog::error("{}", spec.error().what);
  if (spec->robot > robots.size()) {
    return spdlog::error("order \"{}\": there are {} robots", text, robots.size());
  }
  for (auto const& robot : robots) {
    if (spec->robot != 0 && spec->robot != robot->number) continue;
    for (auto const& order : spec->orders) robot->controller.order(order, now());
  }
  spdlog::info("order: {}", text);
  pump();
}

Result<std::unique_ptr<Simulator>> Simulator::start(SimulatorOptions options) {
  auto parts = std::make_unique<Parts>(std::move(options));
  if (auto ready = parts->set_up(); !ready) return tl::unexpected(ready.error());
  return std::unique_ptr<Simulator>{new Simulator{std::move(parts)}};
}

Simulator::Simulator(std::unique_ptr<Parts> parts) : parts_{std::move(parts)} {}
Simulator::~Simulator() = default;

void Simulator::run() {
  parts_->pump();
  parts_->loop.run();
}

}  // namespace cy::sim
