#include <cy/station/messages.hpp>

#include <gtest/gtest.h>

namespace cy::station {
namespace {

// Two pages of one project's history must read each other: types and bytes are for ever.
TEST(StationMessages, GoldenBytes) {
  PageDrive drive;
  drive.robot = RobotId{1};
  drive.twist = {0.5, -1.0};
  drive.age_ms = 2.0F;
  drive.echo_us = 3;
  drive.picture = 4;
  drive.picture_stamp = 5;
  drive.number = 6;
  Buffer const golden{0x01, 0x30, 39, 1, 0,    16, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f, 0, 0, 0, 0, 0, 0, 0xf0,
                      0xbf, 0,    0,  0, 0x40, 3,  0, 0, 0, 4, 0, 0, 0,    5,    0, 0, 0, 6, 0, 0, 0};
  EXPECT_EQ(wire::encoded(drive), golden);
}

TEST(StationMessages, APageOfTodayHearsAnOlderStation) {
  // A pong that ends after its stamp leaves the rest unknown.
  auto const pong = wire::decode<PagePong>(Buffer{0, 0, 0, 0, 0, 0, 0, 0x40});
  ASSERT_TRUE(pong);
  EXPECT_EQ(pong->stamp, 2.0);
  EXPECT_EQ(pong->echo_us, 0U);
}

}  // namespace
}  // namespace cy::station
