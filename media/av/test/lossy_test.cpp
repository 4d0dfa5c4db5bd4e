// The whole way of a picture without a network: encoder, blocks, a lossy path, pool, decoder. What
// the pool calls clean decodes to exactly what the sender sees.
#include <cy/av/capture.hpp>
#include <cy/av/encoder.hpp>
#include <cy/base/random.hpp>
#include <cy/media/keyframe_budget.hpp>
#include <cy/media/pool.hpp>

#include <gtest/gtest.h>

#include "ffmpeg.hpp"
#include <map>

namespace cy::media {
namespace {

FramePtr noise(Random& random, int n) {
  auto frame = new_frame();
  frame->width = 160;
  frame->height = 120;
  frame->format = AV_PIX_FMT_YUV420P;
  av_frame_get_buffer(frame.get(), 0);
  for (auto plane = 0; plane < 3; ++plane)
    for (auto y = 0; y < (plane == 0 ? 120 : 60); ++y)
      for (auto x = 0; x < (plane == 0 ? 160 : 80); ++x)
        frame->data[plane][y * frame->linesize[plane] + x] =
            static_cast<std::uint8_t>(x + 3 * n + y + static_cast<int>(random.below(24)));
  return frame;
}

TEST(LossyPath, WhatThePoolCallsCleanDecodesExactly) {
  Random random{Seed{11}};
  auto encoder = Encoder::open({.codec = "h264", .width = 160, .height = 120, .bitrate = 800'000});
  ASSERT_TRUE(encoder) << encoder.error().what;
  auto sender = Decoder::open("h264"), receiver = Decoder::open("h264");
  Pool pool(StreamId{1});
  KeyframeBudget budget({.gap = 100ms, .burst = 30.0});
  std::map<std::uint32_t, FramePtr> truth;
  std::vector<PoolEffect> effects;
  auto clean = 0, unclean = 0, keys = 0;

  for (std::uint32_t n = 0; n < 300; ++n) {
    auto const at = Time{} + 1h + n * 33ms;
    pool.on_time(at);
    std::vector<CodedPicture> coded;
    ASSERT_TRUE(encoder->encode({noise(random, static_cast<int>(n)), at}, budget.take(at), coded));
    ASSERT_EQ(coded.size(), 1u);
    if (coded[0].key) {
      budget.on_keyframe(n, at);
      ++keys;
    }
    truth[n] = std::move(*sender->decode(coded[0].data));
    for (auto const& block : cut({StreamId{1}, n, stamp_us(at), coded[0].key}, coded[0].data, 500))
      if (!random.chance(0.02)) pool.on_block(block, at + 5ms);

    effects.clear();
    pool.drain(effects);
    for (auto const& effect : effects) {
      if (auto const* const wanted = std::get_if<Wanted>(&effect)) budget.on_wanted(wanted->message, at);
      auto const* const shown = std::get_if<Shown>(&effect);
      if (shown == nullptr) continue;
      auto const picture = receiver->decode(shown->data);
      if (!shown->clean) {
        ++unclean;
        continue;
      }
      ++clean;
      ASSERT_TRUE(picture && *picture) << shown->number;
      EXPECT_EQ(luma_psnr(**picture, *truth[shown->number]), 100.0) << shown->number;
    }
  }
  EXPECT_GT(clean, 100);
  EXPECT_GT(unclean, 5) << "the path lost nothing that mattered";
  EXPECT_GT(keys, 5);
}

}  // namespace
}  // namespace cy::media
