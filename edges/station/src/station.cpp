#include <cy/station/station.hpp>

#include "web_server.hpp"
#include <thread>

namespace cy::station {
namespace {

// Pages and agent are told that the station ends; then it does.
constexpr Duration farewell = 100ms;

}  // namespace

// Below, "here" is the station's thread. The client's handlers run on its own and only post.
struct Station::Impl {
  explicit Impl(DeskOptions options) : desk(std::move(options), Random(net::system_seed())) {}

  WebHandlers web_handlers() {
    return {
        [this](ConnectionId id) {
          desk.on_opened(id, net::now());
          settle();
        },
        [this](ConnectionId id, Bytes data) {
          desk.on_data(id, data, net::now());
          settle();
        },
        [this](ConnectionId id, std::string_view why) {
          desk.on_closed(id, why, net::now());
          settle();
        },
        [this](ConnectionId id) {
          desk.on_written(id, net::now());
          settle();
        },
        [this] {
          if (ends_at && net::now() >= *ends_at) return web->stop();
          desk.on_time(net::now());
          settle();
        },
    };
  }

  // Does `work` with the desk, here.
  template <class F>
  void post(F work) {
    web->post([this, work = std::move(work)]() mutable {
      work();
      settle();
    });
  }

  ClientHandlers client_handlers() {
    ClientHandlers h;
    h.on_link = [this](session::LinkState state, std::string const& why) {
      post([this, state, why] { desk.on_link(state, why, net::now()); });
    };
    h.on_agent = [this](AgentPulse const& m) { post([this, m] { desk.on_agent(m); }); };
    h.on_inventory = [this](Inventory const& m) { post([this, m] { desk.on_inventory(m); }); };
    h.on_device = [this](DeviceState const& m) { post([this, m] { desk.on_device(m); }); };
    h.on_status = [this](RobotStatus const& m) { post([this, m] { desk.on_status(m); }); };
    h.on_control = [this](ControlState const& m) { post([this, m] { desk.on_control(m, net::now()); }); };
    h.on_task = [this](TaskState const& m) { post([this, m] { desk.on_task(m); }); };
    h.on_stream = [this](media::StreamInfo const& m) { post([this, m] { desk.on_stream(m, net::now()); }); };
    h.on_picture = [this](media::Picture const& m) {
      post([this, m]() mutable { desk.on_picture(std::move(m), net::now()); });
    };
    return h;
  }

  void settle() {
    for (auto& effect : desk.drain()) std::visit([this](auto& e) { carry_out(e); }, effect);
    web->set_timer(ends_at ? ends_at : desk.deadline());
  }

  void carry_out(desk::Introduce& e) {
    client->run([this, agent = client.get(), e = std::move(e)] {
      auto const person = agent->introduce(e.name, e.role);
      post([this, viewer = e.viewer, person] { desk.on_introduced(viewer, person, net::now()); });
    });
  }
  void carry_out(desk::Rename& e) { client->rename(e.person, std::move(e.name), e.role); }
  void carry_out(desk::Dismiss& e) { client->dismiss(e.person); }
  void carry_out(desk::SendEvent& e) {
    client->event(e.target, std::move(e.what), e.deadline,
                  [this, ticket = e.ticket](command::Ended const& ended) {
                    post([this, ticket, ended] { desk.on_ended(ticket, ended, net::now()); });
                  });
  }
  void carry_out(desk::SendSetPoint& e) {
    client->set_point(e.target, std::move(e.what), e.input, e.echo_us, e.picture);
  }
  void carry_out(desk::Subscribe& e) { client->subscribe(e.stream, e.on); }
  void carry_out(desk::WantKeyframe& e) { client->want_keyframe(e.stream); }
  void carry_out(desk::Measure& e) {
    client->run([this, agent = client.get(), e] {
      post([this, e, link = agent->link()] { desk.on_measured(e, link, web->counters(), net::now()); });
    });
  }
  void carry_out(desk::Write& e) {
    auto pieces = desk.take(e.viewer, net::now());
    if (!pieces.empty()) web->write(e.viewer, std::move(pieces));
  }
  void carry_out(desk::Close& e) { web->close(e.viewer, e.why); }

  void end() {
    web->post([this] {
      desk.on_ending();
      ends_at = net::now() + farewell;
      settle();
    });
    thread.join();
    client.reset();  // its last handlers still post, to a loop that no longer runs
  }

  ViewerDesk desk;
  std::unique_ptr<WebServer> web;
  std::unique_ptr<Client> client;
  std::optional<Time> ends_at;
  std::thread thread;
};

Station::Station(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Station::~Station() {
  impl_->end();
}

Result<std::unique_ptr<Station>> Station::open(StationOptions options) {
  auto site = Site::read(options.web);
  if (!site) return tl::unexpected(site.error());
  options.desk.agent = to_string(options.client.agent);
  options.desk.role = options.client.role;
  options.desk.drive_lifetime = options.client.core.set_point_lifetime;
  options.desk.drive_period = options.client.core.set_point_period;
  options.client.name = options.desk.name;
  auto impl = std::make_unique<Impl>(options.desk);
  WebOptions web;
  web.listen = options.listen;
  auto server = WebServer::open(web, std::move(*site), impl->web_handlers());
  if (!server) return tl::unexpected(server.error());
  impl->web = std::move(*server);
  auto client = Client::open(std::move(options.client), impl->client_handlers());
  if (!client) return tl::unexpected(client.error());
  impl->client = std::move(*client);
  impl->thread = std::thread([raw = impl.get()] { raw->web->run(); });
  return std::unique_ptr<Station>(new Station(std::move(impl)));
}

Endpoint Station::local() const {
  return impl_->web->local();
}

StationFigures Station::figures() const {
  std::promise<StationFigures> done;
  auto result = done.get_future();
  impl_->web->post([&] {
    auto counters = impl_->desk.counters();
    for (auto& counter : impl_->web->counters()) counters.push_back(std::move(counter));
    done.set_value({impl_->desk.link(), impl_->desk.viewers(), impl_->desk.shown(), std::move(counters)});
  });
  return result.get();
}

}  // namespace cy::station
