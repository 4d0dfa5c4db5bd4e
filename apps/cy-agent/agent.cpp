#include "agent.hpp"

#include <spdlog/spdlog.h>

namespace cy::agent {
namespace {
// Descriptions are said again, as one may have been lost.
constexpr Duration stream_period = 1s;
}  // namespace

Agent::Agent(net::Loop& loop, net::Worker& files, Settings settings)
    : loop_(loop),
      settings_(std::move(settings)),
      recorder_(files, settings_.black_box, static_cast<std::size_t>(settings_.black_box_mib) << 20),
      timer_(loop, [this] {
        host_->on_time(net::now());
        settle();
      }) {}

Result<std::unique_ptr<Agent>> Agent::open(net::Loop& loop, net::Worker& files, Settings settings,
                                           seal::KeyPair const& key, host::Trust trust) {
  std::unique_ptr<Agent> agent(new Agent(loop, files, std::move(settings)));
  if (auto const started = agent->start(key, std::move(trust)); !started)
    return tl::unexpected(started.error());
  return agent;
}

Result<void> Agent::start(seal::KeyPair const& key, host::Trust trust) {
  settings_.host.captured_at = [this](RobotId robot, std::uint32_t picture) {
    return relay_.captured_at(robot.value, picture);
  };
  auto host = host::Host::make(key, std::move(trust), settings_.host, net::system_entropy, net::system_seed(),
                               net::now());
  if (!host) return tl::unexpected(host.error());
  host_ = std::move(*host);
  auto port = net::UdpPort::open(
      loop_, settings_.listen, {},
      [this](MutableBytes datagram, Endpoint const& from) {
        host_->on_datagram(datagram, from, net::now(), out_);
      },
      [this] { settle(); });
  if (!port) return tl::unexpected(port.error());
  port_ = std::move(*port);
  if (!settings_.socket.empty()) {
    auto server = net::LocalServer::open(loop_, settings_.socket,
                                         [this](auto stream) { on_camera(std::move(stream)); });
    if (!server) return tl::unexpected(server.error());
    cameras_ = std::move(*server);
  }
  host_->start(net::now());
  settle();
  return {};
}

void Agent::settle() {
  if (settling_) return;
  settling_ = true;
  // Controllers first: a stop in there must not wait behind anything.
  for (;;) {
    host_->drain(effects_);
    if (effects_.empty()) break;
    for (auto& effect : std::exchange(effects_, {})) apply(effect);
  }
  auto const now = net::now();
  if (relay_.take_changed() || now >= next_streams_) tell_streams();
  host_->fill(now);
  relay_.send(now, [this](media::ViewerId viewer, media::VideoBlock const& block) {
    if (auto* link = host_->link(session::SessionId{viewer.value})) link->post(block);
  });
  host_->flush(now, out_);
  if (!out_.empty()) port_->send(out_);
  relay_.drain(orders_);
  for (auto const& order : std::exchange(orders_, {}))
    if (auto const at = camera_streams_.find(order.camera.value); at != camera_streams_.end())
      at->second->send(wire::encoded(wire::view(order.message)));
  recorder_.on_time(now);
  host_->set_black_box(recorder_.working());

  auto due = host_->deadline();
  auto const consider = [&](std::optional<Time> t) {
    if (t && (!due || *t < *due)) due = t;
  };
  consider(relay_.deadline());
  consider(recorder_.deadline());
  if (!sessions_.empty()) consider(next_streams_);
  consider(close_until_);
  timer_.set(due);
  settling_ = false;

  if (close_until_ && (host_->closed() || now >= *close_until_)) {
    close_until_.reset();
    std::exchange(on_closed_, nullptr)();
  }
}

void Agent::apply(host::Effect& effect) {
  if (auto* channel = std::get_if<host::ChannelEffect>(&effect)) {
    apply(*channel);
  } else if (auto const* record = std::get_if<host::Record>(&effect)) {
    recorder_.on_record(*record, net::now());
  } else if (auto const* log = std::get_if<host::Log>(&effect)) {
    if (log->warning)
      spdlog::warn("{}", log->text);
    else
      spdlog::info("{}", log->text);
  } else if (auto const* opened = std::get_if<host::SessionOpened>(&effect)) {
    sessions_.insert(opened->session.value);
    next_streams_ = {};
  } else if (auto const* gone = std::get_if<host::SessionGone>(&effect)) {
    sessions_.erase(gone->session.value);
    relay_.on_viewer_gone(media::ViewerId{gone->session.value});
  } else if (auto const* foreign = std::get_if<host::Foreign>(&effect)) {
    on_foreign(*foreign);
  }
}

void Agent::apply(host::ChannelEffect& effect) {
  auto const device = effect.device;
  auto const line_of = [&](Channel channel) -> net::Line& {
    auto& line = lines_[{device.value, channel.value}];
    if (!line)
      line = std::make_unique<net::Line>(
          loop_, net::Line::Handlers{[this, device, channel] {
                                       host_->on_channel_opened(device, channel, net::now());
                                       settle();
                                     },
                                     [this, device, channel](Bytes bytes) {
                                       host_->on_channel_bytes(device, channel, bytes, net::now());
                                       settle();
                                     },
                                     [this, device, channel](std::string_view why) {
                                       host_->on_channel_closed(device, channel, why, net::now());
                                       settle();
                                     }});
    return *line;
  };
  if (auto const* open = std::get_if<driver::Open>(&effect.what))
    line_of(open->channel).open(open->address, open->baud);
  else if (auto const* close = std::get_if<driver::Close>(&effect.what))
    line_of(close->channel).close();
  else if (auto const* baud = std::get_if<driver::SetBaud>(&effect.what))
    line_of(baud->channel).set_baud(baud->baud);
  else if (auto const* transmit = std::get_if<driver::Transmit>(&effect.what))
    line_of(transmit->channel).send(transmit->bytes);
}

void Agent::on_foreign(host::Foreign const& foreign) {
  auto const now = net::now();
  auto const message = wire::view(foreign.message);
  auto const why = on_viewer(media::ViewerId{foreign.session.value}, message, foreign.role);
  if (foreign.event)
    host_->end_foreign(foreign.session, *foreign.event,
                       why == Refusal::none ? Ending::applied : Ending::refused, why, now);
  else
    relay_.on_viewer_message(media::ViewerId{foreign.session.value}, message, now);
}

Refusal Agent::on_viewer(media::ViewerId viewer, wire::Raw message, Role role) {
  if (auto const wish = wire::as<media::Subscribe>(message))
    return relay_.on_subscribe(viewer, *wish) ? Refusal::none : Refusal::full;
  if (auto const order = wire::as<media::QualityOrder>(message)) {
    // It changes the picture that somebody may be driving by.
    if (role < Role::operator_) return Refusal::role;
    return relay_.on_quality_order(viewer, *order) ? Refusal::none : Refusal::bad_value;
  }
  return Refusal::unknown_command;
}

void Agent::on_camera(std::unique_ptr<net::LocalStream> stream) {
  auto const id = next_camera_++;
  stream->set_handlers({[this, id](MutableBytes frame) {
                          wire::Walk walk(frame);
                          while (auto const message = walk.next())
                            relay_.on_camera_message(media::CameraId{id}, *message, net::now());
                          settle();
                        },
                        [this, id](std::string_view why) {
                          spdlog::warn("camera {} has gone: {}", id, why);
                          relay_.on_camera_gone(media::CameraId{id});
                          loop_.post([this, id] { camera_streams_.erase(id); });
                          settle();
                        }});
  spdlog::info("camera {} has come", id);
  camera_streams_.emplace(id, std::move(stream));
}

void Agent::tell_streams() {
  next_streams_ = net::now() + stream_period;
  if (auto const& drops = relay_.drops(); !(drops == told_drops_)) {
    told_drops_ = drops;
    spdlog::warn(
        "not taken from cameras: frames of streams that are not theirs {}, not newer {}, empty or too large "
        "{}; streams too many {}",
        drops.foreign, drops.old, drops.shapeless, drops.too_many);
  }
  for (auto const& info : relay_.streams())
    for (auto const session : sessions_)
      if (auto* link = host_->link(session::SessionId{session})) link->post(info);
}

void Agent::close(std::function<void()> on_closed) {
  on_closed_ = std::move(on_closed);
  close_until_ = net::now() + driver::close_most;
  host_->close(net::now());
  settle();
}

void Agent::last_stop() {
  host_->stop_all("the agent found itself broken", net::now());
  // Not through settle(): what is broken may be below it.
  host_->drain(effects_);
  for (auto& effect : effects_)
    if (auto* channel = std::get_if<host::ChannelEffect>(&effect)) apply(*channel);
}

}  // namespace cy::agent
