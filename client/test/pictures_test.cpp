// Blocks of video that become pictures, and what a lost one asks for.
#include "world.hpp"

namespace cy::client {
namespace {

Buffer frame_of(std::uint32_t number) {
  Buffer data(4000);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * number);
  return data;
}

TEST(Core, VideoBlocksBecomePictures) {
  World w;
  w.core->subscribe(media::StreamId{3}, true, w.now);
  ASSERT_TRUE(w.run_until([&] { return w.up(); }, 2s));
  w.run(300ms);
  media::StreamInfo info;
  info.stream = media::StreamId{3};
  info.codec_string = "avc1.42C01F";
  w.link()->post(info);
  for (auto n = 1u; n <= 10; ++n) {
    for (auto const& block : media::cut({media::StreamId{3}, n, stamp_us(w.now), n == 1}, frame_of(n),
                                        media::default_block_bytes))
      w.link()->post(block);
    // Of a stream that nobody asked for.
    for (auto const& block : media::cut({media::StreamId{8}, n, stamp_us(w.now), true}, frame_of(n), 1000))
      w.link()->post(block);
    w.post();
    w.run(33ms);
  }
  w.run(100ms);
  auto const pictures = w.got<media::Picture>();
  ASSERT_EQ(pictures.size(), 10u);
  for (auto n = 1u; n <= 10; ++n) {
    auto const& p = pictures[n - 1];
    EXPECT_EQ(p.stream, media::StreamId{3});
    EXPECT_EQ(p.number, n);
    EXPECT_TRUE(p.clean);
    EXPECT_EQ(p.data, frame_of(n));
    EXPECT_EQ(p.codec_string, "avc1.42C01F");
    EXPECT_NEAR(p.age_us, 20'000, 1'000);
  }
  EXPECT_FALSE(w.told<media::ReceiverReport>().empty());
  EXPECT_TRUE(w.told<media::KeyframeWanted>().empty());
}

TEST(Core, ALossAsksForAKeyframeAndCleanPicturesComeBack) {
  World w;
  w.core->subscribe(media::StreamId{3}, true, w.now);
  ASSERT_TRUE(w.run_until([&] { return w.up(); }, 2s));
  w.run(300ms);
  auto key_at = 0u;
  for (auto n = 1u; n <= 40; ++n) {
    auto const wanted = w.told<media::KeyframeWanted>().size();
    auto const key = n == 1 || (key_at == 0 && wanted > 0);
    if (key && n > 1) key_at = n;
    auto const blocks = media::cut({media::StreamId{3}, n, stamp_us(w.now), key}, frame_of(n), 1000);
    for (std::size_t i = 0; i < blocks.size(); ++i)
      if (n != 10 || i != 2) w.link()->post(blocks[i]);
    w.run(33ms);
  }
  w.run(600ms);
  ASSERT_GT(key_at, 10u);
  EXPECT_EQ(w.told<media::KeyframeWanted>().front().newest_good, 9u);
  for (auto const& p : w.got<media::Picture>()) {
    EXPECT_NE(p.number, 10u);
    EXPECT_EQ(p.clean, p.number < 10 || p.number >= key_at) << p.number;
  }
  EXPECT_EQ(w.got<media::Picture>().back().number, 40u);
}

}  // namespace
}  // namespace cy::client
