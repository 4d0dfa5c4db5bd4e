#include <cy/media/frame_gate.hpp>

#include <gtest/gtest.h>

namespace cy::media {
namespace {

int passed(double gate_fps, Duration interval, int pictures, Duration jitter = 0ms) {
  FrameGate gate(gate_fps);
  auto count = 0;
  for (auto n = 0; n < pictures; ++n)
    count += gate.pass(Time{} + 1h + n * interval + (n % 2) * jitter) ? 1 : 0;
  return count;
}

TEST(FrameGate, ASourceAtTheWishedRatePassesWhole) {
  EXPECT_EQ(passed(30.0, 33ms, 300), 300);
  EXPECT_EQ(passed(30.0, 34ms, 300), 300);
  EXPECT_EQ(passed(30.0, 33'333us, 300, 6ms), 300);
  EXPECT_EQ(passed(30.0, 100ms, 100), 100);
}

TEST(FrameGate, AFasterSourceIsThinnedToTheMeanRate) {
  EXPECT_NEAR(passed(10.0, 33'333us, 300), 100, 2);
  EXPECT_NEAR(passed(20.0, 33'333us, 300), 200, 4);
  EXPECT_NEAR(passed(25.0, 33'333us, 300), 250, 5);
  EXPECT_NEAR(passed(30.0, 16'667us, 600), 300, 3);
}

TEST(FrameGate, ALatePictureCostsNoOther) {
  FrameGate gate(30.0);
  for (auto n = 0; n < 60; ++n) {
    auto const late = n % 10 == 5 ? 40ms : n % 10 == 6 ? 10ms : 0ms;
    EXPECT_TRUE(gate.pass(Time{} + 1h + n * 33'333us + late)) << n;
  }
}

TEST(FrameGate, APauseIsNotMadeUpFor) {
  FrameGate gate(10.0);
  EXPECT_TRUE(gate.pass(Time{} + 1s));
  EXPECT_TRUE(gate.pass(Time{} + 11s));
  EXPECT_FALSE(gate.pass(Time{} + 11s + 33ms));
  EXPECT_FALSE(gate.pass(Time{} + 11s + 66ms));
  EXPECT_TRUE(gate.pass(Time{} + 11s + 100ms));
}

}  // namespace
}  // namespace cy::media
