// One page that says too much: the lane to the agent, and with it everybody's stop, stays free.
#include "rig.hpp"

namespace cy::station {
namespace {

template <wire::Message M>
void append(Buffer& to, M const& message) {
  auto const bytes = wire::encoded(message);
  to.insert(to.end(), bytes.begin(), bytes.end());
}

TEST(Flood, NamesThatChangeWithoutEndCostOneEventAGap) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia");
  rig.pass(2s);
  rig.heard.clear();
  for (auto turn = 0; turn < 10; ++turn) {
    Buffer bytes;
    for (auto i = 0; i < 1000; ++i) append(bytes, PageHello{page_version, fmt::format("m{}", i), {}, {}});
    rig.on([&] { rig.desk.on_data(mia, bytes, rig.now); });
    rig.pass(100ms);
  }
  rig.pass(2s);
  auto const names = rig.effects<desk::Rename>();
  EXPECT_LE(names.size(), 2U);
  EXPECT_EQ(names.back().name, "m999");
  EXPECT_EQ(rig.told<Viewers>(mia).back().viewers.at(0).person, "m999");
  EXPECT_TRUE(rig.told<StationHello>(mia).empty());
}

TEST(Flood, ViewsThatChangeWithoutEndCostNoEventAtAll) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia");
  rig.view(mia);
  EXPECT_EQ(rig.effects<desk::Subscribe>().size(), 1U);
  for (auto turn = 0; turn < 30; ++turn) {
    Buffer bytes;
    for (auto i = 0; i < 1000; ++i) append(bytes, PageView{{static_cast<std::uint16_t>(i)}, false, {}});
    append(bytes, PageView{{1}, turn % 2 == 0, {}});
    rig.on([&] { rig.desk.on_data(mia, bytes, rig.now); });
    rig.pass(50ms);
  }
  EXPECT_TRUE(rig.effects<desk::Subscribe>().empty());
}

TEST(Flood, AStreamThatIsAnnouncedLaterIsFollowedThen) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia");
  rig.say(mia, PageView{{2}, false, {}});
  EXPECT_TRUE(rig.effects<desk::Subscribe>().empty());
  media::StreamInfo stream;
  stream.stream = media::StreamId{2};
  rig.on([&] { rig.desk.on_stream(stream, rig.now); });
  EXPECT_EQ(rig.effects<desk::Subscribe>().at(0).stream, media::StreamId{2});
}

TEST(Flood, StopsOfRobotsThatAreNotThereStopAllAndAreOne) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia");
  for (std::uint16_t robot = 0; robot < 1000; ++robot) {
    Stop stop;
    stop.kind = static_cast<StopKind>(robot % 256);
    rig.command(mia, robot, stop, static_cast<std::uint16_t>(robot * 50));
  }
  auto const stops = rig.effects<desk::SendEvent>();
  EXPECT_LE(stops.size(), 3U);  // one of each kind
  for (auto const& one : stops) EXPECT_EQ(one.target.resource, Resource{});
  rig.command(mia, 5000, Stop{}, 1);
  EXPECT_EQ(rig.effects<desk::SendEvent>().at(0).target.resource, Resource{1});
}

TEST(Flood, NoticesAndWelcomesThatNobodyTakesAreBounded) {
  Rig rig;
  rig.up();
  auto const mia = rig.page("Mia");
  rig.slow.insert(mia.value);
  for (auto i = 0U; i < 1000 && !rig.closed.contains(mia.value); ++i) {
    rig.take_control(mia, LeaseId{100 + i});
    rig.on([&] { rig.desk.on_link(session::LinkState::gone, "silent", rig.now); });
    rig.up();
    rig.effects<desk::SendEvent>();
  }
  EXPECT_EQ(rig.closed[mia.value], "the page takes no answers");
}

TEST(Flood, TwoNamelessPagesHaveNamesThatTellThemApart) {
  Rig rig;
  rig.page("viewer 2");
  rig.page("");
  EXPECT_EQ(rig.introduced.at(1).name, "viewer 2 (2)");
}

}  // namespace
}  // namespace cy::station
