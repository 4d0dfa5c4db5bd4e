// Real sockets on loopback; every wait is bounded.
#include <cy/net/line.hpp>
#include <cy/net/local.hpp>
#include <cy/net/udp.hpp>
#include <cy/net/worker.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "rig.hpp"
#include <fstream>

namespace cy::net {
namespace {

TEST_F(Net, TimersFireOnceAtTheNewestTime) {
  auto fired = 0;
  auto const start = now();
  Timer timer(loop, [&] {
    ++fired;
    loop.stop();
  });
  timer.set(start + 20ms);
  timer.set(start + 60ms);
  loop.run();
  EXPECT_EQ(fired, 1);
  EXPECT_GE(now() - start, 60ms);
}

TEST_F(Net, ADestroyedTimerIsSilent) {
  auto doomed = std::make_unique<Timer>(loop, [] { FAIL(); });
  doomed->set(now() + 5ms);
  doomed.reset();
  Timer end(loop, [&] { loop.stop(); });
  end.set(now() + 30ms);
  loop.run();
}

TEST_F(Net, PostedWorkRunsInTheLoop) {
  Worker worker;
  ASSERT_TRUE(worker.post([&] { loop.post([&] { loop.stop(); }); }));
  loop.run();
}

TEST_F(Net, AWorkerKeepsOrderAndFinishesWhatIsQueued) {
  std::vector<int> done;
  {
    Worker worker;
    for (auto i = 0; i < 100; ++i) ASSERT_TRUE(worker.post([&done, i] { done.push_back(i); }));
  }
  ASSERT_EQ(done.size(), 100u);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
}

TEST_F(Net, DatagramsOfABatchArriveInOrder) {
  constexpr auto count = 100u;
  std::vector<std::uint8_t> seen;
  auto receiver = UdpPort::open(
      loop, loopback(), {},
      [&](MutableBytes datagram, Endpoint const& from) {
        EXPECT_TRUE(is_loopback(from));
        seen.push_back(datagram[0]);
      },
      [&] {
        if (seen.size() == count) loop.stop();
      });
  ASSERT_TRUE(receiver) << receiver.error().what;
  auto sender = UdpPort::open(
      loop, loopback(), {}, [](auto, auto const&) {}, [] {});
  session::Outbox out;
  for (std::uint8_t i = 0; i < count; ++i) out.add((*receiver)->local(), Buffer{i, 2, 3});
  (*sender)->send(out);
  EXPECT_TRUE(out.empty());
  loop.run();
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

// A datagram that causes the next one keeps the port busy for ever.
TEST_F(Net, APortThatIsAlwaysBusyDoesNotHoldUpTimers) {
  session::Outbox out;
  std::unique_ptr<UdpPort> port;
  auto const again = [&] {
    out.add(port->local(), Buffer{1});
    port->send(out);
  };
  auto opened = UdpPort::open(
      loop, loopback(), {}, [](auto, auto const&) {}, again);
  ASSERT_TRUE(opened) << opened.error().what;
  port = std::move(*opened);
  auto const begin = now();
  Timer timer(loop, [&] { loop.stop(); });
  timer.set(begin + 20ms);
  again();
  loop.run();
  EXPECT_LT(now() - begin, 2s);
}

TEST_F(Net, ATakenUdpPortIsRefusedByName) {
  auto first = UdpPort::open(
      loop, loopback(), {}, [](auto, auto const&) {}, [] {});
  auto const second = UdpPort::open(
      loop, (*first)->local(), {}, [](auto, auto const&) {}, [] {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().what.find(to_string((*first)->local())), std::string::npos) << second.error().what;
}

TEST_F(Net, AnUnreachableAddressHoldsUpNobody) {
  auto got = false;
  auto receiver = UdpPort::open(
      loop, loopback(), {}, [&](auto, auto const&) { got = true; }, [&] { loop.stop(); });
  auto sender = UdpPort::open(
      loop, loopback(), {}, [](auto, auto const&) {}, [] {});
  session::Outbox out;
  out.add(ipv4(255, 255, 255, 255, 9), Buffer{1});  // not allowed without SO_BROADCAST
  out.add((*receiver)->local(), Buffer{2});
  (*sender)->send(out);
  loop.run();
  EXPECT_TRUE(got);
  EXPECT_EQ((*sender)->unsent(), 1u);
}

TEST_F(Net, LocalFramesComeWholeAndEndsAreTold) {
  std::unique_ptr<LocalStream> served;
  Buffer got;
  auto server = LocalServer::open(loop, path("s"), [&](auto stream) {
    served = std::move(stream);
    served->set_handlers({[&](MutableBytes frame) {
                            got = copy_of(frame);
                            served->send(Buffer(3, 7));
                          },
                          [&](std::string_view) { loop.stop(); }});
  });
  ASSERT_TRUE(server) << server.error().what;
  struct stat info {};
  ASSERT_EQ(::stat(path("s").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);

  std::unique_ptr<LocalStream> mine;
  auto stream = LocalStream::connect(loop, path("s"),
                                     {[&](MutableBytes frame) {
                                        EXPECT_EQ(frame.size(), 3u);
                                        loop.post([&] { mine.reset(); });
                                      },
                                      [](std::string_view) {}});
  ASSERT_TRUE(stream) << stream.error().what;
  mine = std::move(*stream);
  Buffer const big(300'000, 9);
  mine->send(big);
  loop.run();
  EXPECT_EQ(got, big);
}

TEST_F(Net, ALocalFrameThatClaimsTooMuchEndsTheStream) {
  std::unique_ptr<LocalStream> served;
  std::string why;
  auto server = LocalServer::open(loop, path("s"), [&](auto stream) {
    served = std::move(stream);
    served->set_handlers({[](MutableBytes) { FAIL(); },
                          [&](std::string_view reason) {
                            why = reason;
                            loop.stop();
                          }});
  });
  auto const raw = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path("s").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::connect(raw, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  std::uint8_t const head[4] = {0xff, 0xff, 0xff, 0xff};
  ASSERT_EQ(::write(raw, head, 4), 4);
  loop.run();
  ::close(raw);
  EXPECT_NE(why.find("4 MiB"), std::string::npos) << why;
}

TEST_F(Net, AStaleSocketFileIsReplacedAndALiveOneIsNot) {
  auto const dead = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path("s").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(dead, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(dead);
  auto const server = LocalServer::open(loop, path("s"), [](auto) {});
  ASSERT_TRUE(server) << server.error().what;
  auto const second = LocalServer::open(loop, path("s"), [](auto) {});
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().what.find("another process"), std::string::npos);
}

TEST_F(Net, OnlyASocketMakesRoomForALocalServer) {
  std::ofstream(path("notes")) << "mine";
  std::filesystem::create_symlink(path("notes"), path("link"));
  std::filesystem::create_directory(path("folder"));
  for (auto const* name : {"notes", "link", "folder"}) {
    auto const server = LocalServer::open(loop, path(name), [](auto) {});
    ASSERT_FALSE(server) << name;
    EXPECT_NE(server.error().what.find("something else is there"), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(path(name))) << name;
  }
}

TEST_F(Net, LineAddressesAreToldApart) {
  EXPECT_EQ(parse_line_address("tcp:robot:8101")->port, "8101");
  EXPECT_EQ(parse_line_address("tcp:[::1]:8101")->host_or_path, "::1");
  EXPECT_TRUE(parse_line_address("serial:/dev/ttyS0")->serial);
  for (auto const* text : {"", "robot:8101", "tcp:robot", "tcp::1", "tcp:robot:", "serial:ttyS0", "usb:1"}) {
    auto const bad = parse_line_address(text);
    ASSERT_FALSE(bad) << text;
    EXPECT_NE(bad.error().what.find("use tcp:HOST:PORT or serial:/dev/NAME"), std::string::npos);
  }
}

TEST_F(Net, ALineCarriesBytesAndTellsItsEnd) {
  auto const listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);

  std::string got, why;
  int peer = -1;
  Line* line = nullptr;
  Line held(loop, {[&] {
                     peer = ::accept(listener, nullptr, nullptr);
                     line->send(bytes_of("ping"));
                     char buffer[4];
                     ASSERT_EQ(::read(peer, buffer, 4), 4);
                     ASSERT_EQ(::write(peer, "pong", 4), 4);
                   },
                   [&](Bytes bytes) {
                     got += text_of(bytes);
                     if (got == "pong") ::close(peer);
                   },
                   [&](std::string_view reason) {
                     why = reason;
                     loop.stop();
                   }});
  line = &held;
  held.open(fmt::format("tcp:127.0.0.1:{}", ntohs(address.sin_port)), 0);
  loop.run();
  ::close(listener);
  EXPECT_EQ(got, "pong");
  EXPECT_FALSE(why.empty());
}

// A process that is about to end has no next turn of its loop.
TEST_F(Net, ASerialLineSendsAtOnce) {
  auto const controller = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(controller, 0);
  ASSERT_EQ(::grantpt(controller), 0);
  ASSERT_EQ(::unlockpt(controller), 0);
  Line* line = nullptr;
  std::string got;
  Line held(loop, {[&] {
                     line->send(bytes_of("stop"));
                     char buffer[8];
                     pollfd ready{controller, POLLIN, 0};
                     if (::poll(&ready, 1, 1000) == 1)
                       got.assign(buffer,
                                  static_cast<std::size_t>(::read(controller, buffer, sizeof buffer)));
                     loop.stop();
                   },
                   [](Bytes) {}, [](std::string_view why) { FAIL() << why; }});
  line = &held;
  held.open(fmt::format("serial:{}", ::ptsname(controller)), 9600);
  loop.run();
  held.close();
  ::close(controller);
  EXPECT_EQ(got, "stop");
}

TEST_F(Net, ASerialLineIsOneProgramsAndOfAKnownSpeed) {
  auto const controller = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(controller, 0);
  ASSERT_EQ(::grantpt(controller), 0);
  ASSERT_EQ(::unlockpt(controller), 0);
  auto const address = fmt::format("serial:{}", ::ptsname(controller));
  std::string why;
  Line::Handlers const handlers{[&] { loop.stop(); }, [](Bytes) {},
                                [&](std::string_view reason) {
                                  why = reason;
                                  loop.stop();
                                }};
  Line first(loop, handlers), second(loop, handlers);
  auto const open = [&](Line& line, unsigned baud) {
    why.clear();
    line.open(address, baud);
    loop.restart();
    loop.run();
    return why;
  };
  EXPECT_NE(open(first, 12345), "");
  EXPECT_EQ(open(first, 9600), "");
  EXPECT_NE(open(second, 9600), "");
  first.close();
  EXPECT_EQ(open(second, 9600), "");
  second.set_baud(12345);
  loop.restart();
  loop.run();
  EXPECT_NE(why, "");
  ::close(controller);
}

TEST_F(Net, ALineThatCannotOpenSaysWhy) {
  for (auto const* where : {"tcp:127.0.0.1:1", "serial:/dev/none", "nonsense"}) {
    std::string why;
    Line line(loop, {[] { FAIL(); }, [](Bytes) {},
                     [&](std::string_view reason) {
                       why = reason;
                       loop.stop();
                     }});
    line.open(where, 9600);
    loop.run();
    EXPECT_FALSE(why.empty()) << where;
    loop.restart();
  }
}

}  // namespace
}  // namespace cy::net
