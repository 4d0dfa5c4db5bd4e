// The driver against a simulator that others wrote: bytes recorded from AMRISim (commit 26e07b9, its
// AMROffice.map, models p3dx-sh and p3dx): handshake, CONFIGpac, and the reports at rest, in a left
// turn, and at rest again, where the simulator said what its true pose was.
//
// AMRISim answers any number that comes before its session with that number, and counts on from
// there: after a STOP it waits for commands, and no SYNC is answered.
#include <cy/drivers/drivers.hpp>

#include <gtest/gtest.h>

#include "host.hpp"
#include "second_arcos.hpp"

namespace cy {
namespace {

constexpr int open_ = 1, config = 18, stop = 29;

struct Recording {
  std::string_view model;
  std::string_view identity, settings;
  std::array<std::string_view, 3> reports;
  Pose2 truth;             // at the last report, from where the first was made
  float front_left, left;  // m, of sonars 1 and 0 in the first report
};

constexpr std::array recordings{
    Recording{
        "Pioneer P3-DX (p3dx-sh)",
        "fafb1b02414d524953696d0050696f6e65657200703364782d7368005f52",
        "fafb7c2050696f6e65657200703364782d73680053494d00000f270f270f270f279001414d524953696d006400000000"
        "01000100000000d0070000000000000000009600b80b640064000000000000002c012c01000000000000000000000200"
        "0000000000000000532e300000000000000f270f2700000000000000007785",
        {"fafb56320000000000000000000082000000001e000010008a04017f0502b50503b906040c05059e0b06030907560608"
         "88130901100ace0e0b88130ca3040dbe040ed5040fed04000000ffff8200000000000000008100aeb6",
         "fafb56322a025e01c1029300fc0082000000001f00001000f50501ad0302af0403b50204000305130306ac0307580308"
         "1804092c090a30050b88130c7a120db4120e83080f3906000000ffff820000aa0000000000810060ff",
         "fafb56323e028401e3020000000082000000001f00001000fa05018b0302a00403810204dc0205e00206600307760308"
         "120309f6080a54050b88130cc3120ddd120e88130f4806000000ffff820000000000000000810056bc"},
        {0.571, 0.392, radians(65.0)},
        1.407F,
        1.162F},
    Recording{
        "Pioneer P3-DX (p3dx)",
        "fafb1802414d524953696d0050696f6e656572007033647800ebbd",
        "fafb792050696f6e65657200703364780053494d00000f270f270f270f279001414d524953696d006400000000010001"
        "00000000d0070000000000000000009600b80b640064000000000000002c012c01000000000000000000000200000000"
        "0000000000532e300000000000000f270f270000000000000000935f",
        {"fafb56320000000000000000000082000000001f000010003906019c0d02f00a034d0704881305631206de11074e0408"
         "c1030945030a68030b27020c16020ddf030ec0030f5305000000ffff82000000000000000081008718",
         "fafb56323e035001dd019300fc0082000000001f00001000b804016b0502a70403350b043a09053d0506881307bf0f08"
         "4b110926050aa8030bbc040cdc040df8030e64040fbd04000000ffff820000aa0000000000810034d5",
         "fafb5632bc046a0305030000000082000000001f00001000e00401a304023504035303043d0a05120a06550807881308"
         "46100955100abf070bb4050c20060d05060ed8040f5004000000ffff82000000000000000081004365"},
        {0.592, 0.418, radians(67.0)},
        3.484F,
        1.593F}};

Buffer bytes_of(std::string_view hex) {
  Buffer bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return bytes;
}

class OtherSimulator final : public test::Peer {
 public:
  explicit OtherSimulator(Recording const& recording) : recording_(recording) {}

  std::vector<int> heard;  // on this channel

  void opened(Channel line, Time) override {
    line_ = line;
    heard.clear();
    said_.clear();
    next_ = 0;
    session_ = reporting_ = false;
  }
  void hear(Channel, Bytes bytes, unsigned, Time now) override {
    for (auto const& packet : second::split({bytes.begin(), bytes.end()})) {
      auto const number = packet[0];
      heard.push_back(number);
      if (next_ < 3) {
        next_ = number + 1;
        session_ = number == 2;
        auto const echo = Buffer{0xfa, 0xfb, 0x03, number, 0x00, number};
        said_.emplace(now + 100ms, session_ ? bytes_of(recording_.identity) : echo);
      } else if (session_ && number == config) {
        said_.emplace(now + 100ms, bytes_of(recording_.settings));
      } else if (session_ && number == open_ && !std::exchange(reporting_, true)) {
        for (std::size_t i = 0; i < 3; ++i)
          said_.emplace(now + 100ms * (i + 2), bytes_of(recording_.reports[i]));
      }
    }
  }
  std::optional<Piece> say(Time now) override {
    if (said_.empty() || said_.begin()->first > now) return std::nullopt;
    return Piece{line_, said_.extract(said_.begin()).mapped()};
  }
  std::optional<Time> deadline() const override {
    return said_.empty() ? std::nullopt : std::optional(said_.begin()->first);
  }

