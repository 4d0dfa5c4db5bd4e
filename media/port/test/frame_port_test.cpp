#include <cy/port/frame_port.hpp>
#include <cy/port/layout.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace cy::media {
namespace {

constexpr FrameFormat small{64, 48};

class Port : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = testing::TempDir() + "cy-port-XXXXXX";
    ASSERT_NE(::mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    path_ = folder + "/camera";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  static void put(FramePortWriter& writer, std::uint32_t number, Time now) {
    auto const picture = writer.begin();
    std::fill(picture.begin(), picture.end(), static_cast<std::uint8_t>(number));
    writer.publish(number, now - 5ms, now);
  }
  static bool whole(Buffer const& picture) {
    return std::all_of(picture.begin(), picture.end(), [&](auto b) { return b == picture.front(); });
  }

  std::string folder_, path_;
  Buffer picture_;
  Time now_{Duration{1'000'000'000'000}};
};

TEST_F(Port, TheNewestPictureArrivesWithItsTime) {
  auto writer = FramePortWriter::create(path_, small, now_);
  ASSERT_TRUE(writer) << writer.error().what;
  FramePortReader reader{path_};
  EXPECT_FALSE(reader.next(picture_, 0ms, now_));
  EXPECT_EQ(reader.state(), FramePortReader::State::alive);
  put(*writer, 1, now_);
  auto info = reader.next(picture_, 0ms, now_);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->number, 1U);
  EXPECT_EQ(info->captured, now_ - 5ms);
  EXPECT_EQ(info->format, small);
  EXPECT_EQ(picture_.size(), 64U * 48U * 3U / 2U);
  EXPECT_EQ(picture_.front(), 1);
  EXPECT_FALSE(reader.next(picture_, 0ms, now_));
  for (std::uint32_t i = 2; i <= 9; ++i) put(*writer, i, now_);
  info = reader.next(picture_, 0ms, now_);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->number, 9U);
  EXPECT_EQ(info->missed, 7U);
}

TEST_F(Port, APictureThatIsBeingDrawnIsNotSeen) {
  auto writer = FramePortWriter::create(path_, small, now_);
  FramePortReader reader{path_};
  for (std::uint32_t i = 1; i <= 4; ++i) put(*writer, i, now_);
  auto const half = writer->begin();  // reuses the oldest slot
  half[0] = 99;
  auto const info = reader.next(picture_, 0ms, now_);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->number, 4U);
  EXPECT_TRUE(whole(picture_));
}

TEST_F(Port, AQuietWriterIsAliveWhileItBeats) {
  auto writer = FramePortWriter::create(path_, small, now_);
  FramePortReader reader{path_};
  put(*writer, 1, now_);
  ASSERT_TRUE(reader.next(picture_, 0ms, now_));
  writer->beat(now_ + 2s);
  EXPECT_FALSE(reader.next(picture_, 0ms, now_ + 2500ms));
  EXPECT_EQ(reader.state(), FramePortReader::State::alive);
  EXPECT_FALSE(reader.next(picture_, 0ms, now_ + 3100ms));
  EXPECT_EQ(reader.state(), FramePortReader::State::writer_gone);
}

TEST_F(Port, AnOrderlyEndIsToldAtOnceAndLeavesNoFile) {
  FramePortReader reader{path_};
  {
    auto writer = FramePortWriter::create(path_, small, now_);
    put(*writer, 1, now_);
    ASSERT_TRUE(reader.next(picture_, 0ms, now_));
  }
  EXPECT_FALSE(reader.next(picture_, 10s, now_));  // does not wait the ten seconds
  EXPECT_EQ(reader.state(), FramePortReader::State::writer_gone);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(Port, AnOldWritersEndDoesNotRemoveTheNewOnesFile) {
  std::optional<FramePortWriter> older{std::move(*FramePortWriter::create(path_, small, now_))};
  FramePortReader reader{path_};
  put(*older, 1, now_);
  ASSERT_TRUE(reader.next(picture_, 0ms, now_));
  auto newer = FramePortWriter::create(path_, small, now_);
  ASSERT_TRUE(newer);
  older.reset();
  EXPECT_TRUE(std::filesystem::exists(path_));
  put(*newer, 3, now_);
  auto const info = reader.next(picture_, 0ms, now_);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->number, 3U);
}

