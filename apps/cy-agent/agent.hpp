// The shell around the host: sockets, controllers' lines, cameras, black box, one loop.
#pragma once

#include <cy/media/relay.hpp>
#include <cy/net/line.hpp>
#include <cy/net/local.hpp>
#include <cy/net/udp.hpp>

#include "recorder.hpp"
#include "settings.hpp"

namespace cy::agent {

class Agent {
 public:
  // `key` must outlive it.
  static Result<std::unique_ptr<Agent>> open(net::Loop& loop, net::Worker& files, Settings settings,
                                             seal::KeyPair const& key, host::Trust trust);
  // Stops the robots, closes the controllers in order and calls back; after a second at the latest.
  void close(std::function<void()> on_closed);
  // For a broken invariant: the stop that can still be sent.
  void last_stop();
  Endpoint local() const { return port_->local(); }

 private:
  Agent(net::Loop& loop, net::Worker& files, Settings settings);
  Result<void> start(seal::KeyPair const& key, host::Trust trust);
  // Sends what is due, carries out effects, sets the timer.
  void settle();
  void apply(host::Effect& effect);
  void apply(host::ChannelEffect& effect);
  void on_foreign(host::Foreign const& foreign);
  Refusal on_viewer(media::ViewerId viewer, wire::Raw message, Role role);
  void on_camera(std::unique_ptr<net::LocalStream> stream);
  void tell_streams();

  net::Loop& loop_;
  Settings settings_;
  session::Outbox out_;
  std::unique_ptr<host::Host> host_;
  media::Relay relay_;
  media::RelayDrops told_drops_;
  Recorder recorder_;
  std::unique_ptr<net::UdpPort> port_;
  std::unique_ptr<net::LocalServer> cameras_;
  net::Timer timer_;
  std::map<std::pair<std::uint16_t, std::uint8_t>, std::unique_ptr<net::Line>> lines_;
  std::map<std::uint32_t, std::unique_ptr<net::LocalStream>> camera_streams_;
  std::uint32_t next_camera_ = 1;
  std::set<std::uint32_t> sessions_;
  Time next_streams_{};
  std::vector<host::Effect> effects_;
  std::vector<media::CameraOrder> orders_;
  std::function<void()> on_closed_;
  std::optional<Time> close_until_;
  bool settling_ = false;
};

}  // namespace cy::agent
