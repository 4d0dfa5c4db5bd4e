// Plain UDP on blocking sockets.
#include <fmt/format.h>

#include "make.hpp"
#include "server_process.hpp"
#include "udp.hpp"
#include <algorithm>
#include <array>

namespace cy::bench {
namespace {

class RawUdp final : public Peer {
 public:
  std::string_view name() const override { return "raw_udp"; }

  void start(PeerOptions const& options) override {
    auto const announced = server_.start(name(), options, {});
    auto const port = static_cast<std::uint16_t>(std::stoi(announced.at(0)));
    socket_.connect(options.host, options.through ? options.through(port) : port);
    socket_.receive_for_at_most(options.timeout);
  }

  bool round_trip(Bytes payload) override {
    socket_.send(payload);
    // An answer to an earlier message that was given up is not this one's.
    while (auto const size = socket_.receive(buffer_))
      if (*size == payload.size() && std::equal(payload.begin(), payload.end(), buffer_.begin())) return true;
    return false;
  }

 private:
  ServerProcess server_;
  UdpSocket socket_;
  std::array<std::uint8_t, 2048> buffer_{};
};

}  // namespace

std::unique_ptr<Peer> make_raw_udp() {
  return std::make_unique<RawUdp>();
}

int serve_raw_udp(std::vector<std::string> const& arguments) {
  UdpSocket socket;
  socket.bind(arguments.at(0));
  announce(fmt::format("{}", socket.port()));
  end_with_parent();
  std::array<std::uint8_t, 2048> buffer{};
  for (;;) socket.answer(Bytes(buffer).first(socket.receive_and_remember(buffer)));
}

}  // namespace cy::bench
