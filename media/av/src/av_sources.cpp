// The sources that FFmpeg reads: devices, films, test pictures.
#include <sys/stat.h>
#include <time.h>

#include "ffmpeg.hpp"
#include "sources.hpp"
#include <algorithm>
#include <thread>

namespace cy::media {
namespace {

// A demuxer and the decoder of its best video stream.
class Reader {
 public:
  static Result<Reader> open(char const* format, std::string const& url, Dictionary& options, int flags) {
    avdevice_register_all();
    AVInputFormat const* input = nullptr;
    if (format != nullptr && (input = av_find_input_format(format)) == nullptr)
      return fault("this FFmpeg has no input \"{}\"", format);
    auto* context = avformat_alloc_context();
    context->flags |= flags;
    if (auto const code = avformat_open_input(&context, url.c_str(), input, options.ptr()); code < 0)
      return fault("cannot open {}: {}", url, error_text(code));
    Reader reader;
    reader.input_.reset(context);
    // A device says what it sends without being read; a nonblocking one could not be probed.
    if ((flags & AVFMT_FLAG_NONBLOCK) == 0) {
      if (auto const code = avformat_find_stream_info(context, nullptr); code < 0)
        return fault("{} holds no pictures: {}", url, error_text(code));
    }
    AVCodec const* decoder = nullptr;
    reader.stream_ = av_find_best_stream(context, AVMEDIA_TYPE_VIDEO, -1, -1, &decoder, 0);
    if (reader.stream_ < 0 || decoder == nullptr)
      return fault("{} holds no pictures that can be decoded", url);
    reader.decoder_.reset(avcodec_alloc_context3(decoder));
    auto& d = *reader.decoder_;
    avcodec_parameters_to_context(&d, context->streams[reader.stream_]->codecpar);
    d.thread_count = 1;
    d.flags |= AV_CODEC_FLAG_LOW_DELAY;
    if (auto const code = avcodec_open2(&d, decoder, nullptr); code < 0)
      return fault("cannot decode {}: {}", url, error_text(code));
    reader.packet_ = new_packet();
    return reader;
  }

  // 0 with a packet of the stream in packet(), or FFmpeg's code.
  int read() {
    for (;;) {
      av_packet_unref(packet_.get());
      auto const code = av_read_frame(input_.get(), packet_.get());
      if (code < 0 || packet_->stream_index == stream_) return code;
    }
  }
  AVPacket& packet() { return *packet_; }

  // The packet's picture; nothing when the decoder waits for more, or for a packet that is whole.
  FramePtr decode() {
    if (avcodec_send_packet(decoder_.get(), packet_.get()) < 0) return nullptr;
    auto frame = new_frame();
    return avcodec_receive_frame(decoder_.get(), frame.get()) < 0 ? nullptr : std::move(frame);
  }
  double seconds_of(std::int64_t stamp) const {
    return static_cast<double>(stamp) * av_q2d(input_->streams[stream_]->time_base);
  }

 private:
  Reader() = default;
  InputPtr input_;
  CodecPtr decoder_;
  PacketPtr packet_;
  int stream_{};
};

Time monotonic() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return Time{} + std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

class Device final : public Source {
 public:
  Device(std::string path, Reader reader) : path_(std::move(path)), reader_(std::move(reader)) {}

  Result<std::optional<Captured>> next(Duration patience) override {
    auto const until = now() + patience;
    for (;;) {
      // The driver hands out the oldest of its pictures first; only the newest is wanted.
      auto code = 0;
      FramePtr newest;
      Time at{};
      while ((code = reader_.read()) >= 0) {
        if (auto frame = reader_.decode()) {
          at = taken_at(reader_.packet().pts);
          newest = std::move(frame);
        }
      }
      if (newest) return Captured{std::move(newest), at};
      if (code != AVERROR(EAGAIN)) return fault("camera {} is gone: {}", path_, error_text(code));
      if (now() >= until) return std::nullopt;
      std::this_thread::sleep_for(1ms);
    }
  }

 private:
  // V4L2 stamps are CLOCK_MONOTONIC with nearly every driver; others are taken as "just now".
  static Time taken_at(std::int64_t pts_us) {
    auto const age = monotonic() - (Time{} + std::chrono::microseconds(pts_us));
    return age >= Duration{} && age < 1s ? now() - age : now();
  }

  std::string path_;
  Reader reader_;
};

// A film or a test picture: as many pictures a second as its stamps say, and no faster.
class Paced final : public Source {
 public:
  Paced(std::string name, Reader reader) : name_(std::move(name)), reader_(std::move(reader)) {}

  Result<std::optional<Captured>> next(Duration patience) override {
    if (!frame_) {
      if (auto read = fetch(); !read) return tl::unexpected(read.error());
    }
    auto const at = now();
    if (due_ > at + patience) {
      std::this_thread::sleep_for(patience);
      return std::nullopt;
    }
    if (due_ > at) std::this_thread::sleep_for(due_ - at);
    return Captured{std::move(frame_), now()};
  }

 private:
  Result<void> fetch() {
    while (!frame_) {
      if (auto const code = reader_.read(); code < 0)
        return fault("{} has ended: {}", name_, error_text(code));
      frame_ = reader_.decode();
    }
    auto const stamp = frame_->best_effort_timestamp;
    auto const at = now();
    auto const position = from_seconds(stamp == AV_NOPTS_VALUE ? 0.0 : reader_.seconds_of(stamp));
    if (!begin_) begin_ = at - position;
    due_ = *begin_ + position;
    // Behind (the machine was busy or slept), or a stamp that leaps: go on from here, no catching up.
    if (due_ < at - 100ms || due_ > at + 10s || stamp == AV_NOPTS_VALUE) {
      begin_ = at - position;
      due_ = at;
    }
    return {};
  }

  std::string name_;
  Reader reader_;
  FramePtr frame_;
  std::optional<Time> begin_;  // when the film's zero was, or would have been
  Time due_{};
};

}  // namespace

Result<std::unique_ptr<Source>> open_device(std::string const& path, CaptureOptions const& options) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return fault("no camera at {}: plugged in?", path);
  Dictionary extra;
  extra.set("framerate", fmt::format("{}", options.fps));
  if (options.width > 0 && options.height > 0)
    extra.set("video_size", fmt::format("{}x{}", options.width, options.height));
  auto reader = Reader::open("video4linux2", path, extra, AVFMT_FLAG_NONBLOCK);
  if (!reader) return tl::unexpected(reader.error());
  return std::make_unique<Device>(path, std::move(*reader));
}

Result<std::unique_ptr<Source>> open_film(std::string const& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return fault("no file {}", path);
  // Opening a pipe that nobody writes to would block for ever.
  if (!S_ISREG(info.st_mode)) return fault("{} is no regular file", path);
  Dictionary extra;
  auto reader = Reader::open(nullptr, "file:" + path, extra, 0);
  if (!reader) return tl::unexpected(reader.error());
  return std::make_unique<Paced>(path, std::move(*reader));
}

Result<std::unique_ptr<Source>> open_test(std::string const& name, CaptureOptions const& options) {
  auto const width = options.width > 0 ? options.width : 640;
  auto const height = options.height > 0 ? options.height : 480;
  auto const graph = fmt::format("{}=size={}x{}:rate={}", name, width, height, options.fps);
  Dictionary extra;
  auto reader = Reader::open("lavfi", graph, extra, 0);
  if (!reader) return tl::unexpected(reader.error());
  return std::make_unique<Paced>("test picture " + name, std::move(*reader));
}

}  // namespace cy::media
