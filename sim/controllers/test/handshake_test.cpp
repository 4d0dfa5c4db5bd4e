// How a client and the Pioneer controller find each other.
#include <gmock/gmock.h>

#include "rig.hpp"

namespace cy::sim {
namespace {

using plain::order;
using plain::Raw;
using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(Handshake, EchoesThenNamesItselfThenOpens) {
  ArcosOptions options;
  options.flash.name = "Robin";
  Rig rig{options};
  rig.say({0xfa, 0xfb, 3, 0, 0, 0});
  rig.say({0xfa, 0xfb, 3, 1, 0, 1});
  rig.say({0xfa, 0xfb, 3, 2, 0, 2});
  ASSERT_THAT(rig.heard.payloads, SizeIs(3));
  EXPECT_THAT(rig.heard.payloads[0], ElementsAre(0));
  EXPECT_THAT(rig.heard.payloads[1], ElementsAre(1));
  plain::Cursor names{rig.heard.payloads[2]};
  EXPECT_EQ(names.u8(), 2);
  EXPECT_EQ(names.text(), "Robin");
  EXPECT_EQ(names.text(), "Pioneer");
  EXPECT_EQ(names.text(), "p3dx-sh");
  EXPECT_EQ(names.left(), 0U);
  EXPECT_FALSE(rig.robot.deadline());
  rig.say({0xfa, 0xfb, 6, 1, 0x3b, 1, 0, 2, 0x3b});
  EXPECT_THAT(rig.next_sip().flags, 0x06) << "sonars on, motors off";
}

TEST(Handshake, OpensWithoutAnArgumentToo) {
  Rig rig;
  rig.sync();
  rig.order(OPEN);
  rig.next_sip();
}

TEST(Handshake, StartsOverWhenOutOfOrder) {
  Rig rig;
  rig.order(0), rig.order(2);
  EXPECT_THAT(rig.heard.payloads, SizeIs(1)) << "2 after 0 is not answered";
  rig.order(1);
  EXPECT_THAT(rig.heard.payloads, SizeIs(1)) << "nor is 1, as it starts over";
  rig.order(0), rig.order(0), rig.order(1), rig.order(2);
  EXPECT_THAT(rig.heard.payloads, SizeIs(5)) << "a second 0 is a new start";
}

TEST(Handshake, LenientEchoesWhateverComes) {
  ArcosOptions options;
  options.lenient = true;
  Rig rig{options};
  rig.order(0), rig.order(2);
  EXPECT_THAT(rig.heard.payloads, ElementsAre(Raw{0}, Raw{2}));
}

TEST(Handshake, IgnoresWhatIsDamaged) {
  Rig rig;
  rig.say({0xfa, 0xfb, 3, 0, 0, 7});
  EXPECT_THAT(rig.heard.payloads, SizeIs(0));
  rig.say({0xfa, 0xfa, 0xfb, 3, 0, 0, 0});
  EXPECT_THAT(rig.heard.payloads, SizeIs(1));
}

TEST(Handshake, TakesBytesOneByOneAndRecoversFromHalfAPacket) {
  Rig rig;
  for (auto const byte : order(0)) rig.say({byte});
  rig.say({0xfa, 0xfb, 100, 1});
  rig.run(200ms);
  rig.order(1);
  EXPECT_THAT(rig.heard.payloads, ElementsAre(Raw{0}, Raw{1}));
}

}  // namespace
}  // namespace cy::sim
