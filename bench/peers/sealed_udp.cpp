// UDP on blocking sockets, each datagram sealed with ChaCha20-Poly1305 (RFC 8439) by libsodium:
// what sealing costs when there is nothing else. One key a direction, a counter as the nonce;
// seal, open, seal, open: four operations a round trip.
#include <fmt/format.h>
#include <sodium.h>

#include "make.hpp"
#include "server_process.hpp"
#include "udp.hpp"
#include <algorithm>
#include <array>

namespace cy::bench {
namespace {

constexpr auto key_size = crypto_aead_chacha20poly1305_ietf_KEYBYTES;
constexpr auto tag_size = crypto_aead_chacha20poly1305_ietf_ABYTES;
constexpr std::size_t head_size = 8;  // the counter, in clear, authenticated
using Key = std::array<std::uint8_t, key_size>;
using Datagram = std::array<std::uint8_t, 2048>;
using Nonce = std::array<std::uint8_t, crypto_aead_chacha20poly1305_ietf_NPUBBYTES>;

Nonce nonce_of(std::uint64_t counter) {
  Nonce nonce{};
  store_le(nonce.data() + 4, counter);
  return nonce;
}

class Direction {
 public:
  explicit Direction(Key const& key) : key_(key) {}

  Bytes seal(Bytes plain, Datagram& out) {
    auto const nonce = nonce_of(++counter_);
    store_le(out.data(), counter_);
    unsigned long long size = 0;
    crypto_aead_chacha20poly1305_ietf_encrypt(out.data() + head_size, &size, plain.data(), plain.size(),
                                              out.data(), head_size, nullptr, nonce.data(), key_.data());
    return Bytes(out).first(head_size + size);
  }

  // The payload in `out`; empty if the datagram is not what the other side sealed, or is old.
  Bytes open(Bytes datagram, Datagram& out) {
    if (datagram.size() < head_size + tag_size) return {};
    auto const counter = load_le<std::uint64_t>(datagram.data());
    if (counter <= counter_) return {};
    auto const nonce = nonce_of(counter);
    unsigned long long size = 0;
    auto const bad = crypto_aead_chacha20poly1305_ietf_decrypt(
        out.data(), &size, nullptr, datagram.data() + head_size, datagram.size() - head_size, datagram.data(),
        head_size, nonce.data(), key_.data());
    if (bad != 0) return {};
    counter_ = counter;
    return Bytes(out).first(size);
  }

 private:
  Key key_;
  std::uint64_t counter_ = 0;
};

std::string hex(Key const& key) {
  std::string text(key.size() * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), key.data(), key.size());
  text.pop_back();
  return text;
}

Key unhex(std::string const& text) {
  Key key{};
  std::size_t size = 0;
  if (sodium_hex2bin(key.data(), key.size(), text.data(), text.size(), nullptr, &size, nullptr) != 0 ||
      size != key.size())
    throw std::runtime_error("sealed_udp: not a key");
  return key;
}

Key make_key() {
  Key key{};
  crypto_aead_chacha20poly1305_ietf_keygen(key.data());
  return key;
}

void start_sodium() {
  if (sodium_init() < 0) throw std::runtime_error("sealed_udp: libsodium does not start");
}

class SealedUdp final : public Peer {
 public:
  std::string_view name() const override { return "sealed_udp"; }

  void start(PeerOptions const& options) override {
    start_sodium();
    auto const announced = server_.start(name(), options, {});
    there_ = Direction(unhex(announced.at(1)));
    back_ = Direction(unhex(announced.at(2)));
    socket_.connect(options.host, static_cast<std::uint16_t>(std::stoi(announced.at(0))));
    socket_.receive_for_at_most(options.timeout);
  }

  bool round_trip(Bytes payload) override {
    socket_.send(there_.seal(payload, sealed_));
    while (auto const size = socket_.receive(sealed_)) {
      auto const answer = back_.open(Bytes(sealed_).first(*size), opened_);
      if (std::equal(payload.begin(), payload.end(), answer.begin(), answer.end())) return true;
    }
    return false;
  }

 private:
  ServerProcess server_;
  UdpSocket socket_;
  Direction there_{Key{}};
  Direction back_{Key{}};
  Datagram sealed_{};
  Datagram opened_{};
};

}  // namespace

std::unique_ptr<Peer> make_sealed_udp() {
  return std::make_unique<SealedUdp>();
}

int serve_sealed_udp(std::vector<std::string> const& arguments) {
  start_sodium();
  auto const there_key = make_key();
  auto const back_key = make_key();
  UdpSocket socket;
  socket.bind(arguments.at(0));
  announce(fmt::format("{} {} {}", socket.port(), hex(there_key), hex(back_key)));
  end_with_parent();
  Direction there(there_key);
  Direction back(back_key);
  Datagram sealed{};
  Datagram opened{};
  for (;;) {
    auto const size = socket.receive_and_remember(sealed);
    auto const payload = there.open(Bytes(sealed).first(size), opened);
    if (!payload.empty()) socket.answer(back.seal(payload, sealed));
  }
}

}  // namespace cy::bench
