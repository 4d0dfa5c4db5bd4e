// cy task: lets a robot act on its own, tells how it gets on, and ends with it.
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "sight.hpp"
#include <thread>

namespace cy::cli {
namespace {

struct Options {
  Reach reach;
  std::string robot;
  std::string name;
  std::vector<std::string> settings;
  double seconds = 3600.0;
  bool takeover = false;
};

Result<std::vector<Setting>> read_settings(std::vector<std::string> const& words) {
  std::vector<Setting> settings;
  for (auto const& word : words) {
    auto const equals = word.find('=');
    if (equals == std::string::npos || equals == 0) return fault("'{}' is no setting: write KEY=VALUE", word);
    settings.push_back({word.substr(0, equals), word.substr(equals + 1)});
  }
  return settings;
}

// The agent tells it as soon as it is reached.
Result<TaskState> wait_for_tasks(Client const& client, Robot const& robot, Duration longest) {
  for (auto const until = net::now() + longest; net::now() < until; std::this_thread::sleep_for(5ms))
    if (auto const task = client.task(robot.info().id)) return *task;
  return fault("the agent does not say which tasks {} has", robot.info().name);
}

void print(TaskState const& task, bool json) {
  if (json)
    fmt::print("{}\n", nlohmann::json{{"task", task.name},
                                      {"phase", wire::name_of(task.phase)},
                                      {"progress", task.progress},
                                      {"fraction", task.fraction}}
                           .dump());
  else if (task.fraction >= 0.0)
    fmt::print("{} {}: {} ({:.0f} %)\n", task.name, wire::name_of(task.phase), task.progress,
               100.0 * task.fraction);
  else
    fmt::print("{} {}: {}\n", task.name, wire::name_of(task.phase), task.progress);
  std::fflush(stdout);
}

void end(Client& client, Control const& control) {
  client.event(control.target(), wire::body_of(StopTask{}), 2s).wait();
}

// Its exit status, once it has ended, was interrupted, or ran out of time. `before`: the run that the
// robot told of before this one was begun.
int follow(Client& client, Robot const& robot, Control const& control, std::uint32_t before,
           Options const& o) {
  heed_interrupts();
  auto const until = net::now() + from_seconds(o.seconds);
  Sight sight(client, robot);
  std::string told;
  auto next_look = net::now() + Sight::look_period;
  for (;; std::this_thread::sleep_for(20ms)) {
    auto const now = net::now();
    auto const task = *client.task(robot.info().id);
    auto const known = task.run != before;
    auto const fresh = fmt::format("{} {:.2f} {}", wire::name_of(task.phase), task.fraction, task.progress);
    if (known && std::exchange(told, fresh) != fresh) print(task, o.reach.json);
    if (known && task.phase != TaskPhase::running) return task.phase == TaskPhase::finished ? 0 : 1;
    if (interrupted() || now >= until) {
      end(client, control);
      if (auto const last = client.task(robot.info().id)) print(*last, o.reach.json);
      return interrupted() ? 1 : 0;
    }
    if (now < next_look) continue;
    next_look = now + Sight::look_period;
    if (auto const lost = sight.lost()) return fail(*lost, o.reach.json);
  }
}

int run(Options& o) {
  if (o.takeover) o.reach.role = Role::manager;
  auto settings = read_settings(o.settings);
  if (!settings) return fail(settings.error(), o.reach.json);
  auto client = o.reach.open();
  if (!client) return fail(client.error(), o.reach.json);
  auto robot = (*client)->wait_for_robot(o.robot, 5s);
  if (!robot) return fail(robot.error(), o.reach.json);
  auto const known = wait_for_tasks(**client, *robot, 2s);
  if (!known) return fail(known.error(), o.reach.json);
  if (o.name.empty()) {
    if (o.reach.json)
      fmt::print("{}\n", nlohmann::json{{"tasks", known->available}}.dump());
    else
      fmt::print("{}\n", fmt::join(known->available, "\n"));
    return 0;
  }
  auto control = robot->take_control(5s, o.takeover);
  if (!control) return fail(control.error(), o.reach.json);
  if (auto const armed = control->arm(5s); !armed) return fail(armed.error(), o.reach.json);
  if (auto const begun = control->start_task({o.name, std::move(*settings)}, 5s); !begun)
    return fail(begun.error(), o.reach.json);
  return follow(**client, *robot, *control, known->run, o);
}

}  // namespace

void add_task(CLI::App& app, int& status) {
  auto* command = app.add_subcommand(
      "task", "Lets a robot act on its own: cy task wander --for 60; without a name: which tasks there are");
  auto o = std::make_shared<Options>();
  o->reach.add_to(*command);
  command->add_option("NAME", o->name, "the task");
  command->add_option("KEY=VALUE", o->settings, "its settings");
  command->add_option("--robot", o->robot, "the robot's name; needless when there is one only");
  command->add_option("--for", o->seconds, "s; then it is ended")->check(seconds_range());
  command->add_flag("--takeover", o->takeover, "take control from whoever has it; managers only");
  command->callback([o, &status] { status = run(*o); });
}

}  // namespace cy::cli
