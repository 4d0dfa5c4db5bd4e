// cy drive: takes control, arms, drives for a time, and prints what the robot measured.
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "sight.hpp"
#include <thread>

namespace cy::cli {

void add_drive(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("drive", "Drives a robot for a while: cy drive --linear 0.2 --for 2");
  struct Options {
    Reach reach;
    std::string robot;
    double linear = 0.0, angular = 0.0, seconds = 1.0;
    bool takeover = false;
  };
  auto o = std::make_shared<Options>();
  o->reach.add_to(*command);
  command->add_option("--robot", o->robot, "its name; needless when there is one only");
  command->add_option("--linear", o->linear, "m/s, + forward")->check(CLI::Range(-5.0, 5.0));
  command->add_option("--angular", o->angular, "rad/s, + to the left")->check(CLI::Range(-10.0, 10.0));
  command->add_option("--for", o->seconds, "s")->check(seconds_range())->capture_default_str();
  command->add_flag("--takeover", o->takeover, "take control from whoever has it; managers only");
  command->callback([o, &status] {
    if (o->takeover) o->reach.role = Role::manager;
    auto client = o->reach.open();
    if (!client) {
      status = fail(client.error(), o->reach.json);
      return;
    }
    auto robot = (*client)->wait_for_robot(o->robot, 5s);
    auto control =
        robot ? robot->take_control(5s, o->takeover) : Result<Control>(tl::unexpected(robot.error()));
    auto const armed = control ? control->arm(5s) : Result<void>(tl::unexpected(control.error()));
    if (!armed) {
      status = fail(armed.error(), o->reach.json);
      return;
    }
    heed_interrupts();
    auto const until = net::now() + from_seconds(o->seconds);
    control->drive({o->linear, o->angular}, from_seconds(o->seconds));
    Sight sight(**client, *robot);
    while (net::now() < until && !interrupted()) {
      std::this_thread::sleep_for(Sight::look_period);
      if (auto const lost = sight.lost()) {
        status = fail(*lost, o->reach.json);
        return;
      }
      auto const now = robot->status();
      auto const base = now ? now->find<BaseState>() : std::nullopt;
      auto const state = (*client)->control(robot->info().id);
      if (!base || !state) continue;
      auto const held_down = state->cap_reason != CapReason::none;
      if (o->reach.json)
        fmt::print("{}\n", nlohmann::json{{"x_m", base->pose.x},
                                          {"y_m", base->pose.y},
                                          {"yaw_rad", base->pose.yaw},
                                          {"linear_m_s", base->twist.linear},
                                          {"angular_rad_s", base->twist.angular},
                                          {"mode", wire::name_of(state->mode)},
                                          {"cap_linear_m_s", state->cap_linear},
                                          {"cap_reason", wire::name_of(state->cap_reason)}}
                               .dump());
      else
        fmt::print("{:6.2f} m {:6.2f} m {:6.1f}°  {:5.2f} m/s {:6.1f} °/s  {}, {} {:.2f} m/s{}\n",
                   base->pose.x, base->pose.y, degrees(base->pose.yaw), base->twist.linear,
                   degrees(base->twist.angular), wire::name_of(state->mode),
                   held_down ? "held to" : "at most", state->cap_linear,
                   held_down ? fmt::format(" ({})", wire::name_of(state->cap_reason)) : "");
      std::fflush(stdout);
      if (state->mode != Mode::driving && state->mode != Mode::armed) {
        status = fail(Fault{fmt::format("the robot no longer drives: {}", state->why)}, o->reach.json);
        return;
      }
    }
    control->rest();
  });
}

}  // namespace cy::cli
