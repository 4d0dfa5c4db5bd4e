#include "settings.hpp"

#include <cy/app/config.hpp>

#include <filesystem>

namespace cy::agent {
namespace {

namespace fs = std::filesystem;

std::string beside(fs::path const& file, std::string const& path) {
  return path.empty() || fs::path(path).is_absolute() ? path : (file.parent_path() / path).string();
}

Policy read_policy(app::Table table) {
  Policy policy;
  std::vector<std::string_view> kinds;
  for (auto const name : names(Policy::Kind{})) kinds.push_back(name);
  policy.kind = static_cast<Policy::Kind>(table.choice("do", 0, kinds));
  policy.distance = table.number("distance_m", 2.0, 0.1, 100.0);
  policy.task = table.text("task", "");
  for (auto& [key, value] : table.table("settings").pairs()) policy.settings.push_back({key, value});
  auto const starts = policy.starts();
  if (policy.kind == Policy::Kind::task && policy.task.empty()) {
    table.reject("task", "must name the task to start");
  } else if (starts.name.empty()) {
    if (!policy.task.empty()) table.reject("task", "is started by do = \"task\" only");
    if (!policy.settings.empty()) table.reject("settings", "belong to what \"task\" or \"retrace\" start");
  } else if (auto const made = make_task(starts.name, {starts.settings}); !made) {
    auto const names = task_names();
    auto const known = std::find(names.begin(), names.end(), starts.name) != names.end();
    table.reject(known ? "settings" : "task", made.error().what);
  }
  return policy;
}

host::RobotOptions read_robot(app::Table table) {
  host::RobotOptions robot;
  robot.name = table.text("name");
  robot.driver = table.text("driver");
  robot.address = table.text("address", "");
  robot.baud = static_cast<unsigned>(table.integer("baud", 9600, 300, 921600));
  robot.settings = table.table("settings").pairs();
  auto const made =
      make_driver(robot.driver, {{}, {}, robot.name, robot.address, robot.baud, robot.settings});
  if (!made) table.reject("driver", made.error().what);

  auto& gate = robot.control.gate;
  auto limits = table.table("limits");
  gate.max_linear = limits.number("linear_m_s", gate.max_linear, 0.01, 5.0);
  gate.max_angular = limits.number("angular_rad_s", gate.max_angular, 0.01, 10.0);
  gate.blind_distance = limits.number("blind_distance_m", gate.blind_distance, 0.05, 10.0);
  gate.max_lifetime = limits.milliseconds("lifetime_ms", gate.max_lifetime, 50ms, 2s);
  gate.loop_too_old = limits.milliseconds("loop_too_old_ms", gate.loop_too_old, 50ms, 10s);
  gate.data_too_old = limits.milliseconds("data_too_old_ms", gate.data_too_old, 100ms, 5s);
  auto guard = table.table("guard");
  gate.guard.on = guard.flag("on", gate.guard.on);
  gate.guard.margin = guard.number("margin_m", gate.guard.margin, 0.0, 2.0);
  gate.guard.blind_linear = guard.number("blind_linear_m_s", gate.guard.blind_linear, 0.0, 2.0);
  gate.guard.blind_angular = guard.number("blind_angular_rad_s", gate.guard.blind_angular, 0.0, 6.0);
  robot.control.on_lost = read_policy(table.table("on_lost"));
  robot.control.on_gone = read_policy(table.table("on_gone"));
  return robot;
}

}  // namespace

Result<Settings> read_settings(std::string const& path) {
  auto config = app::read_config(path);
  if (!config) return tl::unexpected(config.error());
  Settings s;
  auto agent = config->table("agent");
  s.host.name = agent.text("name", "agent");
  auto const listen = parse_endpoint(agent.text("listen", "127.0.0.1:4747"), 4747);
  if (listen)
    s.listen = *listen;
  else
    agent.reject("listen", listen.error().what);
  s.key_file = beside(path, agent.text("key_file", "agent.key"));
  s.trust_file = beside(path, agent.text("trust_file", "trusted"));
  s.socket = beside(path, agent.text("socket", ""));
  s.black_box = beside(path, agent.text("black_box", ""));
  s.black_box_mib = agent.integer("black_box_mib", 64, 1, 100'000);
  s.port_file = beside(path, agent.text("port_file", ""));
  s.real_time = agent.flag("real_time", true);
  s.host.listener.allow_clear = agent.flag("allow_clear", false);
  s.host.listener.clear_from_anywhere = agent.flag("clear_from_anywhere", false);

  auto link = config->table("link");
  auto& l = s.host.listener.link;
  l.heartbeat = link.milliseconds("heartbeat_ms", l.heartbeat, 5ms, 60s);
  l.late = link.milliseconds("late_ms", l.late, 10ms, 60s);
  l.lost = link.milliseconds("lost_ms", l.lost, 10ms, 5min);
  l.gone = link.milliseconds("gone_ms", l.gone, 100ms, 1h);
  l.datagram = static_cast<std::size_t>(link.integer("datagram_bytes", 1200, 256, session::max_datagram));
  if (!(l.heartbeat < l.late && l.late < l.lost && l.lost < l.gone))
    link.reject("late_ms", "heartbeat_ms < late_ms < lost_ms < gone_ms must hold");

  auto robots = config->root().tables("robot");
  for (auto const& robot : robots) s.host.robots.push_back(read_robot(robot));
  if (auto const done = config->finish(); !done) return tl::unexpected(done.error());
  if (s.host.robots.empty())
    return fault("{}: there is no [[robot]]; the agent would have nothing to do", path);
  return s;
}

}  // namespace cy::agent
