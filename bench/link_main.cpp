// bench_link: the round trip of a small message through several systems, side by side.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "networks.hpp"
#include "ours.hpp"
#include "peers/interleave.hpp"
#include "peers/peer.hpp"
#include "report.hpp"
#include <exception>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace {
namespace bench = cy::bench;

struct Options {
  bench::Plan plan;
  std::vector<std::string> systems;
  std::string json;
  std::string agent = CY_AGENT;
  double idle = 0;
  bool quick = false;
  bool full = false;
  bool loopback_only = false;
};

std::vector<std::string> known_names() {
  std::vector<std::string> names{"ours", "ours_futures"};
  for (auto const& system : bench::systems()) names.emplace_back(system.name);
  return names;
}

bool wanted(Options const& options, std::string_view name) {
  auto const& list = options.systems;
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

bench::Latency const* row_of(std::vector<bench::Latency> const& rows, std::string_view system) {
  for (auto const& row : rows)
    if (row.system == system) return &row;
  return nullptr;
}

void print_target(std::string_view name, double value, double target) {
  fmt::print("  {:<24} {:6.2f}   target ≤ {:.2f}   {}\n", name, value, target,
             value <= target ? "met" : "MISSED");
}

void print_targets(std::vector<bench::Latency> const& rows) {
  auto const* ours = row_of(rows, "ours");
  auto const* sealed = row_of(rows, "sealed_udp");
  auto const* raw = row_of(rows, "raw_udp");
  if (!ours || !sealed || !raw) return;
  fmt::print("\nratios on loopback\n");
  print_target("p50 ours / sealed_udp", ours->p50_us / sealed->p50_us, 1.25);
  print_target("p99 ours / sealed_udp", ours->p99_us / sealed->p99_us, 1.5);
  print_target("p50 ours / raw_udp", ours->p50_us / raw->p50_us, 1.6);
  fmt::print("  {:<24} {:6.2f}\n", "p99 ours / raw_udp", ours->p99_us / raw->p99_us);
  for (auto const* other : {row_of(rows, "zeromq_curve"), row_of(rows, "omniorb_tls")})
    if (other) print_target("p50 ours / " + other->system, ours->p50_us / other->p50_us, 1.0);
}

void add(bench::Report& report, bench::OpenLoopResult const& r, std::string system) {
  bench::Row row{{"net", r.plan.net},
                 {"system", std::move(system)},
                 {"p50_us", r.p50_us},
                 {"p99_us", r.p99_us},
                 {"p999_us", r.p999_us},
                 {"lost", r.lost},
                 {"messages", static_cast<std::int64_t>(r.plan.count)}};
  if (r.plan.per_s > 0) row.emplace_back("per_s", r.plan.per_s);
  report.add(std::move(row));
}

void run_networks(Options const& options, bench::Report& report) {
  std::vector<bench::OpenLoop> plans;
  auto const payload = options.plan.payload;
  for (auto const* net : {"d20l2", "burst"}) {
    plans.push_back({net, 50, options.quick ? 100u : 2000u, payload});
    if (options.full) plans.push_back({net, 1, 2000, payload});
  }
  if (wanted(options, "ours"))
    for (auto const& result : bench::measure_open_loop(options.agent, plans)) add(report, result, "ours");
  if (wanted(options, "raw_udp"))
    for (auto const* net : {"d20l2", "burst"})
      add(report, bench::measure_raw_udp({net, 0, options.quick ? 50u : 500u, payload}), "raw_udp");
}

double cpu_seconds(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string const text{std::istreambuf_iterator<char>(in), {}};
  std::istringstream words(text.substr(text.rfind(')') + 2));
  std::string skipped;
  for (auto i = 0; i < 11; ++i) words >> skipped;
  double user = 0;
  double system = 0;
  words >> user >> system;
  return (user + system) / double(sysconf(_SC_CLK_TCK));
}

// What a link costs while nobody commands.
void run_idle(Options const& options) {
  bench::Station station(options.agent);
  station.connect();
  auto const agent = cpu_seconds(station.agent().pid());
  auto const client = cpu_seconds(getpid());
  std::this_thread::sleep_for(std::chrono::duration<double>(options.idle));
  fmt::print("idle link over {} s: agent {:.2f} %, client {:.2f} % of a core\n", options.idle,
             (cpu_seconds(station.agent().pid()) - agent) / options.idle * 100,
             (cpu_seconds(getpid()) - client) / options.idle * 100);
}

void run(Options options) {
  if (options.idle > 0) return run_idle(options);
  if (options.quick) {
    options.plan.blocks = 5;
    options.plan.per_block = 500;
  }
  std::vector<std::unique_ptr<bench::Peer>> peers;
  if (wanted(options, "ours") || wanted(options, "ours_futures")) {
    auto station = std::make_shared<bench::Station>(options.agent);
    station->connect();
    if (wanted(options, "ours")) peers.push_back(bench::make_ours(station));
    if (wanted(options, "ours_futures")) peers.push_back(bench::make_ours_futures(station));
  }
  for (auto const& system : bench::systems())
    if (wanted(options, system.name)) peers.push_back(system.make());
  for (auto const& peer : peers) peer->start({});
  auto const& plan = options.plan;
  fmt::print("{} blocks of {} round trips a system, {} bytes; medians over the blocks\n\n", plan.blocks,
             plan.per_block, plan.payload);
  std::fflush(stdout);

  bench::Report report("link");
  auto const rows = bench::measure(peers, plan);
  for (auto const& row : rows)
    report.add({{"net", "loopback"},
                {"system", row.system},
                {"p50_us", row.p50_us},
                {"p99_us", row.p99_us},
                {"p999_us", row.p999_us},
                {"lost", row.lost}});
  peers.clear();
  if (!options.loopback_only) run_networks(options, report);
  report.publish(options.json);
  print_targets(rows);
}

int serve(std::vector<std::string> words) {
  auto const name = words.at(0);
  words.erase(words.begin());
  for (auto const& system : bench::systems())
    if (system.name == name) return system.serve(words);
  throw std::runtime_error(fmt::format("there is no system '{}'", name));
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  std::vector<std::string> server;
  CLI::App app("The round trip of a small message through several systems, side by side.", "bench_link");
  app.add_option("--json", options.json, "write the rows to this file too")->type_name("FILE");
  app.add_option("--blocks", options.plan.blocks, "blocks a system")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--per-block", options.plan.per_block, "round trips a block")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--payload", options.plan.payload, "bytes a message")
      ->capture_default_str()
      ->check(CLI::Range(1, 1200));
  app.add_option("--systems", options.systems, "only these")
      ->delimiter(',')
      ->check(CLI::IsMember(known_names()));
  app.add_flag("--quick", options.quick, "5 blocks of 500, 100 events a network: to see that it runs");
  app.add_flag("--full", options.full, "networks at one event a second too: 35 minutes");
  app.add_flag("--loopback", options.loopback_only, "without the emulated networks");
  app.add_option("--idle", options.idle, "measure only what an idle link costs, over so many seconds");
  app.add_option("--agent", options.agent, "the agent's program")->capture_default_str();
  app.add_option("--serve", server, "be the server of a system")->group("");  // for this program itself
  CLI11_PARSE(app, argc, argv);
  if (!server.empty()) return serve(server);
  run(options);
  return 0;
} catch (std::exception const& e) {
  fmt::print(stderr, "bench_link: {}\n", e.what());
  return 1;
}
