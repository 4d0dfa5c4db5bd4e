#include "networks.hpp"

#include <cy/emulate/spec.hpp>
#include <cy/net/proxy.hpp>

#include "ours.hpp"
#include "peers/make.hpp"
#include "report.hpp"
#include <mutex>
#include <thread>

namespace cy::bench {
namespace {

using Clock = std::chrono::steady_clock;

// An emulated network on a thread of its own.
class Network {
 public:
  Network(std::string const& spec, Endpoint target) {
    auto const parsed = emulate::parse_spec(spec);
    if (!parsed) throw std::runtime_error(parsed.error().what);
    auto proxy = net::Proxy::open(
        loop_, {ipv4(127, 0, 0, 1, 0), target, parsed->schedule, parsed->schedule, parsed->seed});
    if (!proxy) throw std::runtime_error(proxy.error().what);
    proxy_ = std::move(*proxy);
    local_ = proxy_->local();
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Network() {
    loop_.stop();
    thread_.join();
  }
  Network(Network const&) = delete;
  Network& operator=(Network const&) = delete;
  Endpoint local() const { return local_; }

 private:
  net::Loop loop_;
  std::unique_ptr<net::Proxy> proxy_;
  Endpoint local_;
  std::thread thread_;
};

OpenLoopResult result_of(OpenLoop const& plan, std::vector<double> samples) {
  OpenLoopResult r;
  r.plan = plan;
  r.lost = static_cast<std::int64_t>(plan.count - samples.size());
  r.p50_us = quantile(samples, 0.5);
  r.p99_us = quantile(samples, 0.99);
  r.p999_us = quantile(samples, 0.999);
  return r;
}

OpenLoopResult run_one(std::string const& agent_program, OpenLoop const& plan) {
  Station station(agent_program);
  Network network(plan.net, station.agent().endpoint());
  station.connect(network.local());

  struct Tally {
    std::mutex mutex;
    std::vector<double> samples;
    std::size_t ended = 0;
    std::promise<void> all;
  } tally;
  tally.samples.reserve(plan.count);
  auto const probe = station.probe(plan.message);
  auto const period =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(1 / plan.per_s));
  auto at = Clock::now();
  for (std::size_t i = 0; i < plan.count; ++i, at += period) {
    std::this_thread::sleep_until(at);
    auto const begin = Clock::now();
    station.client().event(station.target(), probe, 2s, [&tally, &plan, begin](command::Ended const& ended) {
      std::lock_guard const lock(tally.mutex);
      if (ended.ending == Ending::applied)
        tally.samples.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
      if (++tally.ended == plan.count) tally.all.set_value();
    });
  }
  tally.all.get_future().wait();
  return result_of(plan, std::move(tally.samples));
}

}  // namespace

std::vector<OpenLoopResult> measure_open_loop(std::string const& agent_program,
                                              std::vector<OpenLoop> const& plans) {
  std::vector<std::future<OpenLoopResult>> running;
  for (auto const& plan : plans)
    running.push_back(std::async(std::launch::async, [&] { return run_one(agent_program, plan); }));
  std::vector<OpenLoopResult> results;
  for (auto& one : running) results.push_back(one.get());
  return results;
}

OpenLoopResult measure_raw_udp(OpenLoop const& plan) {
  std::unique_ptr<Network> network;
  PeerOptions options;
  options.timeout = std::chrono::milliseconds(200);
  options.through = [&](std::uint16_t port) {
    network = std::make_unique<Network>(plan.net, ipv4(127, 0, 0, 1, port));
    return network->local().port;
  };
  auto const peer = make_raw_udp();
  peer->start(options);
  std::vector<double> samples;
  Buffer payload(plan.message);
  peer->round_trips(plan.count, payload, samples);
  return result_of(plan, std::move(samples));
}

}  // namespace cy::bench
