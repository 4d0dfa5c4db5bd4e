// cy status: what the agent has, how it is, how the link is.
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include <bitset>
#include <cmath>
#include <limits>
#include <thread>

namespace cy::cli {
namespace {

using nlohmann::json;

json to_json(std::vector<Counter> const& counters) {
  json all = json::object();
  for (auto const& counter : counters) all[counter.reason] = counter.count;
  return all;
}

json to_json(Client const& client) {
  auto const view = client.link();
  auto const ms = [](std::optional<Duration> d) { return d ? json(milliseconds(*d)) : json(nullptr); };
  json all{{"link",
            {{"state", wire::name_of(view.state)},
             {"sealed", view.sealed},
             {"rtt_ms", ms(view.statistics.rtt)},
             {"jitter_ms", milliseconds(view.statistics.jitter)},
             {"loss", view.statistics.loss},
             {"received", view.statistics.received},
             {"sent", view.statistics.sent},
             {"drops", to_json(counters_of(view.drops))}}},
           {"agent", nullptr},
           {"robots", json::array()},
           {"devices", json::array()}};
  if (auto const agent = client.agent())
    all["agent"] = {{"name", agent->name},
                    {"uptime_s", agent->uptime},
                    {"sessions", agent->sessions},
                    {"black_box", agent->black_box},
                    {"drops", to_json(agent->drops)}};
  auto const inventory = client.inventory();
  for (auto const& device : inventory.devices) {
    std::vector<std::string> robots;
    for (auto const& robot : inventory.robots)
      if (robot.device == device.device) robots.push_back(robot.name);
    all["devices"].push_back({{"id", device.device.value},
                              {"robots", robots},
                              {"phase", wire::name_of(device.phase)},
                              {"step", device.step},
                              {"trouble", device.trouble},
                              {"attempt", device.attempt},
                              {"watchdog_s", device.watchdog},
                              {"counters", to_json(device.counters)}});
  }
  for (auto const& info : inventory.robots) {
    json robot{{"id", info.id.value}, {"name", info.name}, {"model", info.model}};
    auto const status = client.status(info.id);
    if (auto const base = status ? status->find<BaseState>() : std::nullopt)
      robot["base"] = {{"x_m", base->pose.x},
                       {"y_m", base->pose.y},
                       {"yaw_rad", base->pose.yaw},
                       {"linear_m_s", base->twist.linear},
                       {"angular_rad_s", base->twist.angular},
                       {"motors", base->motors},
                       {"stalled", base->stall_left || base->stall_right}};
    if (auto const power = status ? status->find<PowerState>() : std::nullopt)
      robot["power"] = {{"voltage_v", power->voltage ? json(*power->voltage) : json(nullptr)},
                        {"fraction", power->fraction ? json(*power->fraction) : json(nullptr)}};
    if (auto const sonar = status ? status->find<SonarState>() : std::nullopt) {
      robot["sonar"] = json::array();
      for (auto const& disc : sonar->discs)
        robot["sonar"].push_back(
            {{"range_m", disc.range},
             {"heard", disc.heard},
             {"age_ms", disc.age_ms == SonarDisc::never ? json(nullptr) : json(disc.age_ms)}});
    }
    if (auto const bumpers = status ? status->find<BumperState>() : std::nullopt)
      robot["bumpers_pressed"] = std::bitset<32>(bumpers->pressed).count();
    if (auto const control = client.control(info.id))
      robot["control"] = {{"mode", wire::name_of(control->mode)},
                          {"why", control->why},
                          {"holder", control->holder_name},
                          {"stopped", control->stop_latched},
                          {"stop_confirmed", control->stop_confirmed},
                          {"cap_linear_m_s", control->cap_linear},
                          {"cap_reason", wire::name_of(control->cap_reason)}};
    all["robots"].push_back(std::move(robot));
  }
  return all;
}

// "16 discs, nearest 0.84 m"
std::string sonar_line(json const& discs) {
  auto nearest = std::numeric_limits<double>::infinity();
  for (auto const& disc : discs)
    if (disc["heard"].get<bool>()) nearest = std::min(nearest, disc["range_m"].get<double>());
  return fmt::format("{} discs, {}", discs.size(),
                     std::isfinite(nearest) ? fmt::format("nearest {:.2f} m", nearest) : "no echo");
}

void print(json const& all) {
  auto const& link = all["link"];
  auto const number = [](json const& value, char const* unit) {
    return value.is_number() ? fmt::format("{:.1f} {}", value.get<double>(), unit) : std::string("unknown");
  };
  fmt::print("link     {}{}, round trip {}, loss {:.1f} %\n", link["state"].get<std::string>(),
             link["sealed"].get<bool>() ? "" : ", NOT SEALED", number(link["rtt_ms"], "ms"),
             link["loss"].get<double>() * 100.0);
  if (auto const& agent = all["agent"]; !agent.is_null()) {
    fmt::print("agent    {}, up for {:.0f} s, {} sessions, black box {}\n", agent["name"].get<std::string>(),
               agent["uptime_s"].get<double>(), agent["sessions"].get<int>(),
               agent["black_box"].get<bool>() ? "on disk" : "off");
    for (auto const& [reason, count] : agent["drops"].items())
      fmt::print("         dropped {}: {}\n", reason, count.get<std::uint64_t>());
  }
  for (auto const& device : all["devices"]) {
    auto const put = [&](char const* before, char const* key) {
      auto const text = device[key].get<std::string>();
      return text.empty() ? text : before + text;
    };
    fmt::print("device {} of {}: {}{}{}\n", device["id"].get<int>(),
               fmt::join(device["robots"].get<std::vector<std::string>>(), ", "),
               device["phase"].get<std::string>(), put(", ", "step"), put(": ", "trouble"));
  }
  for (auto const& robot : all["robots"]) {
    fmt::print("robot    {} ({})\n", robot["name"].get<std::string>(), robot["model"].get<std::string>());
    if (robot.contains("base"))
      fmt::print("         at {:.2f} m, {:.2f} m, {:.1f}°; {:.2f} m/s; motors {}\n",
                 robot["base"]["x_m"].get<double>(), robot["base"]["y_m"].get<double>(),
                 degrees(robot["base"]["yaw_rad"].get<double>()), robot["base"]["linear_m_s"].get<double>(),
                 robot["base"]["motors"].get<bool>() ? "on" : "off");
    if (robot.contains("power"))
      fmt::print("         battery {}\n", number(robot["power"]["voltage_v"], "V"));
    if (robot.contains("sonar")) fmt::print("         sonar {}\n", sonar_line(robot["sonar"]));
    if (robot.contains("bumpers_pressed"))
      fmt::print("         bumpers {} pressed\n", robot["bumpers_pressed"].get<int>());
    if (robot.contains("control"))
      fmt::print("         {}, driven by {}; {}\n", robot["control"]["mode"].get<std::string>(),
                 robot["control"]["holder"].get<std::string>().empty()
                     ? "nobody"
                     : robot["control"]["holder"].get<std::string>(),
                 robot["control"]["why"].get<std::string>());
  }
}

}  // namespace

void add_status(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("status", "Prints what the agent has and how it is");
  struct Options {
    Reach reach;
    double seconds = 1.0;
  };
  auto o = std::make_shared<Options>();
  o->reach.add_to(*command);
  command->add_option("--for", o->seconds, "how long to look before printing, s")
      ->check(seconds_range())
      ->capture_default_str();
  command->callback([o, &status] {
    auto client = o->reach.open();
    if (!client) {
      status = fail(client.error(), o->reach.json);
      return;
    }
    auto const until = net::now() + from_seconds(std::max(o->seconds, 0.1));
    auto const latest = until + 4s;
    while (net::now() < until || ((*client)->inventory().revision == 0 && net::now() < latest))
      std::this_thread::sleep_for(50ms);
    if ((*client)->inventory().revision == 0) {
      auto const view = (*client)->link();
      status = fail(Fault{fmt::format("the agent at {} is not reached: {}", o->reach.agent,
                                      view.why.empty() ? "no answer" : view.why)},
                    o->reach.json);
      return;
    }
    auto const all = to_json(**client);
    if (o->reach.json)
      fmt::print("{}\n", all.dump());
    else
      print(all);
  });
}

}  // namespace cy::cli
