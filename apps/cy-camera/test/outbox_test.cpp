#include "outbox.hpp"

#include <gtest/gtest.h>

namespace cy::camera {
namespace {

media::CodedFrame frame(std::uint32_t number, bool key) {
  media::CodedFrame f;
  f.number = number;
  f.key = key;
  f.data = Buffer(100, static_cast<std::uint8_t>(number));
  return f;
}

// Everything that waits, as a peer would read it.
std::vector<std::uint32_t> numbers(Outbox& outbox) {
  Buffer stream;
  for (;;) {
    auto const bytes = outbox.front();
    if (bytes.empty()) break;
    auto const some = std::min<std::size_t>(bytes.size(), 7);
    stream.insert(stream.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(some));
    outbox.written(some);
  }
  std::vector<std::uint32_t> all;
  for (std::size_t at = 0; at + 4 <= stream.size();) {
    auto const length = load_le<std::uint32_t>(stream.data() + at);
    wire::Walk walk(Bytes(stream).subspan(at + 4, length));
    while (auto const raw = walk.next())
      if (auto const f = wire::as<media::CodedFrame>(*raw)) all.push_back(f->number);
    at += 4 + length;
  }
  return all;
}

TEST(Outbox, FramesGoInOrderWhateverTheWritesTake) {
  Outbox outbox;
  outbox.put(media::StreamInfo{});
  EXPECT_TRUE(outbox.put(frame(1, true)));
  EXPECT_TRUE(outbox.put(frame(2, false)));
  EXPECT_EQ(numbers(outbox), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(outbox.dropped(), 0u);
}

TEST(Outbox, AThirdFrameDropsWhatWaitsAndAsksForAKeyframe) {
  Outbox outbox;
  outbox.put(frame(1, true));
  outbox.front();
  outbox.written(5);  // frame 1 is on its way and must be finished
  outbox.put(frame(2, false));
  outbox.put(frame(3, false));
  EXPECT_FALSE(outbox.put(frame(4, false)));
  EXPECT_FALSE(outbox.put(frame(5, false)));
  EXPECT_EQ(outbox.dropped(), 4u);
  EXPECT_TRUE(outbox.put(frame(6, true)));
  EXPECT_TRUE(outbox.put(frame(7, false)));
  EXPECT_LE(outbox.frames(), Outbox::most_frames);
  outbox.written(outbox.front().size());
  EXPECT_EQ(numbers(outbox), (std::vector<std::uint32_t>{6, 7}));
}

TEST(Outbox, OfSinglePicturesTheNewestStays) {
  Outbox outbox;
  for (std::uint32_t n = 1; n <= 9; ++n) EXPECT_TRUE(outbox.put(frame(n, true)));
  auto const left = numbers(outbox);
  EXPECT_EQ(left.back(), 9u);
  EXPECT_EQ(left.size() + outbox.dropped(), 9u);
}

TEST(Outbox, ANewConnectionBeginsWithAKeyframe) {
  Outbox outbox;
  outbox.put(frame(1, true));
  outbox.front();
  outbox.written(5);
  outbox.clear();
  EXPECT_TRUE(outbox.front().empty());
  EXPECT_FALSE(outbox.put(frame(2, false)));
  EXPECT_TRUE(outbox.put(frame(3, true)));
}

}  // namespace
}  // namespace cy::camera
