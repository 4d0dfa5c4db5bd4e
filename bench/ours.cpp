#include "ours.hpp"

namespace cy::bench {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration d) {
  return std::chrono::duration<double, std::micro>(d).count();
}

class Ours final : public Peer {
 public:
  explicit Ours(std::shared_ptr<Station> station) : station_(std::move(station)) {}

  std::string_view name() const override { return "ours"; }
  void start(PeerOptions const& options) override { timeout_ = options.timeout; }

  bool round_trip(Bytes payload) override {
    std::vector<double> samples;
    Buffer message(payload.begin(), payload.end());
    return round_trips(1, message, samples) == 0;
  }

  std::int64_t round_trips(std::size_t count, MutableBytes payload, std::vector<double>& samples) override {
    run_ = Run{count, 0, {}, station_->probe(payload.size()), &samples, {}};
    auto done = run_.done.get_future();
    station_->client().run([this] { next(); });
    done.wait();
    return run_.lost;
  }

 private:
  struct Run {
    std::size_t left = 0;
    std::int64_t lost = 0;
    Clock::time_point begin;
    wire::Body what;
    std::vector<double>* samples = nullptr;
    std::promise<void> done;
  };

  void next() {
    if (run_.left-- == 0) return run_.done.set_value();
    run_.begin = Clock::now();
    station_->client().event(station_->target(), run_.what, timeout_, [this](command::Ended const& ended) {
      if (ended.ending == Ending::applied)
        run_.samples->push_back(microseconds(Clock::now() - run_.begin));
      else
        ++run_.lost;
      next();
    });
  }

  std::shared_ptr<Station> station_;
  Duration timeout_ = 1s;
  Run run_;
};

class OursFutures final : public Peer {
 public:
  explicit OursFutures(std::shared_ptr<Station> station) : station_(std::move(station)) {}

  std::string_view name() const override { return "ours_futures"; }
  void start(PeerOptions const& options) override { timeout_ = options.timeout; }
  bool round_trip(Bytes payload) override {
    auto ended = station_->client().event(station_->target(), station_->probe(payload.size()), timeout_);
    return ended.get().ending == Ending::applied;
  }

 private:
  std::shared_ptr<Station> station_;
  Duration timeout_ = 1s;
};

}  // namespace

Station::Station(std::string const& agent_program) : agent_(agent_program) {}

void Station::connect(std::optional<Endpoint> through) {
  ClientOptions options;
  options.agent = through.value_or(agent_.endpoint());
  options.agent_key = agent_.key();
  options.key = agent_.station_key();
  options.name = "bench";
  auto client = Client::open(std::move(options));
  if (!client) throw std::runtime_error(client.error().what);
  client_ = std::move(*client);
  auto robot = client_->wait_for_robot("bench", 10s);
  if (!robot) throw std::runtime_error(robot.error().what);
  auto control = robot->take_control(10s);
  if (!control) throw std::runtime_error(control.error().what);
  control_.emplace(std::move(*control));
}

wire::Body Station::probe(std::size_t size) const {
  auto const t = target();
  Event event{CommandId{1'000'000}, t.resource, t.person, t.lease, 0, 1000, wire::body_of(Probe{}), {}};
  auto const empty = wire::size_of(event);
  return wire::body_of(Probe{Buffer(size > empty ? size - empty : 0, 0x5a)});
}

std::unique_ptr<Peer> make_ours(std::shared_ptr<Station> station) {
  return std::make_unique<Ours>(std::move(station));
}
std::unique_ptr<Peer> make_ours_futures(std::shared_ptr<Station> station) {
  return std::make_unique<OursFutures>(std::move(station));
}

}  // namespace cy::bench
