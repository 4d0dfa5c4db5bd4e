// A real agent without a controller: cy::host with the null driver behind a loopback UDP port.
#pragma once

#include <cy/host/host.hpp>
#include <cy/net/udp.hpp>

#include <future>
#include <thread>

namespace cy::station {

class TestAgent {
 public:
  explicit TestAgent(Role trusted = Role::operator_, Endpoint at = ipv4(127, 0, 0, 1, 0))
      : key_(seal::make_key_pair(seal::SecretKey(std::array<std::uint8_t, 32>{1, 2, 3}))),
        timer_(loop_, [this] {
          host_->on_time(net::now());
          settle();
        }) {
    host::HostOptions options;
    host::RobotOptions robot;
    robot.name = "ada";
    robot.driver = "null";
    robot.control.gate.guard.on = false;  // it has no sonars to look ahead with
    options.robots.push_back(robot);
    auto host = host::Host::make(
        key_,
        [trusted](seal::PublicKey const&) {
          return host::Trusted{"test", trusted};
        },
        options, net::system_entropy, net::system_seed(), net::now());
    if (!host) throw std::runtime_error(host.error().what);
    host_ = std::move(*host);
    auto port = net::UdpPort::open(
        loop_, at, {},
        [this](MutableBytes datagram, Endpoint const& from) {
          host_->on_datagram(datagram, from, net::now(), out_);
        },
        [this] { settle(); });
    if (!port) throw std::runtime_error(port.error().what);
    port_ = std::move(*port);
    local_ = port_->local();
    host_->start(net::now());
    settle();
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~TestAgent() {
    loop_.post([this] {
      port_.reset();
      loop_.stop();
    });
    thread_.join();
  }

  Endpoint local() const { return local_; }
  seal::PublicKey key() const { return key_.public_key; }

 private:
  void settle() {
    std::vector<host::Effect> effects;
    host_->drain(effects);
    for (auto const& effect : effects)
      if (auto const* foreign = std::get_if<host::Foreign>(&effect); foreign && foreign->event)
        host_->end_foreign(foreign->session, *foreign->event, Ending::applied, Refusal::none, net::now());
    host_->fill(net::now());
    host_->flush(net::now(), out_);
    if (!out_.empty() && port_) port_->send(out_);
    timer_.set(host_->deadline());
  }

  seal::KeyPair key_;
  net::Loop loop_;
  session::Outbox out_;
  std::unique_ptr<host::Host> host_;
  std::unique_ptr<net::UdpPort> port_;
  net::Timer timer_;
  Endpoint local_;
  std::thread thread_;
};

}  // namespace cy::station
