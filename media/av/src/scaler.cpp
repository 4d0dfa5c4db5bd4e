#include "scaler.hpp"

namespace cy::media {

// FFmpeg's yuvj formats are yuv formats of full range by an old name, which swscale warns of.
Scaler::Shape Scaler::shape_of(int width, int height, AVPixelFormat format, AVColorRange range) {
  switch (format) {
    case AV_PIX_FMT_YUVJ420P:
      return {width, height, AV_PIX_FMT_YUV420P, true};
    case AV_PIX_FMT_YUVJ422P:
      return {width, height, AV_PIX_FMT_YUV422P, true};
    case AV_PIX_FMT_YUVJ444P:
      return {width, height, AV_PIX_FMT_YUV444P, true};
    default:
      return {width, height, format, range == AVCOL_RANGE_JPEG};
  }
}

Result<void> Scaler::prepare(Shape from, Shape to) {
  if (context_ && from == from_ && to == to_) return {};
  context_.reset(sws_alloc_context());
  auto* const c = context_.get();
  if (c == nullptr) return fault("no memory for a scaler");
  auto const same_size = from.width == to.width && from.height == to.height;
  av_opt_set_int(c, "srcw", from.width, 0);
  av_opt_set_int(c, "srch", from.height, 0);
  av_opt_set_int(c, "src_format", from.format, 0);
  av_opt_set_int(c, "src_range", from.full_range ? 1 : 0, 0);
  av_opt_set_int(c, "dstw", to.width, 0);
  av_opt_set_int(c, "dsth", to.height, 0);
  av_opt_set_int(c, "dst_format", to.format, 0);
  av_opt_set_int(c, "dst_range", to.full_range ? 1 : 0, 0);
  av_opt_set_int(c, "sws_flags", same_size ? SWS_POINT : SWS_FAST_BILINEAR, 0);
  if (auto const code = sws_init_context(c, nullptr, nullptr); code < 0) {
    context_.reset();
    auto const* const name = av_get_pix_fmt_name(from.format);
    return fault("pictures of {}x{}, format {}, cannot be converted: {}", from.width, from.height,
                 name != nullptr ? name : "unknown", error_text(code));
  }
  from_ = from;
  to_ = to;
  return {};
}

Result<FramePtr> Scaler::convert(AVFrame const& from, int width, int height, AVPixelFormat format) {
  auto to = new_frame();
  auto const range_fits = format != AV_PIX_FMT_YUV420P || from.color_range != AVCOL_RANGE_JPEG;
  auto const as_it_is = from.format == format && range_fits && from.width == width && from.height == height;
  if (as_it_is) {
    if (auto const code = av_frame_ref(to.get(), &from); code < 0)
      return fault("no memory for a picture: {}", error_text(code));
    return to;
  }

  constexpr auto align = 32;
  auto const bytes = av_image_get_buffer_size(format, width, height, align);
  if (bytes < 0) return fault("no picture of {}x{}: {}", width, height, error_text(bytes));
  if (!pool_ || pool_bytes_ != static_cast<std::size_t>(bytes)) {
    pool_bytes_ = static_cast<std::size_t>(bytes);
    pool_.reset(av_buffer_pool_init(pool_bytes_, nullptr));
  }
  to->width = width;
  to->height = height;
  to->format = format;
  to->buf[0] = av_buffer_pool_get(pool_.get());
  if (to->buf[0] == nullptr) return fault("no memory for a picture of {} bytes", bytes);
  av_image_fill_arrays(to->data, to->linesize, to->buf[0]->data, format, width, height, align);

  auto const ready =
      prepare(shape_of(from.width, from.height, static_cast<AVPixelFormat>(from.format), from.color_range),
              shape_of(width, height, format, AVCOL_RANGE_UNSPECIFIED));
  if (!ready) return tl::unexpected(ready.error());
  sws_scale(context_.get(), from.data, from.linesize, 0, from.height, to->data, to->linesize);
  return to;
}

}  // namespace cy::media
