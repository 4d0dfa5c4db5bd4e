// Brings pictures to the size and pixel format that an encoder wants; those that have it pass as they are.
#pragma once

#include "ffmpeg.hpp"

namespace cy::media {

class Scaler {
 public:
  // A reference to the same picture, or a converted one out of a pool that is used again.
  Result<FramePtr> convert(AVFrame const& from, int width, int height, AVPixelFormat format);

 private:
  struct FreePool {
    void operator()(AVBufferPool* p) const noexcept { av_buffer_pool_uninit(&p); }
  };
  // What a scaler was made for.
  struct Shape {
    int width{}, height{};
    AVPixelFormat format{AV_PIX_FMT_NONE};
    bool full_range{};
    friend bool operator==(Shape const&, Shape const&) = default;
  };
  static Shape shape_of(int width, int height, AVPixelFormat format, AVColorRange range);
  Result<void> prepare(Shape from, Shape to);

  ScalerPtr context_;
  Shape from_, to_;
  std::unique_ptr<AVBufferPool, FreePool> pool_;
  std::size_t pool_bytes_{};
};

}  // namespace cy::media