TEST_F(Port, StrangeFilesAreRefused) {
  FramePortReader reader{path_};
  EXPECT_FALSE(reader.next(picture_, 0ms, now_));
  EXPECT_EQ(reader.state(), FramePortReader::State::no_file);
  std::ofstream(path_) << std::string(10000, 'x');
  EXPECT_FALSE(reader.next(picture_, 0ms, now_));
  EXPECT_EQ(reader.state(), FramePortReader::State::not_a_port);
  auto const writer = FramePortWriter::create(path_, small, now_);
  ASSERT_TRUE(writer);
  std::filesystem::resize_file(path_, 8000);  // cut short
  FramePortReader other{path_};
  EXPECT_FALSE(other.next(picture_, 0ms, now_));
  EXPECT_EQ(other.state(), FramePortReader::State::not_a_port);
}

// Another process writes there: what it changes after the check must lead nobody out of the mapping.
TEST_F(Port, AHeaderThatChangesLaterIsNotBelieved) {
  auto writer = FramePortWriter::create(path_, small, now_);
  FramePortReader reader{path_};
  put(*writer, 1, now_);
  ASSERT_TRUE(reader.next(picture_, 0ms, now_));
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  PortHeader header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  header.width = header.height = header.frame_bytes = header.stride = 0xffff'fff0;
  file.seekp(0);
  file.write(reinterpret_cast<char const*>(&header), sizeof header);
  file.close();
  for (std::uint32_t i = 2; i <= 5; ++i) {
    put(*writer, i, now_);
    auto const info = reader.next(picture_, 0ms, now_);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->format, small);
    EXPECT_EQ(picture_.size(), i420_bytes(64, 48));
    EXPECT_TRUE(whole(picture_));
  }
}

TEST_F(Port, FaultsSayWhatToDo) {
  EXPECT_THAT(FramePortWriter::create(path_, {63, 48}, now_).error().what, testing::HasSubstr("even"));
  EXPECT_THAT(FramePortWriter::create(folder_ + "/none/camera", small, now_).error().what,
              testing::HasSubstr("choose a folder"));
}

// A writer in a process of its own, killed in the middle, and one that takes its place with
// another size: the reader gets whole pictures only, and moves over by itself.
TEST_F(Port, AWriterIsKilledAndReplaced) {
  auto const start_writer = [&](FrameFormat format, std::uint32_t first) {
    auto const child = ::fork();
    if (child != 0) return child;
    auto writer = FramePortWriter::create(path_, format, now_);
    if (!writer) ::_exit(1);
    for (std::uint32_t i = first;; ++i) {
      put(*writer, i, now_);
      ::usleep(500);
    }
  };
  FramePortReader reader{path_};
  // The waits below end with the first frame; the bound is only there to let a failure end.
  auto const read = [&](int frames, FrameFormat format) {
    std::uint32_t last = 0;
    int got = 0;
    for (int tries = 0; got < frames && tries < 20000; ++tries) {
      auto const info = reader.next(picture_, 20ms, now_);
      if (!info) {
        if (reader.state() == FramePortReader::State::no_file) ::usleep(1000);
        continue;
      }
      EXPECT_TRUE(whole(picture_));
      EXPECT_EQ(picture_.front(), static_cast<std::uint8_t>(info->number));
      if (!(info->format == format)) continue;
      EXPECT_GT(info->number, last);
      last = info->number;
      ++got;
    }
    EXPECT_EQ(got, frames);
  };
  auto const first = start_writer(small, 1);
  ASSERT_GT(first, 0);
  read(50, small);
  ::kill(first, SIGKILL);
  ::waitpid(first, nullptr, 0);
  while (reader.next(picture_, 0ms, now_)) {
  }
  EXPECT_FALSE(reader.next(picture_, 0ms, now_ + 2s));
  EXPECT_EQ(reader.state(), FramePortReader::State::writer_gone);

  constexpr FrameFormat larger{320, 240};
  auto const second = start_writer(larger, 1);
  ASSERT_GT(second, 0);
  read(50, larger);
  ::kill(second, SIGKILL);
  ::waitpid(second, nullptr, 0);
}

}  // namespace
}  // namespace cy::media
