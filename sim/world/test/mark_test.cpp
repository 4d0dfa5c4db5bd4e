#include <cy/base/random.hpp>
#include <cy/world/mark.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace cy::sim {
namespace {

constexpr Mark sample{0xdeadbeef, 0x0001'2345'6789'abcdULL};

Buffer picture(std::uint32_t width, std::uint32_t height, Mark mark = sample) {
  Buffer out(static_cast<std::size_t>(width) * height * 3 / 2, 90);
  draw_mark(out, width, height, mark);
  return out;
}

TEST(Mark, ReturnsWhatWasDrawn) {
  Random random{Seed{1}};
  for (auto const width : {320U, 640U, 646U, 1280U, 1920U})
    for (int i = 0; i < 20; ++i) {
      Mark const mark{static_cast<std::uint32_t>(random.next()), random.next()};
      EXPECT_EQ(read_mark(picture(width, 480, mark), width, 480, width), mark) << width;
    }
}

TEST(Mark, SurvivesNoise) {
  Random random{Seed{2}};
  for (int i = 0; i < 50; ++i) {
    auto p = picture(640, 480);
    for (auto& b : p) b = static_cast<std::uint8_t>(std::clamp(b + random.uniform(-20.0, 20.0), 0.0, 255.0));
    EXPECT_EQ(read_mark(p, 640, 480, 640), sample);
  }
}

TEST(Mark, SurvivesScalingAndBlur) {
  auto const p = picture(640, 480);
  for (auto const width : {400U, 517U, 900U, 1600U}) {
    auto const height = width * 3 / 4;
    Buffer scaled(static_cast<std::size_t>(width) * height);
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x) {
        // A box of three source pixels, as a smooth scaler would take.
        auto const sx = x * 640 / width, sy = y * 480 / height;
        std::uint32_t sum = 0, n = 0;
        for (auto v = sy == 0 ? 0 : sy - 1; v <= std::min(479U, sy + 1); ++v)
          for (auto u = sx == 0 ? 0 : sx - 1; u <= std::min(639U, sx + 1); ++u, ++n) sum += p[v * 640 + u];
        scaled[static_cast<std::size_t>(y) * width + x] = static_cast<std::uint8_t>(sum / n);
      }
    EXPECT_EQ(read_mark(scaled, width, height, width), sample) << width;
  }
}

TEST(Mark, AWrongBitOrNoMarkIsNothing) {
  auto p = picture(640, 480);
  for (std::uint32_t y = 8; y < 16; ++y)
    for (std::uint32_t x = 8 * 30; x < 8 * 31; ++x)
      p[y * 640 + x] = static_cast<std::uint8_t>(251 - p[y * 640 + x]);
  EXPECT_EQ(read_mark(p, 640, 480, 640), std::nullopt);
  Buffer const grey(640 * 480, 128);
  EXPECT_EQ(read_mark(grey, 640, 480, 640), std::nullopt);
  EXPECT_EQ(read_mark(Bytes{grey}.first(100), 640, 480, 640), std::nullopt);
  EXPECT_EQ(read_mark({}, 0, 0, 0), std::nullopt);
}

}  // namespace
}  // namespace cy::sim
