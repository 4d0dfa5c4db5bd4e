#include <cy/av/capture.hpp>
#include <cy/av/encoder.hpp>
#include <cy/port/frame_port.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ffmpeg.hpp"
#include <filesystem>
#include <fstream>

namespace cy::media {
namespace {

namespace fs = std::filesystem;

class CaptureTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("cy_capture_" + std::to_string(::getpid()) + "_" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Capture make(std::string source) {
    CaptureOptions options;
    options.source = std::move(source);
    options.width = 160;
    options.height = 120;
    options.retry_first = 20ms;
    options.retry_most = 50ms;
    auto capture = Capture::make(options);
    EXPECT_TRUE(capture) << capture.error().what;
    return std::move(*capture);
  }
  // Bare M-JPEG, which FFmpeg reads as a film of 25 Hz.
  void write_film(fs::path const& path, int pictures) {
    EncoderOptions options;
    options.codec = "mjpeg";
    options.width = 160;
    options.height = 120;
    auto encoder = Encoder::open(options);
    ASSERT_TRUE(encoder);
    std::ofstream file(path, std::ios::binary);
    auto test = make("test:");
    std::vector<CodedPicture> coded;
    while (static_cast<int>(coded.size()) < pictures) {
      auto const picture = test.next(100ms);
      if (!picture) continue;
      ASSERT_TRUE(encoder->encode(*picture, false, coded));
    }
    for (auto const& c : coded)
      file.write(reinterpret_cast<char const*>(c.data.data()), static_cast<std::streamsize>(c.data.size()));
  }
  static std::optional<Captured> wait_for_picture(Capture& capture, Duration within = 2s) {
    auto const until = now() + within;
    while (now() < until)
      if (auto picture = capture.next(50ms)) return picture;
    return std::nullopt;
  }

  fs::path folder_;
};

TEST_F(CaptureTest, TheTestPictureComesInRealTime) {
  auto capture = make("test:");
  ASSERT_TRUE(wait_for_picture(capture));
  auto const begin = now();
  auto count = 0;
  while (now() < begin + 500ms) {
    auto const picture = capture.next(100ms);
    if (!picture) continue;
    ++count;
    EXPECT_EQ(width_of(*picture->frame), 160);
    EXPECT_LT(now() - picture->at, 50ms);
    EXPECT_GE(now(), picture->at);
  }
  EXPECT_GE(count, 10);
  EXPECT_LE(count, 17);
  EXPECT_TRUE(capture.status().running);
  EXPECT_EQ(capture.kind(), CaptureKind::test);
}

TEST_F(CaptureTest, AFilmBeginsAgainAndAgain) {
  write_film(folder_ / "film.mjpeg", 4);
  auto capture = make("file:" + (folder_ / "film.mjpeg").string());
  for (auto n = 0; n < 10; ++n) {
    ASSERT_TRUE(wait_for_picture(capture)) << capture.status().trouble;
    EXPECT_TRUE(capture.status().running);
  }
  EXPECT_GE(capture.status().opened, 3u);
}

TEST_F(CaptureTest, AFilmThatVanishesAndReturnsIsFollowed) {
  auto const path = folder_ / "film.mjpeg";
  auto capture = make("file:" + path.string());
  EXPECT_FALSE(wait_for_picture(capture, 100ms));
  EXPECT_THAT(capture.status().trouble, testing::HasSubstr("no file"));
  write_film(path, 3);
  ASSERT_TRUE(wait_for_picture(capture));
  EXPECT_TRUE(capture.status().trouble.empty());
  fs::remove(path);
  auto const until = now() + 2s;
  while (capture.status().running && now() < until) capture.next(50ms);
  EXPECT_FALSE(capture.status().running);
  EXPECT_THAT(capture.status().trouble, testing::HasSubstr("no file"));
  write_film(path, 3);
  EXPECT_TRUE(wait_for_picture(capture));
  EXPECT_TRUE(capture.status().running);
}

TEST_F(CaptureTest, WhatIsNoFilmIsSaidAndTriedAgain) {
  auto const path = folder_ / "film.avi";
  std::ofstream(path) << "this is no film at all";
  auto capture = make("file:" + path.string());
  EXPECT_FALSE(wait_for_picture(capture, 100ms));
  EXPECT_THAT(capture.status().trouble, testing::HasSubstr("film.avi"));
  auto folder = make("file:" + folder_.string());
  EXPECT_FALSE(wait_for_picture(folder, 50ms));
  EXPECT_THAT(folder.status().trouble, testing::HasSubstr("no regular file"));
}

TEST_F(CaptureTest, TheFootageOfTheOpencvDocumentationPlays) {
  auto const* const path = "/usr/share/doc/opencv-doc/examples/data/vtest.avi";
  ASSERT_TRUE(fs::exists(path)) << "install the package opencv-doc";
  auto capture = make(std::string("file:") + path);
  auto const picture = wait_for_picture(capture);
  ASSERT_TRUE(picture) << capture.status().trouble;
  EXPECT_EQ(width_of(*picture->frame), 768);
  EXPECT_EQ(height_of(*picture->frame), 576);
}

TEST_F(CaptureTest, AWorldThatComesGoesAndComesAgain) {
  auto const path = (folder_ / "camera").string();
  auto capture = make("world:" + path);
  EXPECT_FALSE(wait_for_picture(capture, 50ms));
  EXPECT_THAT(capture.status().trouble, testing::HasSubstr("no world"));
  for (auto life = 0; life < 2; ++life) {
    auto writer = FramePortWriter::create(path, {64, 48}, now());
    ASSERT_TRUE(writer) << writer.error().what;
    std::optional<Captured> picture;
    Time stamp{};
    for (auto n = 0U; n < 50 && !picture; ++n) {
      auto const to = writer->begin();
      std::fill(to.begin(), to.end(), static_cast<std::uint8_t>(60 + life));
      stamp = now();
      writer->publish(n, stamp, stamp);
      picture = capture.next(30ms);
    }
    ASSERT_TRUE(picture) << capture.status().trouble;
    EXPECT_EQ(picture->at, stamp);
    EXPECT_EQ(width_of(*picture->frame), 64);
    EXPECT_EQ(picture->frame->data[0][100], 60 + life);
    EXPECT_TRUE(capture.status().running);
  }
  auto const until = now() + 3s;
  while (capture.status().running && now() < until) capture.next(50ms);
  EXPECT_FALSE(capture.status().running);
}

TEST_F(CaptureTest, ACameraThatIsNotThereIsSaidSo) {
  auto capture = make("v4l2:/dev/no-such-camera");
  EXPECT_FALSE(wait_for_picture(capture, 50ms));
  EXPECT_THAT(capture.status().trouble, testing::HasSubstr("no camera at /dev/no-such-camera"));
  auto wrong = make("v4l2:/dev/null");
  EXPECT_FALSE(wait_for_picture(wrong, 50ms));
  EXPECT_THAT(wrong.status().trouble, testing::HasSubstr("/dev/null"));
}

TEST(CaptureUrl, OnesThatCannotBeMeantAreRefused) {
  for (auto const* source : {"", "video0", "http:x", "file:", "test:a=b", "test:movie,x", "world:"}) {
    CaptureOptions options;
    options.source = source;
    auto const capture = Capture::make(options);
    ASSERT_FALSE(capture) << source;
    EXPECT_FALSE(capture.error().what.empty());
  }
}

}  // namespace
}  // namespace cy::media
