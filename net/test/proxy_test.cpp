// The proxy that is a bad network, between real sockets.
#include <cy/emulate/spec.hpp>
#include <cy/net/proxy.hpp>

#include "rig.hpp"

namespace cy::net {
namespace {

// Sends every datagram back to where it came from.
class EchoServer {
 public:
  explicit EchoServer(Loop& loop)
      : port_(std::move(*UdpPort::open(
            loop, loopback(), {},
            [this](MutableBytes datagram, Endpoint const& from) { out_.add(from, datagram); },
            [this] { port_->send(out_); }))) {}
  Endpoint local() const { return port_->local(); }

 private:
  session::Outbox out_;
  std::unique_ptr<UdpPort> port_;
};

TEST_F(Net, TheProxyDelaysBothWaysAndCounts) {
  EchoServer const server(loop);
  auto const spec = emulate::parse_spec("delay=30ms");
  ASSERT_TRUE(spec);
  auto proxy = Proxy::open(loop, {loopback(), server.local(), spec->schedule, spec->schedule, Seed{1}});
  ASSERT_TRUE(proxy) << proxy.error().what;

  Time sent, came;
  auto client = UdpPort::open(
      loop, loopback(), {}, [&](auto, auto const&) { came = now(); }, [&] { loop.stop(); });
  session::Outbox question;
  question.add((*proxy)->local(), Buffer{1, 2, 3});
  sent = now();
  (*client)->send(question);
  loop.run();
  EXPECT_GE(came - sent, 60ms);
  auto const counters = (*proxy)->counters();
  EXPECT_EQ(counters.clients, 1u);
  EXPECT_EQ(counters.there.delivered, 1u);
  EXPECT_EQ(counters.back.delivered, 1u);
}

TEST_F(Net, TheProxyLetsTheQuietestClientGoForANewOne) {
  EchoServer const server(loop);
  auto proxy = Proxy::open(loop, {loopback(), server.local(), {}, {}, Seed{1}, 2});
  ASSERT_TRUE(proxy) << proxy.error().what;
  for (auto i = 0; i < 5; ++i) {
    auto answered = false;
    auto client = UdpPort::open(
        loop, loopback(), {}, [&](auto, auto const&) { answered = true; }, [&] { loop.stop(); });
    session::Outbox question;
    question.add((*proxy)->local(), Buffer{1, 2, 3});
    (*client)->send(question);
    loop.restart();
    loop.run();
    EXPECT_TRUE(answered) << i;
  }
  auto const counters = (*proxy)->counters();
  EXPECT_EQ(counters.clients, 5u);
  EXPECT_EQ(counters.back.delivered, 5u);
}

}  // namespace
}  // namespace cy::net
