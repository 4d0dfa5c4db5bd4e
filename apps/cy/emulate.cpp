// cy emulate: a bad network between a station and an agent.
#include <cy/emulate/spec.hpp>
#include <cy/net/proxy.hpp>

#include <nlohmann/json.hpp>

#include "commands.hpp"
#include <csignal>
#include <fstream>

namespace cy::cli {

void add_emulate(CLI::App& app, int& status) {
  auto* command = app.add_subcommand(
      "emulate",
      "A UDP proxy that delays, loses and chokes: cy emulate --to 127.0.0.1:4747 delay=50ms,loss=5%");
  struct Options {
    std::string listen = "127.0.0.1:4848", to, spec, back, port_file;
    double seconds = 0.0;
    bool json = false;
  };
  auto o = std::make_shared<Options>();
  command->add_option("--listen", o->listen, "where clients send to")->capture_default_str();
  command->add_option("--to", o->to, "the agent")->required();
  command
      ->add_option("network", o->spec,
                   "both ways, as delay=20ms,jitter=3ms,loss=2%,rate=3Mbit,queue=300ms,seed=7, "
                   "or one of clean, d20l2, d50l5, burst, step")
      ->required();
  command->add_option("--back", o->back, "the way back, where it differs");
  command->add_option("--for", o->seconds, "end after so many seconds")->check(seconds_range());
  command->add_option("--port-file", o->port_file, "gets the port that was taken");
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, &status] {
    auto const listen = parse_endpoint(o->listen, 4848);
    auto const to = parse_endpoint(o->to, 4747);
    auto const there = emulate::parse_spec(o->spec);
    auto const back = emulate::parse_spec(o->back.empty() ? o->spec : o->back);
    for (auto const* error : {listen ? nullptr : &listen.error(), to ? nullptr : &to.error(),
                              there ? nullptr : &there.error(), back ? nullptr : &back.error()})
      if (error) {
        status = fail(*error, o->json);
        return;
      }
    net::Loop loop;
    auto proxy = net::Proxy::open(loop, {*listen, *to, there->schedule, back->schedule, there->seed});
    if (!proxy) {
      status = fail(proxy.error(), o->json);
      return;
    }
    if (!o->port_file.empty()) std::ofstream(o->port_file) << (*proxy)->local().port << '\n';
    if (!o->json) fmt::print("{} → {}: {}\n", to_string((*proxy)->local()), o->to, emulate::to_text(*there));
    std::fflush(stdout);
    loop.on_signals({SIGINT, SIGTERM}, [&](int) { loop.stop(); });
    net::Timer end(loop, [&] { loop.stop(); });
    if (o->seconds > 0.0) end.set(net::now() + from_seconds(o->seconds));
    loop.run();
    auto const c = (*proxy)->counters();
    if (o->json)
      fmt::print(
          "{}\n",
          nlohmann::json{
              {"clients", c.clients},
              {"there",
               {{"sent", c.there.sent}, {"lost", c.there.lost}, {"queue_dropped", c.there.queue_dropped}}},
              {"back",
               {{"sent", c.back.sent}, {"lost", c.back.lost}, {"queue_dropped", c.back.queue_dropped}}}}
              .dump());
    else
      fmt::print(
          "there: {} sent, {} lost, {} dropped by the queue; back: {} sent, {} lost, {} dropped by the "
          "queue\n",
          c.there.sent, c.there.lost, c.there.queue_dropped, c.back.sent, c.back.lost, c.back.queue_dropped);
  });
}

}  // namespace cy::cli
