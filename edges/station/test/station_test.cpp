// A whole station on real sockets of loopback, with a real agent behind it or with none.
#include <cy/station/station.hpp>

#include "raw_page.hpp"
#include "test_agent.hpp"
#include <filesystem>
#include <fstream>

namespace cy::station {
namespace {

using testing::Test;

struct StationTest : Test {
  StationTest() {
    folder = std::filesystem::temp_directory_path() / ("cy_station_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "index.html") << "<!doctype html><title>page</title>";
    std::ofstream(folder / "app.js") << "console.log(1)";
    std::ofstream(folder.string() + "_secret") << "secret";
  }
  ~StationTest() override {
    station.reset();
    std::filesystem::remove_all(folder);
    std::filesystem::remove(folder.string() + "_secret");
  }

  void open(Endpoint agent, seal::PublicKey key) {
    StationOptions options;
    options.listen = ipv4(127, 0, 0, 1, 0);
    options.web = folder.string();
    options.desk.name = "bench";
    options.client.agent = agent;
    options.client.agent_key = key;
    options.client.key = std::make_shared<seal::KeyPair const>(
        seal::make_key_pair(seal::SecretKey(std::array<std::uint8_t, 32>{9, 9})));
    auto opened = Station::open(std::move(options));
    ASSERT_TRUE(opened) << opened.error().what;
    station = std::move(*opened);
    port = station->local().port;
  }
  void open_alone() { open(ipv4(127, 0, 0, 1, 9), seal::PublicKey{{1}}); }
  std::uint64_t counted(std::string_view reason) const {
    for (auto const& counter : station->figures().counters)
      if (counter.reason == reason) return counter.count;
    return 0;
  }
  std::string own() const { return "127.0.0.1:" + std::to_string(port); }

  std::filesystem::path folder;
  std::unique_ptr<Station> station;
  std::uint16_t port = 0;
};

bool has(std::string const& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// ---- HTTP --------------------------------------------------------------------------------

TEST_F(StationTest, ServesThePageWithItsHeaders) {
  open_alone();
  auto const page = get(port, "/");
  EXPECT_TRUE(has(page, "HTTP/1.1 200")) << page;
  EXPECT_TRUE(has(page, "Content-Type: text/html; charset=utf-8\r\n"));
  EXPECT_TRUE(has(page, "default-src 'self'"));
  EXPECT_TRUE(has(page, "connect-src 'self' ws://" + own() + ";"));
  EXPECT_TRUE(has(page, "frame-ancestors 'none'"));
  EXPECT_TRUE(has(page, "X-Content-Type-Options: nosniff\r\n"));
  EXPECT_TRUE(has(page, "Referrer-Policy: no-referrer\r\n"));
  EXPECT_TRUE(has(page, "Cross-Origin-Opener-Policy: same-origin\r\n"));
  EXPECT_TRUE(has(page, "Cache-Control: no-cache\r\n"));
  EXPECT_TRUE(page.ends_with("<title>page</title>"));

  auto const at = page.find("ETag: ") + 6;
  auto const etag = page.substr(at, page.find("\r\n", at) - at);
  auto const again = get(port, "/", "If-None-Match: " + etag + "\r\n");
  EXPECT_TRUE(has(again, "HTTP/1.1 304")) << again;
  EXPECT_TRUE(again.ends_with("\r\n\r\n"));
  auto const head = get(port, "/app.js", "", "HEAD");
  EXPECT_TRUE(has(head, "Content-Length: 14\r\n")) << head;
  EXPECT_TRUE(head.ends_with("\r\n\r\n"));
}

TEST_F(StationTest, KeepsAConnectionForSeveralRequests) {
  open_alone();
  auto const one = "GET /app.js HTTP/1.1\r\nHost: " + own() + "\r\n";
  auto const both = ask(port, one + "\r\n" + one + "Connection: close\r\n\r\n");
  auto const first = both.find("console.log(1)");
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(both.find("console.log(1)", first + 1), std::string::npos);
}

TEST_F(StationTest, RefusesForeignHostsPathsAndMethods) {
  open_alone();
  for (auto const* host : {"evil.example", "localhost", "127.0.0.1:1"}) {
    auto const answer =
        ask(port, std::string("GET / HTTP/1.1\r\nHost: ") + host + "\r\nConnection: close\r\n\r\n");
    EXPECT_TRUE(has(answer, "HTTP/1.1 421")) << answer;
    EXPECT_FALSE(has(answer, "<title>"));
  }
  auto const no_host = ask(port, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(has(no_host, "HTTP/1.1 421")) << no_host;
  auto const secret = "/../" + folder.filename().string() + "_secret";
  for (auto const& path :
       {secret, std::string("/%2e%2e/x"), std::string("/nothing.js"), std::string("//etc/passwd")}) {
    auto const answer = get(port, path);
    EXPECT_TRUE(has(answer, "HTTP/1.1 404")) << answer;
  }
  for (auto const* method : {"POST", "PUT", "DELETE", "OPTIONS"}) {
    auto const answer = get(port, "/", "", method);
    EXPECT_TRUE(has(answer, "HTTP/1.1 405")) << answer;
    EXPECT_TRUE(has(answer, "Allow: GET, HEAD"));
  }
  EXPECT_EQ(counted("http: foreign host"), 4U);
  EXPECT_EQ(counted("http: no such file"), 4U);
  EXPECT_EQ(counted("http: method not allowed"), 4U);
}

TEST_F(StationTest, RefusesWhatIsTooLongOrNoRequest) {
  open_alone();
  auto const answer = get(port, "/", "X-Long: " + std::string(20'000, 'x') + "\r\n");
  EXPECT_TRUE(has(answer, "HTTP/1.1 431")) << answer.substr(0, 80);
  EXPECT_TRUE(has(ask(port, "nonsense\r\n\r\n"), "HTTP/1.1 400"));
  EXPECT_TRUE(has(get(port, "/", "Content-Length: 10\r\n"), "HTTP/1.1 400"));
  EXPECT_TRUE(has(get(port, "/"), "HTTP/1.1 200"));
}

TEST_F(StationTest, ConnectionsAreBounded) {
  open_alone();
  std::vector<std::unique_ptr<Tcp>> many;
  for (auto i = 0; i < 64; ++i) many.push_back(std::make_unique<Tcp>(port));
  EXPECT_EQ(get(port, "/"), "");
  EXPECT_GE(counted("http: too many connections"), 1U);
  many.clear();
  std::string page;
  for (auto i = 0; i < 40 && page.empty(); ++i) {
    std::this_thread::sleep_for(50ms);
    page = get(port, "/");
  }
  EXPECT_TRUE(has(page, "HTTP/1.1 200"));
}

TEST_F(StationTest, OnlyItsOwnPageMayConnect) {
  open_alone();
  auto const first = [&](std::string const& host, std::string const& origin) {
    Tcp tcp(port);
    tcp.send(upgrade_request(host, origin));
    return tcp.receive(3000ms).substr(0, 12);
  };
  EXPECT_EQ(first(own(), "http://" + own()), "HTTP/1.1 101");
  EXPECT_EQ(first(own(), "http://evil.example"), "HTTP/1.1 403");
  EXPECT_EQ(first(own(), "null"), "HTTP/1.1 403");
  EXPECT_EQ(first(own(), ""), "HTTP/1.1 403");
  EXPECT_EQ(first("evil.example", "http://" + own()), "HTTP/1.1 421");
  EXPECT_TRUE(has(get(port, "/ws"), "HTTP/1.1 426"));
  EXPECT_EQ(counted("http: foreign origin"), 3U);
}

TEST_F(StationTest, SaysWhyItCannotBegin) {
  open_alone();
  StationOptions second;
  second.web = folder.string();
  second.listen = station->local();
  auto const taken = Station::open(second);
  ASSERT_FALSE(taken);
  EXPECT_TRUE(has(taken.error().what, "another station")) << taken.error().what;
  second.listen = ipv4(0, 0, 0, 0, 0);
  EXPECT_FALSE(Station::open(second));
  second.web = "/nowhere";
  EXPECT_TRUE(has(Station::open(second).error().what, "/nowhere"));
}

// ---- the socket --------------------------------------------------------------------------

PageHello hello(std::string person) {
  PageHello h;
  h.person = std::move(person);
  return h;
}

TEST_F(StationTest, WithoutAnAgentThePageStillLearnsSo) {
  open_alone();
  RawPage page(port);
  EXPECT_TRUE(has(page.answer(), "101"));
  page.say(hello("Mia"));
  auto const greeting = page.wait<StationHello>();
  ASSERT_TRUE(greeting);
  EXPECT_EQ(greeting->name, "bench");
  auto const link = page.wait<LinkReport>();
  ASSERT_TRUE(link);
  EXPECT_EQ(link->state, AgentLink::searching);
  page.say(PagePing{42.0});
  EXPECT_TRUE(page.wait<PagePong>([](PagePong const& pong) { return pong.stamp == 42.0; }));
  page.command(1, RequestLease{});
  auto const ended = page.wait<PageEnded>();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->ending, Ending::expired_unsent);
  EXPECT_TRUE(has(ended->text, "no link")) << ended->text;
}

TEST_F(StationTest, TextAndLongMessagesEndTheSocketAndNoOther) {
  open_alone();
  RawPage good(port), text(port), large(port);
  good.say(hello("Mia"));
  ASSERT_TRUE(good.wait<StationHello>());
  text.send_frame(1, bytes_of("hello"));
  large.send_frame(2, Buffer(100'000));
  text.wait<StationHello>({}, 2000ms);
  large.wait<StationHello>({}, 2000ms);
  EXPECT_EQ(text.close_reason(), "messages are binary");
  EXPECT_TRUE(large.ended());
  EXPECT_EQ(counted("http: text message"), 1U);
  large.close();  // the station waits for it, for a while
  for (auto i = 0; i < 40 && counted("http: message too long") == 0; ++i) std::this_thread::sleep_for(50ms);
  EXPECT_EQ(counted("http: message too long"), 1U);
  good.say(PagePing{7.0});
  EXPECT_TRUE(good.wait<PagePong>([](PagePong const& pong) { return pong.stamp == 7.0; }));
}

// The whole way: page, station, sealed link, agent, gate, driver, and back.
struct DrivingTest : StationTest {
  DrivingTest() { open(agent.local(), agent.key()); }
  ~DrivingTest() override { station.reset(); }  // before its agent

  // Greets and waits until the agent's robot is there.
  void join(RawPage& page, std::string person) {
    page.say(hello(std::move(person)));
    ASSERT_TRUE(page.wait<StationHello>());
    ASSERT_TRUE(page.wait<ControlState>([](ControlState const& c) { return c.resource == Resource{1}; }));
  }
  PageEnded end(RawPage& page, std::uint32_t token) {
    auto const ended = page.wait<PageEnded>([&](PageEnded const& e) { return e.token == token; });
    EXPECT_TRUE(ended);
    return ended.value_or(PageEnded{});
  }
  // Takes control, arms, and drives until the robot is seen moving.
  void drive(RawPage& page) {
    page.command(1, RequestLease{});
    ASSERT_EQ(end(page, 1).ending, Ending::applied);
    auto const control =
        page.wait<ControlState>([](ControlState const& c) { return static_cast<bool>(c.lease); });
    ASSERT_TRUE(control);
    page.command(2, Arm{control->revision});
    auto const armed = end(page, 2);
    ASSERT_EQ(armed.ending, Ending::applied) << armed.text;
    for (auto i = 0; i < 100; ++i) {
      auto const pong = page.wait<PagePong>();
      ASSERT_TRUE(pong);
      PageDrive set_point;
      set_point.robot = RobotId{1};
      set_point.twist.linear = 0.3;
      set_point.echo_us = pong->echo_us;
      set_point.number = ++number;
      page.say(set_point);
      auto const moving = page.wait<RobotStatus>(
          [](RobotStatus const& s) {
            auto const base = s.find<BaseState>();
            return base && base->twist.linear > 0;
          },
          100ms);
      if (moving) return;
    }
    FAIL() << "the robot never moved";
  }

  TestAgent agent;
  std::uint32_t number = 0;
};

TEST_F(DrivingTest, APersonDrivesAndAnotherStops) {
  RawPage mia(port), tom(port);
  join(mia, "Mia");
  join(tom, "Tom");
  drive(mia);
  EXPECT_TRUE(tom.wait<Viewers>([](Viewers const& v) { return v.driver == "Mia" && v.viewers.size() == 2; }));
  tom.command(1, RequestLease{});
  auto const busy = end(tom, 1);
  EXPECT_EQ(busy.refusal, Refusal::busy);
  EXPECT_TRUE(has(busy.text, "Mia has control")) << busy.text;
  tom.command(2, Stop{StopKind::category_2, "tried"});
  EXPECT_EQ(end(tom, 2).ending, Ending::applied);
  EXPECT_TRUE(mia.wait<Holding>([](Holding const& h) { return !h.holds; }));
  auto const stopped = mia.wait<ControlState>([](ControlState const& c) { return c.stop_latched; });
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->stopped_by, "Tom");
}

TEST_F(DrivingTest, AClosedPageFreesTheRobotAtOnce) {
  RawPage tom(port);
  {
    RawPage mia(port);
    join(mia, "Mia");
    join(tom, "Tom");
    drive(mia);
    ASSERT_TRUE(tom.wait<ControlState>([](ControlState const& c) { return c.holder_name == "Mia"; }));
  }
  auto const before = net::now();
  EXPECT_TRUE(tom.wait<ControlState>([](ControlState const& c) { return !c.lease; }));
  EXPECT_LT(milliseconds(net::now() - before), 1000.0);
}

TEST_F(DrivingTest, ASilentPageLosesControl) {
  RawPage mia(port), tom(port);
  join(mia, "Mia");
  join(tom, "Tom");
  drive(mia);
  ASSERT_TRUE(tom.wait<ControlState>([](ControlState const& c) { return c.holder_name == "Mia"; }));
  EXPECT_TRUE(tom.wait<ControlState>([](ControlState const& c) { return !c.lease; }, 4000ms));
  mia.pings = false;
  EXPECT_TRUE(mia.wait<Holding>([](Holding const& h) { return !h.holds; }));
  EXPECT_FALSE(mia.ended());
}

TEST_F(DrivingTest, ControlIsHandedOver) {
  RawPage mia(port), tom(port);
  join(mia, "Mia");
  join(tom, "Tom");
  mia.command(1, RequestLease{});
  ASSERT_EQ(end(mia, 1).ending, Ending::applied);
  tom.command(1, RequestLease{false, "my turn"});
  ASSERT_EQ(end(tom, 1).refusal, Refusal::busy);
  auto const wished = mia.wait<ControlState>([](ControlState const& c) { return !c.wishes.empty(); });
  ASSERT_TRUE(wished);
  mia.command(2, GrantLease{wished->wishes[0].station, wished->wishes[0].person});
  EXPECT_EQ(end(mia, 2).ending, Ending::applied);
  EXPECT_TRUE(tom.wait<Holding>([](Holding const& h) { return h.holds; }));
  // It holds for the agent, too.
  auto const control = tom.wait<ControlState>([](ControlState const& c) { return c.holder_name == "Tom"; });
  ASSERT_TRUE(control);
  tom.command(2, Arm{control->revision});
  auto const armed = end(tom, 2);
  EXPECT_EQ(armed.ending, Ending::applied) << armed.text;
}

}  // namespace
}  // namespace cy::station
