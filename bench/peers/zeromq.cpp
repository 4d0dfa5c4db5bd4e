// ZeroMQ: REQ and REP over TCP, in clear and with CURVE.
#include <fmt/format.h>
#include <zmq.hpp>

#include "make.hpp"
#include "server_process.hpp"
#include <algorithm>
#include <array>

namespace cy::bench {
namespace {

using KeyText = std::array<char, 41>;  // Z85, as zmq_curve_keypair() writes it

struct KeyPair {
  KeyText open{};
  KeyText secret{};
  KeyPair() {
    if (zmq_curve_keypair(open.data(), secret.data()) != 0)
      throw std::runtime_error("zeromq_curve: this libzmq was built without CURVE");
  }
};

class ZeroMq final : public Peer {
 public:
  explicit ZeroMq(bool curve) : curve_(curve) {}

  std::string_view name() const override { return curve_ ? "zeromq_curve" : "zeromq"; }

  void start(PeerOptions const& options) override {
    auto const announced = server_.start(name(), options, {});
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::rcvtimeo, static_cast<int>(options.timeout.count()));
    // A request after a lost one may be sent, and only its own answer is taken.
    socket_.set(zmq::sockopt::req_relaxed, true);
    socket_.set(zmq::sockopt::req_correlate, true);
    if (curve_) {
      KeyPair const own;
      socket_.set(zmq::sockopt::curve_serverkey, announced.at(1));
      socket_.set(zmq::sockopt::curve_publickey, own.open.data());
      socket_.set(zmq::sockopt::curve_secretkey, own.secret.data());
    }
    socket_.connect(announced.at(0));
    if (std::array<std::uint8_t, 1> const hello{}; !round_trip(hello))
      throw std::runtime_error(fmt::format("{}: no answer from {}", name(), announced.at(0)));
  }

  bool round_trip(Bytes payload) override {
    socket_.send(zmq::const_buffer(payload.data(), payload.size()), zmq::send_flags::none);
    auto const got = socket_.recv(zmq::mutable_buffer(buffer_.data(), buffer_.size()), zmq::recv_flags::none);
    if (!got) return false;
    if (!std::equal(payload.begin(), payload.end(), buffer_.begin(),
                    buffer_.begin() + static_cast<std::ptrdiff_t>(got->size)))
      throw WrongAnswer(std::string(name()));
    return true;
  }

 private:
  bool curve_;
  ServerProcess server_;
  zmq::context_t context_;
  zmq::socket_t socket_{context_, zmq::socket_type::req};
  std::array<std::uint8_t, 2048> buffer_{};
};

int serve(std::string const& host, bool curve) {
  zmq::context_t context;
  zmq::socket_t socket(context, zmq::socket_type::rep);
  std::string key;
  if (curve) {
    KeyPair const own;
    socket.set(zmq::sockopt::curve_server, true);
    socket.set(zmq::sockopt::curve_secretkey, own.secret.data());
    key = own.open.data();
  }
  socket.bind(fmt::format("tcp://{}:*", host));
  announce(fmt::format("{} {}", socket.get(zmq::sockopt::last_endpoint), key));
  end_with_parent();
  zmq::message_t message;
  for (;;)
    if (socket.recv(message, zmq::recv_flags::none)) socket.send(std::move(message), zmq::send_flags::none);
}

}  // namespace

std::unique_ptr<Peer> make_zeromq() {
  return std::make_unique<ZeroMq>(false);
}
std::unique_ptr<Peer> make_zeromq_curve() {
  return std::make_unique<ZeroMq>(true);
}
int serve_zeromq(std::vector<std::string> const& arguments) {
  return serve(arguments.at(0), false);
}
int serve_zeromq_curve(std::vector<std::string> const& arguments) {
  return serve(arguments.at(0), true);
}

}  // namespace cy::bench
