// The camera of a simulated world, through the frame port.
#include <cy/port/frame_port.hpp>

#include "ffmpeg.hpp"
#include "sources.hpp"

namespace cy::media {
namespace {

class WorldSource final : public Source {
 public:
  explicit WorldSource(std::string path) : path_(path), reader_(std::move(path)) {}

  Result<std::optional<Captured>> next(Duration patience) override {
    auto buffer = std::make_unique<Buffer>(std::move(spare_));
    auto const info = reader_.next(*buffer, patience, now());
    if (!info) {
      spare_ = std::move(*buffer);
      switch (reader_.state()) {
        case FramePortReader::State::alive:
          return std::nullopt;
        case FramePortReader::State::no_file:
          return fault("no world has its camera at {} yet", path_);
        case FramePortReader::State::not_a_port:
          return fault("{} is no frame port of this version", path_);
        case FramePortReader::State::writer_gone:
          return fault("the world that wrote to {} is gone", path_);
      }
    }
    return wrap(std::move(buffer), *info);
  }

 private:
  // The picture as an AVFrame without another copy: the frame owns the buffer.
  static Result<std::optional<Captured>> wrap(std::unique_ptr<Buffer> buffer, FrameInfo const& info) {
    auto frame = new_frame();
    frame->width = static_cast<int>(info.format.width);
    frame->height = static_cast<int>(info.format.height);
    frame->format = AV_PIX_FMT_YUV420P;
    frame->color_range = AVCOL_RANGE_MPEG;
    auto* const data = buffer->data();
    auto const size = buffer->size();
    auto* const owner = buffer.get();
    frame->buf[0] = av_buffer_create(
        data, size, [](void* opaque, std::uint8_t*) { delete static_cast<Buffer*>(opaque); }, owner, 0);
    if (frame->buf[0] == nullptr) return fault("no memory for a picture");
    static_cast<void>(buffer.release());
    av_image_fill_arrays(frame->data, frame->linesize, data, AV_PIX_FMT_YUV420P, frame->width, frame->height,
                         1);
    return Captured{std::move(frame), info.captured};
  }

  std::string path_;
  FramePortReader reader_;
  Buffer spare_;
};

}  // namespace

Result<std::unique_ptr<Source>> open_world(std::string const& path) {
  return std::make_unique<WorldSource>(path);
}

}  // namespace cy::media