 private:
  Recording const& recording_;
  Channel line_;
  int next_{};
  bool session_{}, reporting_{};
  std::multimap<Time, Buffer> said_;
};

class ArcosOtherSimulators : public testing::TestWithParam<Recording> {
 protected:
  OtherSimulator peer_{GetParam()};
  std::unique_ptr<Driver> driver_ = [] {
    DriverConfig made;
    made.device = DeviceId{1};
    made.first_robot = RobotId{1};
    made.name = "ada";
    made.address = "tcp:127.0.0.1:8101";
    return make_driver("arcos", made).value();
  }();
  test::Host host_{*driver_, &peer_};

  void report(std::uint64_t number) {
    ASSERT_TRUE(host_.run_until([&] { return host_.reports == number; }, 5s));
  }
};

TEST_P(ArcosOtherSimulators, ReadsTheirReports) {
  host_.start();
  report(1);
  EXPECT_TRUE(host_.ready());
  EXPECT_EQ(host_.devices.back().watchdog, 2.0);
  EXPECT_EQ(host_.robots[0].model, GetParam().model);
  EXPECT_DOUBLE_EQ(host_.robots[0].limits.angular, radians(150.0));
  EXPECT_DOUBLE_EQ(host_.robots[0].limits.linear_acceleration, 0.3);
  EXPECT_DOUBLE_EQ(*host_.part<PowerState>(6)->voltage, 13.0);
  auto const sonar = *host_.part<SonarState>(2);
  ASSERT_EQ(sonar.discs.size(), 16u);
  EXPECT_FLOAT_EQ(sonar.discs[0].range, GetParam().left);
  EXPECT_FLOAT_EQ(sonar.discs[1].range, GetParam().front_left);

  report(2);
  auto const turning = *host_.part<BaseState>(1);
  EXPECT_TRUE(turning.moving);
  EXPECT_NEAR(turning.twist.linear, 0.2, 0.001);             // as was ordered
  EXPECT_NEAR(turning.twist.angular, radians(17.0), 0.005);  // to the left

  report(3);
  auto const there = *host_.part<BaseState>(1);
  EXPECT_FALSE(there.moving);
  EXPECT_NEAR(there.pose.x, GetParam().truth.x, 0.006);
  EXPECT_NEAR(there.pose.y, GetParam().truth.y, 0.006);
  EXPECT_NEAR(there.pose.yaw, GetParam().truth.yaw, radians(1.0));
}

TEST_P(ArcosOtherSimulators, AreGreetedOnceMoreWithoutTheStopThatTheyTookForASync) {
  host_.start();
  ASSERT_TRUE(host_.run_until([&] { return host_.opens.size() == 2; }, 5s));
  EXPECT_EQ(peer_.heard.front(), stop);
  EXPECT_NE(host_.devices.back().trouble.find("taken for a SYNC"), std::string::npos);
  report(1);
  EXPECT_EQ(std::vector(peer_.heard.begin(), peer_.heard.begin() + 5), (std::vector{0, 1, 2, open_, stop}));
  EXPECT_EQ(host_.opens.size(), 2u);
  EXPECT_LT(host_.opens[1] - host_.opens[0], 2500ms);
  EXPECT_EQ(host_.devices.back().trouble, "");

  // Whoever answers next may be another, with a session that still moves.
  host_.drop_lines("gone");
  ASSERT_TRUE(host_.run_until([&] { return host_.opens.size() == 3 && !peer_.heard.empty(); }, 5s));
  host_.run_for(20ms);
  EXPECT_EQ(peer_.heard.front(), stop);
}

TEST_P(ArcosOtherSimulators, HearAStopInTheMiddleOfTheHandshake) {
  host_.start();
  ASSERT_TRUE(host_.run_until([&] { return peer_.heard == std::vector{0, 1}; }, 5s));
  host_.stop(StopKind::category_2);
  EXPECT_EQ(peer_.heard.back(), stop);
  report(1);
  EXPECT_TRUE(host_.ready());
}

TEST_P(ArcosOtherSimulators, AreFoundSoonWhenTheyComeBackAfterLong) {
  host_.refuse_to_open = true;
  host_.start();
  host_.run_for(200s);
  host_.refuse_to_open = false;
  auto const before = host_.opens.size();
  ASSERT_TRUE(host_.run_until([&] { return host_.opens.size() == before + 1; }, 31s));
  report(1);
  EXPECT_TRUE(host_.ready());
}

INSTANTIATE_TEST_SUITE_P(Models, ArcosOtherSimulators, testing::ValuesIn(recordings),
                         [](auto const& named) { return named.index == 0 ? "p3dx_sh" : "p3dx"; });

}  // namespace
}  // namespace cy
