// bench_link: the round trip of a small message through several systems, side by side.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "peers/interleave.hpp"
#include "peers/peer.hpp"
#include "report.hpp"
#include <exception>

namespace {
namespace bench = cy::bench;

struct Options {
  bench::Plan plan;
  std::vector<std::string> systems;
  std::string json;
  bool quick = false;
};

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (auto const& system : bench::systems()) names.emplace_back(system.name);
  return names;
}

bool wanted(Options const& options, std::string_view name) {
  auto const& list = options.systems;
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

void run(Options options) {
  if (options.quick) {
    options.plan.blocks = 5;
    options.plan.per_block = 500;
  }
  std::vector<std::unique_ptr<bench::Peer>> peers;
  for (auto const& system : bench::systems()) {
    if (!wanted(options, system.name)) continue;
    peers.push_back(system.make());
    peers.back()->start({});
  }
  auto const& plan = options.plan;
  fmt::print("{} blocks of {} round trips a system, {} bytes; medians over the blocks\n\n", plan.blocks,
             plan.per_block, plan.payload);
  std::fflush(stdout);

  bench::Report report("link");
  for (auto const& row : bench::measure(peers, plan))
    report.add({{"net", "loopback"},
                {"system", row.system},
                {"p50_us", row.p50_us},
                {"p99_us", row.p99_us},
                {"p999_us", row.p999_us},
                {"lost", row.lost}});
  report.publish(options.json);
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
  app.add_flag("--quick", options.quick, "5 blocks of 500: to see that it runs");
  app.add_option("--serve", server, "be the server of a system")->group("");  // for this program itself
  CLI11_PARSE(app, argc, argv);
  if (!server.empty()) return serve(server);
  run(options);
  return 0;
} catch (std::exception const& e) {
  fmt::print(stderr, "bench_link: {}\n", e.what());
  return 1;
}
