// Real encoders, real decoders: what comes back looks like what went in.
#include <cy/av/capture.hpp>
#include <cy/av/encoder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ffmpeg.hpp"
#include <algorithm>

namespace cy::media {
namespace {

// x264's own report after each run is of no interest here.
auto const quiet = [] {
  route_log([](LogLevel, std::string_view) {});
  return 0;
}();

// A moving picture without a source: a gradient with a bright square that wanders.
FramePtr picture(int n, int width = 320, int height = 240) {
  auto frame = new_frame();
  frame->width = width;
  frame->height = height;
  frame->format = AV_PIX_FMT_YUV420P;
  av_frame_get_buffer(frame.get(), 0);
  for (auto y = 0; y < height; ++y)
    for (auto x = 0; x < width; ++x) {
      auto const in = std::abs(x - 40 - 5 * n) < 20 && std::abs(y - height / 2) < 20;
      frame->data[0][y * frame->linesize[0] + x] =
          static_cast<std::uint8_t>(in ? 230 : 40 + (x + y) * 120 / (width + height));
    }
  for (auto plane = 1; plane < 3; ++plane)
    for (auto y = 0; y < height / 2; ++y)
      for (auto x = 0; x < width / 2; ++x)
        frame->data[plane][y * frame->linesize[plane] + x] = static_cast<std::uint8_t>(plane * 50 + x / 4);
  return frame;
}

Time at(int n) {
  return Time{} + 1h + n * 33ms;
}

EncoderOptions small(std::string codec, std::string encoder = {}) {
  EncoderOptions options;
  options.codec = std::move(codec);
  options.encoder = std::move(encoder);
  options.width = 320;
  options.height = 240;
  options.bitrate = 1'000'000;
  return options;
}

class EveryCodec : public testing::TestWithParam<std::string> {};

TEST_P(EveryCodec, EachPictureComesBackAtOnceWithItsTime) {
  auto encoder = Encoder::open(small(GetParam()));
  ASSERT_TRUE(encoder) << encoder.error().what;
  auto decoder = Decoder::open(GetParam());
  ASSERT_TRUE(decoder) << decoder.error().what;
  for (auto n = 0; n < 30; ++n) {
    auto const original = picture(n);
    std::vector<CodedPicture> coded;
    auto const done = encoder->encode({FramePtr(av_frame_clone(original.get())), at(n)}, false, coded);
    ASSERT_TRUE(done) << done.error().what;
    ASSERT_EQ(coded.size(), 1u) << "picture " << n << " was held back";
    EXPECT_EQ(coded[0].captured, at(n));
    EXPECT_EQ(coded[0].key, n == 0 || GetParam() == "mjpeg") << n;
    auto const decoded = decoder->decode(coded[0].data);
    ASSERT_TRUE(decoded) << decoded.error().what;
    ASSERT_TRUE(*decoded);
    if (GetParam() == "mjpeg") continue;  // full range: its luma is another scale (tested below)
    EXPECT_GT(luma_psnr(*original, **decoded), 32.0) << n;
  }
}
INSTANTIATE_TEST_SUITE_P(Codecs, EveryCodec, testing::Values("h264", "mjpeg", "mpeg4", "vp8"));

// What docs/howto/codec.md says of encoders on graphics hardware.
TEST(Encoder, OneThatNeedsPicturesInADeviceIsRefusedAtTheStart) {
  auto const all = encoders_for("h264");
  if (std::find(all.begin(), all.end(), "h264_vaapi") == all.end()) GTEST_SKIP() << "not built into FFmpeg";
  auto const refused = Encoder::open(small("h264", "h264_vaapi"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("device's memory (vaapi)"), std::string::npos) << refused.error().what;
}

TEST(Encoder, AnotherOneOfTheSameFormatCanBeChosen) {
  auto const all = encoders_for("mpeg4");
  if (std::find(all.begin(), all.end(), "libxvid") == all.end()) GTEST_SKIP() << "not built into FFmpeg";
  auto encoder = Encoder::open(small("mpeg4", "libxvid"));
  ASSERT_TRUE(encoder) << encoder.error().what;
  auto decoder = Decoder::open("mpeg4");
  for (auto n = 0; n < 10; ++n) {
    std::vector<CodedPicture> coded;
    ASSERT_TRUE(encoder->encode({picture(n), at(n)}, false, coded));
    ASSERT_EQ(coded.size(), 1u) << n;
    auto const decoded = decoder->decode(coded[0].data);
    ASSERT_TRUE(decoded && *decoded) << n;
  }
}

TEST(H264, AKeyframeOnDemandIsOneToBeginWith) {
  auto encoder = Encoder::open(small("h264"));
  ASSERT_TRUE(encoder) << encoder.error().what;
  EXPECT_EQ(encoder->options().encoder, "libx264");
  for (auto n = 0; n < 100; ++n) {
    std::vector<CodedPicture> coded;
    ASSERT_TRUE(encoder->encode({picture(n), at(n)}, n == 50, coded));
    ASSERT_EQ(coded.size(), 1u);
    EXPECT_EQ(coded[0].key, n == 0 || n == 50) << n;
    if (n != 50) continue;
    EXPECT_EQ(codec_string("h264", coded[0].data).substr(0, 9), "avc1.42C0");
    auto joiner = Decoder::open("h264");
    auto const first = joiner->decode(coded[0].data);
    ASSERT_TRUE(first && *first);
    EXPECT_GT(luma_psnr(*picture(50), **first), 30.0);
  }
}

TEST(H264, ANewSceneBringsNoKeyframeOfItsOwn) {
  auto encoder = Encoder::open(small("h264"));
  for (auto n = 0; n < 20; ++n) {
    auto frame = picture(n);
    if (n % 5 == 0)  // everything changes
      for (auto y = 0; y < 240; ++y)
        for (auto x = 0; x < 320; ++x)
          frame->data[0][y * frame->linesize[0] + x] = static_cast<std::uint8_t>(x * 7 + y * n);
    std::vector<CodedPicture> coded;
    ASSERT_TRUE(encoder->encode({std::move(frame), at(n)}, false, coded));
    EXPECT_EQ(coded.at(0).key, n == 0) << n;
  }
}

TEST(H264, TheBitrateChangesWithoutAKeyframe) {
  auto encoder = Encoder::open(small("h264"));
  auto bytes = [&](int from, int to) {
    std::size_t total = 0;
    for (auto n = from; n < to; ++n) {
      auto frame = picture(n);
      for (auto i = 0; i < 4000; ++i)  // noise, so that there is something to spend bits on
        frame->data[0][(i * 37 + n * 101) % (frame->linesize[0] * 240)] ^= static_cast<std::uint8_t>(i * n);
      std::vector<CodedPicture> coded;
      EXPECT_TRUE(encoder->encode({std::move(frame), at(n)}, false, coded));
      EXPECT_EQ(coded.at(0).key, n == 0);
      if (n > from + 15) total += coded.at(0).data.size();
    }
    return total;
  };
  auto const high = bytes(0, 60);
  ASSERT_TRUE(encoder->set_bitrate(250'000));
  auto const low = bytes(60, 120);
  EXPECT_LT(low * 2, high);
}

TEST(Mjpeg, EachPictureIsAWholeJpegOfFullRange) {
  auto encoder = Encoder::open(small("mjpeg"));
  ASSERT_TRUE(encoder) << encoder.error().what;
  std::vector<CodedPicture> coded;
  ASSERT_TRUE(encoder->encode({picture(3), at(3)}, false, coded));
  auto const& data = coded.at(0).data;
  EXPECT_EQ(data[0], 0xff);
  EXPECT_EQ(data[1], 0xd8);
  EXPECT_EQ(data[data.size() - 2], 0xff);
  EXPECT_EQ(data[data.size() - 1], 0xd9);
  EXPECT_EQ(codec_string("mjpeg", data), "mjpeg");
  auto decoder = Decoder::open("mjpeg");
  auto const decoded = decoder->decode(data);
  ASSERT_TRUE(decoded && *decoded);
  // Luma 230 of 16…235 is 249 of 0…255 (ITU-T T.871).
  auto const& f = **decoded;
  EXPECT_NEAR(f.data[0][120 * f.linesize[0] + 55], 249, 3);
}

TEST(Encoder, ConvertsSizeAndFormat) {
  auto encoder = Encoder::open(small("h264"));
  auto frame = new_frame();
  frame->width = 640;
  frame->height = 480;
  frame->format = AV_PIX_FMT_YUYV422;  // what webcams give
  av_frame_get_buffer(frame.get(), 0);
  for (auto y = 0; y < 480; ++y)
    for (auto x = 0; x < 1280; ++x) frame->data[0][y * frame->linesize[0] + x] = x % 2 == 0 ? 100 : 128;
  std::vector<CodedPicture> coded;
  auto const done = encoder->encode({std::move(frame), at(0)}, false, coded);
  ASSERT_TRUE(done) << done.error().what;
  auto decoder = Decoder::open("h264");
  auto const decoded = decoder->decode(coded.at(0).data);
  ASSERT_TRUE(decoded && *decoded);
  EXPECT_EQ(width_of(**decoded), 320);
  EXPECT_NEAR((*decoded)->data[0][50 * (*decoded)->linesize[0] + 50], 100, 3);
}

TEST(Encoder, FaultsSayWhatToChooseFrom) {
  using testing::HasSubstr;
  EXPECT_THAT(Encoder::open(small("h266x")).error().what, HasSubstr("no encoder for codec \"h266x\""));
  auto const wrong = Encoder::open(small("h264", "mjpeg"));
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().what, HasSubstr("choose one of libx264"));
  auto odd = small("h264");
  odd.width = 321;
  EXPECT_THAT(Encoder::open(odd).error().what, HasSubstr("even"));
  auto still = small("h264");
  still.fps = 0.0;
  EXPECT_FALSE(Encoder::open(still));
}

TEST(Encoder, TheFirstChoiceIsOneThatIsTunedForDelay) {
  EXPECT_EQ(encoders_for("h264").front(), "libx264");
  EXPECT_EQ(encoders_for("mjpeg").front(), "mjpeg");
  EXPECT_TRUE(encoders_for("nothing").empty());
}

TEST(Decoder, GarbageIsAFaultOrNothing) {
  auto decoder = Decoder::open("h264");
  Buffer garbage(500, 0x5a);
  auto const decoded = decoder->decode(garbage);
  EXPECT_TRUE(!decoded || !*decoded);
  EXPECT_FALSE(Decoder::open("nothing"));
}

}  // namespace
}  // namespace cy::media
