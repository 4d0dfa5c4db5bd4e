// FFmpeg's headers in one place, and its objects with owners.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavdevice/avdevice.h>
#include <libavformat/avformat.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <cy/av/frame.hpp>
#include <cy/base/result.hpp>

namespace cy::media {

struct FreeContext {
  void operator()(AVCodecContext* c) const noexcept { avcodec_free_context(&c); }
  void operator()(AVFormatContext* c) const noexcept { avformat_close_input(&c); }
  void operator()(AVPacket* p) const noexcept { av_packet_free(&p); }
  void operator()(SwsContext* s) const noexcept { sws_freeContext(s); }
};
using CodecPtr = std::unique_ptr<AVCodecContext, FreeContext>;
using InputPtr = std::unique_ptr<AVFormatContext, FreeContext>;
using PacketPtr = std::unique_ptr<AVPacket, FreeContext>;
using ScalerPtr = std::unique_ptr<SwsContext, FreeContext>;

inline std::string error_text(int code) {
  char text[AV_ERROR_MAX_STRING_SIZE]{};
  av_strerror(code, text, sizeof text);
  return text;
}

inline FramePtr new_frame() {
  return FramePtr(av_frame_alloc());
}
inline PacketPtr new_packet() {
  return PacketPtr(av_packet_alloc());
}

// Options for an open call; what was not understood stays inside.
class Dictionary {
 public:
  Dictionary() = default;
  Dictionary(Dictionary const&) = delete;
  Dictionary& operator=(Dictionary const&) = delete;
  ~Dictionary() { av_dict_free(&dictionary_); }
  void set(char const* key, std::string const& value) { av_dict_set(&dictionary_, key, value.c_str(), 0); }
  AVDictionary** ptr() { return &dictionary_; }

 private:
  AVDictionary* dictionary_{};
};

}  // namespace cy::media
