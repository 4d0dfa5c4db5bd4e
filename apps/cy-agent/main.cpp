// cy-agent: the process beside the robots.
#include <cy/app/keys.hpp>
#include <cy/base/check.hpp>

#include <CLI/CLI.hpp>
#include <sched.h>
#include <spdlog/async.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>

#include "agent.hpp"
#include <csignal>
#include <fstream>

namespace {

cy::agent::Agent* running = nullptr;

// Locked memory and a real-time priority keep a busy machine from delaying a stop. Both need
// rights that not every user has; without them it runs all the same, and says so.
void ask_for_real_time() {
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) spdlog::info("memory is not locked: {}", std::strerror(errno));
  sched_param priority{};
  priority.sched_priority = 20;
  if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) != 0)
    spdlog::info("no real-time priority: {}", std::strerror(errno));
}

int fail(cy::Fault const& fault) {
  spdlog::shutdown();
  fmt::print(stderr, "cy-agent: {}\n", fault.what);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"The agent: carries out what a trusted station sends, and stops the robots when it must."};
  std::string config = "agent.toml";
  auto check_only = false;
  app.add_option("-c,--config", config, "configuration file")->capture_default_str();
  app.add_flag("--check", check_only, "read the configuration, say what is wrong with it, and end");
  CLI11_PARSE(app, argc, argv);

  spdlog::set_default_logger(spdlog::create_async_nb<spdlog::sinks::stderr_color_sink_mt>("agent"));
  spdlog::set_pattern("%H:%M:%S.%e %^%l%$ %v");
  spdlog::flush_every(std::chrono::seconds(1));

  auto settings = cy::agent::read_settings(config);
  if (!settings) return fail(settings.error());
  auto key = cy::app::read_key(settings->key_file);
  if (!key) return fail(key.error());
  auto const role_names = names(cy::Role{});
  std::vector<std::string_view> const roles(role_names.begin(), role_names.end());
  auto trusted = cy::app::read_trust(settings->trust_file, roles);
  if (!trusted) return fail(trusted.error());
  if (trusted->empty()) spdlog::warn("{} trusts nobody yet: `cy trust` adds a station", settings->trust_file);
  if (check_only) {
    spdlog::shutdown();
    fmt::print("{} is good: {} robots, {} trusted keys\n", config, settings->host.robots.size(),
               trusted->size());
    return 0;
  }

  auto const own_key = cy::seal::to_text(key->public_key);
  // The file is read again for every stranger, and each second for those who are in: neither a new
  // trust nor its end needs a restart. A list with a mistake in it trusts nobody.
  auto const trust_file = settings->trust_file;
  auto const trust = [trust_file,
                      roles](cy::seal::PublicKey const& who) -> tl::expected<cy::host::Trusted, std::string> {
    auto const list = cy::app::read_trust(trust_file, roles);
    if (!list) return tl::unexpected("the agent's list of trusted keys is broken: " + list.error().what);
    for (auto const& entry : *list)
      if (entry.key == who) {
        auto role = cy::Role::observer;
        for (std::size_t i = 0; i < roles.size(); ++i)
          if (roles[i] == entry.role) role = static_cast<cy::Role>(i);
        return cy::host::Trusted{entry.name, role};
      }
    return tl::unexpected("this key is not trusted; on the agent's machine: cy trust --file " + trust_file +
                          " operator " + cy::seal::to_text(who) + " NAME");
  };

  cy::net::Loop loop;
  {
    cy::net::Worker files;
    auto const port_file = settings->port_file;
    auto const real_time = settings->real_time;
    auto agent = cy::agent::Agent::open(loop, files, std::move(*settings), *key, trust);
    if (!agent) return fail(agent.error());
    running = agent->get();
    cy::set_last_act([](std::string_view what) noexcept {
      fmt::print(stderr, "cy-agent: broken invariant, stopping the robots: {}\n", what);
      if (running) running->last_stop();
    });
    std::set_terminate([] { cy::broken("an exception that nobody caught", __FILE__, __LINE__); });
    if (!port_file.empty()) std::ofstream(port_file) << (*agent)->local().port << '\n';
    if (real_time) ask_for_real_time();
    spdlog::info("listening on {}; key {}", cy::to_string((*agent)->local()), own_key);
    loop.on_signals({SIGTERM, SIGINT}, [&](int signal) {
      spdlog::info("signal {}: stopping the robots", signal);
      (*agent)->close([&] { loop.stop(); });
    });
    loop.run();
    running = nullptr;
    cy::set_last_act(nullptr);
  }
  spdlog::info("ended in order");
  spdlog::shutdown();
  return 0;
}
