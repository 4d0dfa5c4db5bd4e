// cy stop: stops robots and waits until they say that they stand; with --release lets them go again.
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include <thread>

namespace cy::cli {
namespace {

using nlohmann::json;

struct Options {
  Reach reach;
  std::string robot;
  std::string why;
  int category = 2;
  double patience = 5.0;
  bool release = false;
};

struct Outcome {
  std::string robot;
  bool good{};
  std::string text;
};

// Waits for `done` of the robot's control; false when it does not come to that.
bool await(Client const& client, RobotId robot, Time until, bool (*done)(ControlState const&)) {
  for (;; std::this_thread::sleep_for(20ms)) {
    if (auto const control = client.control(robot); control && done(*control)) return true;
    if (net::now() >= until) return false;
  }
}

Outcome stop(Client& client, RobotInfo const& robot, Options const& o, Time until) {
  Stop const what{static_cast<StopKind>(o.category), o.why};
  auto const ended = client
                         .event({Resource{robot.id.value}, client.person(), {}}, wire::body_of(what),
                                from_seconds(o.patience))
                         .get();
  if (ended.ending != Ending::applied)
    return {robot.name, false, fmt::format("the stop was not answered ({})", wire::name_of(ended.ending))};
  if (!await(client, robot.id, until, [](auto const& c) { return c.stop_latched && c.stop_confirmed; }))
    return {robot.name, false, "told to stop, NOT confirmed: the robot has not said that it stands"};
  return {robot.name, true, "stopped: it stands, until somebody releases it"};
}

Outcome release(Client& client, RobotInfo const& robot, Options const& o, Time until) {
  if (!await(client, robot.id, until, [](auto const&) { return true; }))
    return {robot.name, false, "nothing is heard of its control"};
  auto const control = *client.control(robot.id);
  if (!control.stop_latched) return {robot.name, true, "is not stopped"};
  auto const ended = client
                         .event({Resource{robot.id.value}, client.person(), {}},
                                wire::body_of(ReleaseStop{control.revision}), from_seconds(o.patience))
                         .get();
  if (ended.ending == Ending::applied)
    return {robot.name, true, "released; driving needs control and arming"};
  return {robot.name, false,
          fmt::format("not released: {}",
                      ended.why == Refusal::none ? wire::name_of(ended.ending) : wire::name_of(ended.why))};
}

int run(Options const& o) {
  auto client = o.reach.open();
  if (!client) return fail(client.error(), o.reach.json);
  auto const until = net::now() + from_seconds(o.patience);
  while ((*client)->inventory().revision == 0 && net::now() < until) std::this_thread::sleep_for(5ms);
  auto robots = (*client)->inventory().robots;
  if (!o.robot.empty()) std::erase_if(robots, [&](RobotInfo const& r) { return r.name != o.robot; });
  if (robots.empty())  // the same words as elsewhere: which robots there are, or why nobody is reached
    return fail((*client)->wait_for_robot(o.robot, 0s).error(), o.reach.json);
  auto status = 0;
  for (auto const& robot : robots) {
    auto const outcome = o.release ? release(**client, robot, o, until) : stop(**client, robot, o, until);
    if (o.reach.json)
      fmt::print("{}\n",
                 json{{"robot", outcome.robot}, {"good", outcome.good}, {"text", outcome.text}}.dump());
    else
      fmt::print("{}: {}\n", outcome.robot, outcome.text);
    if (!outcome.good) status = 1;
  }
  return status;
}

}  // namespace

void add_stop(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("stop", "Stops robots; any trusted key may");
  auto o = std::make_shared<Options>();
  o->reach.add_to(*command);
  command->add_option("--robot", o->robot, "its name; all robots without it");
  command->add_option("--why", o->why, "told to everybody who looks on");
  command
      ->add_option("--category", o->category,
                   "after IEC 60204-1: 2 brakes, 1 brakes and takes the power, 0 takes it at once")
      ->check(CLI::Range(0, 2))
      ->capture_default_str();
  command->add_option("--wait", o->patience, "for the robot to stand, s")
      ->check(CLI::Range(0.1, 60.0))
      ->capture_default_str();
  command->add_flag("--release", o->release, "lets a stopped robot be driven again; operators only");
  command->callback([o, &status] { status = run(*o); });
}

}  // namespace cy::cli
