// The real camera process against a real socket.
#include <cy/av/encoder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_agent.hpp"
#include <fstream>

namespace cy::camera {
namespace {

using namespace media;
namespace fs = std::filesystem;

class CameraTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("cy_camera_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string socket() const { return (folder_ / "agent.sock").string(); }
  std::vector<std::string> arguments(std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"--agent", socket(), "--width", "320", "--height", "240", "--stream", "3"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  static constexpr StreamId stream{3};
  fs::path folder_;
};

TEST_F(CameraTest, FramesArriveDecodableFromAKeyframeOn) {
  FakeAgent agent(socket());
  CameraProcess camera(arguments({"--name", "front"}));
  ASSERT_TRUE(agent.accept(5s));
  auto const first = agent.next(2s);
  ASSERT_TRUE(first);
  auto const hello = wire::as<StreamInfo>(wire::view(*first));
  ASSERT_TRUE(hello) << "the first word is the stream's description";
  EXPECT_EQ(hello->stream, stream);
  EXPECT_EQ(hello->name, "front");
  EXPECT_EQ(hello->codec, "h264");
  EXPECT_EQ(hello->capture, CaptureKind::test);
  EXPECT_FALSE(agent.next_of<CodedFrame>(300ms)) << "nobody watches";

  agent.send(Subscribe{stream, true});
  auto decoder = Decoder::open("h264");
  std::optional<std::uint32_t> last;
  for (auto n = 0; n < 20; ++n) {
    auto const frame = agent.next_of<CodedFrame>(2s);
    ASSERT_TRUE(frame) << n;
    EXPECT_EQ(frame->stream, stream);
    EXPECT_EQ(frame->key, n == 0) << n;
    EXPECT_EQ(frame->number, last.value_or(frame->number - 1) + 1);
    last = frame->number;
    EXPECT_GE(frame->encoded, frame->captured);
    EXPECT_LT((Time{} + frame->captured) - now(), 1ms);
    EXPECT_LT(now() - (Time{} + frame->captured), 1s);
    auto const picture = decoder->decode(frame->data);
    ASSERT_TRUE(picture && *picture) << n;
    EXPECT_EQ(width_of(**picture), 320);
  }

  agent.send(Subscribe{stream, false});
  while (agent.next_of<CodedFrame>(250ms)) continue;
  EXPECT_FALSE(agent.next_of<CodedFrame>(300ms)) << "nobody watches any more";
}

TEST_F(CameraTest, AKeyframeComesWhenItIsWanted) {
  FakeAgent agent(socket());
  CameraProcess camera(arguments());
  ASSERT_TRUE(agent.accept(5s));
  agent.send(Subscribe{stream, true});
  std::optional<CodedFrame> frame;
  for (auto n = 0; n < 15; ++n) {
    frame = agent.next_of<CodedFrame>(2s);
    ASSERT_TRUE(frame);
  }
  agent.send(KeyframeWanted{stream, frame->number, false});
  auto waited = 0;
  do {
    frame = agent.next_of<CodedFrame>(2s);
    ASSERT_TRUE(frame);
    ++waited;
  } while (!frame->key && waited < 15);
  EXPECT_TRUE(frame->key);
  EXPECT_LE(waited, 10);
  EXPECT_TRUE(Decoder::open("h264")->decode(frame->data).has_value());
}

TEST_F(CameraTest, StreamInfoNamesTheCodecForTheBrowser) {
  FakeAgent agent(socket());
  CameraProcess camera(arguments());
  ASSERT_TRUE(agent.accept(5s));
  std::optional<StreamInfo> info;
  do {
    info = agent.next_of<StreamInfo>(3s);
    ASSERT_TRUE(info);
  } while (info->codec_string.empty());
  EXPECT_EQ(info->codec_string.substr(0, 7), "avc1.42");
  EXPECT_TRUE(info->running);
  EXPECT_TRUE(info->trouble.empty());
  EXPECT_EQ(info->encoder, "libx264");
  EXPECT_EQ(info->width, 320);
}

TEST_F(CameraTest, TheAgentMayDieAndComeBack) {
  CameraProcess camera(arguments());  // and may be late
  std::uint32_t highest = 0;
  for (auto life = 0; life < 3; ++life) {
    FakeAgent agent(socket());
    ASSERT_TRUE(agent.accept(3s)) << life;
    auto const first = agent.next(2s);
    ASSERT_TRUE(first && wire::as<StreamInfo>(wire::view(*first))) << life;
    agent.send(Subscribe{stream, true});
    for (auto n = 0; n < 5; ++n) {
      auto const frame = agent.next_of<CodedFrame>(2s);
      ASSERT_TRUE(frame) << life;
      EXPECT_EQ(frame->key, n == 0) << life;
      EXPECT_GT(frame->number, highest);
      highest = frame->number;
    }
  }
}

TEST_F(CameraTest, AnAgentThatDoesNotReadGetsANewPictureAndNotOldOnes) {
  FakeAgent agent(socket());
  CameraProcess camera(arguments({"--codec", "mjpeg", "--bitrate", "8000000"}));
  ASSERT_TRUE(agent.accept(5s));
  agent.send(Subscribe{stream, true});
  ASSERT_TRUE(agent.next_of<CodedFrame>(2s));
  ::usleep(2'500'000);  // far more than a socket's buffer holds
  auto const woken = now();
  std::optional<CodedFrame> frame, before;
  auto gaps = 0;
  do {
    before = frame;
    frame = agent.next_of<CodedFrame>(2s);
    ASSERT_TRUE(frame);
    if (before && frame->number != before->number + 1) ++gaps;
  } while (Time{} + frame->captured < woken);
  EXPECT_GE(gaps, 1) << "nothing was dropped";
  EXPECT_LT(now() - woken, 500ms);
}

TEST_F(CameraTest, QualityOrdersAreFollowed) {
  FakeAgent agent(socket());
  CameraProcess camera(arguments());
  ASSERT_TRUE(agent.accept(5s));
  agent.send(Subscribe{stream, true});
  ASSERT_TRUE(agent.next_of<CodedFrame>(2s));
  QualityOrder order;
  order.stream = stream;
  order.codec = "mjpeg";
  order.fps = 10.0;
  agent.send(order);
  std::optional<CodedFrame> frame;
  do {
    frame = agent.next_of<CodedFrame>(2s);
    ASSERT_TRUE(frame);
  } while (frame->codec != "mjpeg");
  auto const begin = now();
  for (auto n = 0; n < 8; ++n) {
    frame = agent.next_of<CodedFrame>(2s);
    ASSERT_TRUE(frame);
    EXPECT_TRUE(frame->key);
    EXPECT_EQ(frame->data[0], 0xff);
  }
  EXPECT_GT(now() - begin, 600ms);
}

TEST_F(CameraTest, AnOrderThatCannotBeFollowedBreaksNothing) {
  FakeAgent agent(socket());
  CameraProcess camera(arguments());
  ASSERT_TRUE(agent.accept(5s));
  agent.send(Subscribe{stream, true});
  ASSERT_TRUE(agent.next_of<CodedFrame>(2s));
  auto const order_size = [&](std::uint16_t width, std::uint16_t height) {
    QualityOrder order;
    order.stream = stream;
    order.width = width;
    order.height = height;
    return order;
  };
  auto nonsense = order_size(100, 80);
  nonsense.codec = "no-such-codec";
  agent.send(nonsense);
  agent.send(order_size(65534, 65534));
  // More than the source has shows nothing more: the size stays, and the pictures go on.
  auto decoder = Decoder::open("h264");
  for (auto n = 0; n < 20; ++n) {
    auto const frame = agent.next_of<CodedFrame>(2s);
    ASSERT_TRUE(frame) << n;
    EXPECT_EQ(frame->codec, "h264");
  }
  auto smaller = order_size(160, 120);
  smaller.fps = std::numeric_limits<double>::infinity();
  agent.send(smaller);
  std::optional<StreamInfo> info;
  do {
    info = agent.next_of<StreamInfo>(2s);
    ASSERT_TRUE(info);
    EXPECT_TRUE(info->trouble.empty()) << info->trouble;
    EXPECT_LE(info->width, 320);
  } while (info->width != 160);
  EXPECT_EQ(info->height, 120);
  EXPECT_EQ(info->fps, 30.0);
  EXPECT_TRUE(agent.next_of<CodedFrame>(2s));
}

TEST_F(CameraTest, ACaptureThatFailsIsReportedAndFollowedWhenItReturns) {
  auto const film = folder_ / "film.mjpeg";
  FakeAgent agent(socket());
  CameraProcess camera(arguments({"--source", "file:" + film.string()}));
  ASSERT_TRUE(agent.accept(5s));
  agent.send(Subscribe{stream, true});
  std::optional<StreamInfo> info;
  do {
    info = agent.next_of<StreamInfo>(2s);
    ASSERT_TRUE(info);
  } while (info->trouble.find("no file") == std::string::npos);
  EXPECT_FALSE(info->running);

  fs::copy_file("/usr/share/doc/opencv-doc/examples/data/vtest.avi", folder_ / "copy");
  fs::rename(folder_ / "copy", film);
  auto const frame = agent.next_of<CodedFrame>(3s);
  ASSERT_TRUE(frame);
  EXPECT_TRUE(frame->key);
}

TEST_F(CameraTest, GarbageFromTheAgentEndsTheConnectionAndNothingElse) {
  CameraProcess camera(arguments());
  for (Buffer const& garbage :
       {Buffer{0xff, 0xff, 0xff, 0x7f}, Buffer{3, 0, 0, 0, 1, 2, 0x80}, Buffer{2, 0, 0, 0, 9, 9}}) {
    FakeAgent agent(socket());
    ASSERT_TRUE(agent.accept(3s));
    agent.send_raw(garbage);
    while (!agent.closed && agent.next(1s)) continue;
    EXPECT_TRUE(agent.closed);
  }
  FakeAgent agent(socket());
  ASSERT_TRUE(agent.accept(3s));
  EXPECT_TRUE(agent.next_of<StreamInfo>(2s));
}

TEST_F(CameraTest, EndsOnSigtermConnectedOrNot) {
  {
    auto agent = std::make_unique<FakeAgent>(socket());
    CameraProcess camera(arguments());
    ASSERT_TRUE(agent->accept(5s));
    agent.reset();
    camera.signal(SIGTERM);
    EXPECT_EQ(camera.wait(3s), 0);
  }
  FakeAgent agent(socket());
  CameraProcess camera(arguments());
  ASSERT_TRUE(agent.accept(5s));
  agent.send(Subscribe{stream, true});
  ASSERT_TRUE(agent.next_of<CodedFrame>(2s));
  camera.signal(SIGTERM);
  EXPECT_EQ(camera.wait(3s), 0);
}

TEST_F(CameraTest, SettingsThatCannotWorkEndItAtOnce) {
  EXPECT_EQ(CameraProcess(arguments({"--source", "nonsense"})).wait(5s), 2);
  EXPECT_EQ(CameraProcess(arguments({"--codec", "h264", "--encoder", "mjpeg"})).wait(5s), 2);
  EXPECT_NE(CameraProcess(arguments({"--fps", "0"})).wait(5s), 0);
  EXPECT_NE(CameraProcess(arguments({"--no-such-option"})).wait(5s), 0);
}

TEST_F(CameraTest, OptionsComeFromAFileToo) {
  std::ofstream(folder_ / "camera.toml") << "codec = \"mjpeg\"\nname = \"rear\"\nfps = 15.0\n";
  FakeAgent agent(socket());
  CameraProcess camera(arguments({"--config", (folder_ / "camera.toml").string()}));
  ASSERT_TRUE(agent.accept(5s));
  auto const info = agent.next_of<StreamInfo>(2s);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->name, "rear");
  EXPECT_EQ(info->codec, "mjpeg");
  std::ofstream(folder_ / "wrong.toml") << "colour = 3\n";
  EXPECT_NE(CameraProcess(arguments({"--config", (folder_ / "wrong.toml").string()})).wait(5s), 0);
}

}  // namespace
}  // namespace cy::camera
