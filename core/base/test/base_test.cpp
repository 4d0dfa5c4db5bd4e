#include <cy/base/bytes.hpp>
#include <cy/base/check.hpp>
#include <cy/base/endpoint.hpp>
#include <cy/base/geometry.hpp>
#include <cy/base/id.hpp>
#include <cy/base/random.hpp>
#include <cy/base/text.hpp>
#include <cy/base/time.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace cy {
namespace {

TEST(Stamp, DifferenceSurvivesTheWrap) {
  auto const before = Time{} + std::chrono::microseconds(0xffff'fff0LL);
  auto const after = before + 100us;
  EXPECT_EQ(since_stamp(after, stamp_us(before)), 100us);
  EXPECT_EQ(since_stamp(before, stamp_us(after)), -100us);
}

TEST(Seconds, BecomeTheNearestDurationWhateverTheyAre) {
  EXPECT_EQ(from_seconds(0.1), 100ms);
  EXPECT_EQ(from_seconds(0.0000000019), 2ns);
  EXPECT_EQ(from_seconds(-0.0000000019), -2ns);
  EXPECT_EQ(from_seconds(std::nan("")), 0ns);
  EXPECT_EQ(from_seconds(1e300), Duration::max());
  EXPECT_EQ(from_seconds(-1e300), Duration::min());
}

TEST(Endpoint, TextAndBack) {
  for (auto const* text : {"127.0.0.1:4747", "[::1]:9", "10.1.2.3:65535"})
    EXPECT_EQ(to_string(*parse_endpoint(text)), text);
  EXPECT_EQ(parse_endpoint("10.0.0.1", 4747)->port, 4747);
  EXPECT_EQ(parse_endpoint("::1", 4747)->port, 4747);
}

TEST(Endpoint, BadTextSaysWhatIsWrong) {
  for (auto const* text :
       {"", "robot:1", "1.2.3.4:", "1.2.3.4:99999", "[::1", "[::1]x", "1.2.3:5", "[::1]:"}) {
    auto const r = parse_endpoint(text);
    ASSERT_FALSE(r) << text;
    EXPECT_NE(r.error().what.find(text), std::string::npos);
  }
}

TEST(Endpoint, LoopbackIsKnown) {
  EXPECT_TRUE(is_loopback(*parse_endpoint("127.3.2.1:1")));
  EXPECT_TRUE(is_loopback(*parse_endpoint("[::1]:1")));
  EXPECT_FALSE(is_loopback(*parse_endpoint("10.0.0.1:1")));
  EXPECT_FALSE(is_loopback(*parse_endpoint("[::]:1")));
}

TEST(Geometry, AnglesAreNormalised) {
  EXPECT_DOUBLE_EQ(normalised(3.0 * pi), pi);
  EXPECT_DOUBLE_EQ(normalised(-pi), pi);
  EXPECT_NEAR(normalised(-7.0), -7.0 + 2.0 * pi, 1e-12);
}

TEST(Geometry, ComposeIsUndoneByToLocal) {
  auto const pose = Pose2{1.0, -2.0, 0.7};
  auto const p = pose.to_local(pose.to_outer({0.3, 0.4}));
  EXPECT_NEAR(p.x, 0.3, 1e-12);
  EXPECT_NEAR(p.y, 0.4, 1e-12);
}

TEST(Geometry, AdvanceFollowsTheArc) {
  auto const quarter = advance({}, {1.0, pi / 2.0}, 1.0);
  EXPECT_NEAR(quarter.x, 2.0 / pi, 1e-12);
  EXPECT_NEAR(quarter.y, 2.0 / pi, 1e-12);
  EXPECT_NEAR(quarter.yaw, pi / 2.0, 1e-12);
  EXPECT_NEAR(advance({}, {1.0, 0.0}, 2.0).x, 2.0, 1e-12);
}

TEST(Random, SameSeedSameNumbers) {
  Random a{Seed{7}}, b{Seed{7}}, c{Seed{8}};
  auto const first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
}

TEST(Random, MomentsAreRight) {
  Random r{Seed{1}};
  auto sum = 0.0, squares = 0.0;
  for (auto i = 0; i < 100'000; ++i) {
    auto const x = r.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 1e5, 0.0, 0.02);
  EXPECT_NEAR(squares / 1e5, 1.0, 0.03);
}

TEST(CheckDeathTest, TheLastActRunsFirst) {
  EXPECT_DEATH(
      {
        set_last_act(
            [](std::string_view what) noexcept { std::fprintf(stderr, "stopping: %s\n", what.data()); });
        CY_CHECK(1 + 1 == 3);
      },
      "stopping: 1 \\+ 1 == 3.*broken invariant");
}

TEST(Text, IsCutBetweenCharacters) {
  static_assert(clipped("short", 8) == "short");
  EXPECT_EQ(clipped("stop", 2), "st");
  EXPECT_EQ(clipped("a\u00e9b", 2), "a");  // é has two bytes
  EXPECT_EQ(clipped("a\u00e9b", 3), "a\u00e9");
  EXPECT_EQ(clipped("\u673a\u5668", 5), "\u673a");
  EXPECT_EQ(clipped("\x80\x80\x80", 2), "");  // no character at all
}

}  // namespace
}  // namespace cy
