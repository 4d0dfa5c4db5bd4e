#include <cy/av/encoder.hpp>

#include "ffmpeg.hpp"
#include "scaler.hpp"
#include <algorithm>
#include <cmath>

namespace cy::media {
namespace {

// What one encoder needs beside the general settings. A new one gets a line here only when
// FFmpeg's own defaults delay pictures (docs/howto/codec.md).
struct Tuning {
  std::string_view encoder;
  void (*apply)(AVCodecContext&, Dictionary&);
  bool bitrate_on_the_fly{};
  bool buffer_model{};  // keeps to a buffer of bits (VBV); FFmpeg's own encoders give up on tight ones
};

void tune_x264(AVCodecContext& c, Dictionary& o) {
  o.set("preset", "superfast");
  o.set("tune", "zerolatency");
  o.set("profile", "baseline");
  o.set("forced-idr", "1");    // a keyframe that was asked for is one that a joiner can begin with
  o.set("sc_threshold", "0");  // a new scene brings no keyframe of its own: they are budgeted
  o.set("rc-lookahead", "0");
  c.keyint_min = 1;
}

void tune_mjpeg(AVCodecContext& c, Dictionary& o) {
  o.set("huffman", "default");  // optimal tables cost a second pass
  c.color_range = AVCOL_RANGE_JPEG;
  c.qmin = 2;
  c.qmax = 24;
}

void tune_vpx(AVCodecContext&, Dictionary& o) {
  o.set("deadline", "realtime");
  o.set("cpu-used", "8");
  o.set("lag-in-frames", "0");
  o.set("auto-alt-ref", "0");
  o.set("error-resilient", "0");
}

constexpr Tuning tunings[] = {
    {"libx264", tune_x264, true, true},
    {"mjpeg", tune_mjpeg, false, false},
    {"libvpx", tune_vpx, false, true},
    {"libvpx-vp9", tune_vpx, false, true},
};

Tuning const* tuning_for(std::string_view encoder) {
  auto const* const found = std::find_if(std::begin(tunings), std::end(tunings),
                                         [&](Tuning const& t) { return t.encoder == encoder; });
  return found == std::end(tunings) ? nullptr : found;
}

// The encoder's pixel format that needs no or the cheapest conversion from yuv420p.
AVPixelFormat pixel_format_for(AVCodec const& codec) {
  if (codec.pix_fmts == nullptr) return AV_PIX_FMT_YUV420P;
  for (auto const wanted : {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_NV12}) {
    // M-JPEG lists yuv420p, but takes limited range only as an unofficial extension.
    if (codec.id == AV_CODEC_ID_MJPEG && wanted == AV_PIX_FMT_YUV420P) continue;
    for (auto const* p = codec.pix_fmts; *p != AV_PIX_FMT_NONE; ++p)
      if (*p == wanted) return wanted;
  }
  return codec.pix_fmts[0];
}

std::string joined(std::vector<std::string> const& names) {
  std::string all;
  for (auto const& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

void set_rate(AVCodecContext& c, std::uint32_t bitrate, Tuning const* tuning) {
  c.bit_rate = bitrate;
  if (tuning == nullptr || !tuning->buffer_model) return;
  c.rc_max_rate = bitrate;
  // A quarter of a second: room for a keyframe, and no more delay than that in any queue.
  c.rc_buffer_size = static_cast<int>(std::min<std::uint32_t>(bitrate / 4, 0x7fff'ffff));
}

constexpr std::size_t in_flight = 64;  // pictures between in and out whose capture times are kept

}  // namespace

struct Encoder::Parts {
  EncoderOptions options;
  Tuning const* tuning{};
  CodecPtr codec;
  PacketPtr packet;
  Scaler scaler;
  std::int64_t pts{};
  std::array<Time, in_flight> captured{};
};

std::vector<std::string> encoders_for(std::string const& codec) {
  auto const* const descriptor = avcodec_descriptor_get_by_name(codec.c_str());
  std::vector<std::string> names;
  if (descriptor == nullptr) return names;
  void* at = nullptr;
  while (auto const* const c = av_codec_iterate(&at)) {
    if (av_codec_is_encoder(c) && c->id == descriptor->id && c->type == AVMEDIA_TYPE_VIDEO)
      names.emplace_back(c->name);
  }
  // Those that this room knows how to set come first.
  std::stable_partition(names.begin(), names.end(), [](auto const& n) { return tuning_for(n) != nullptr; });
  return names;
}

Result<Encoder> Encoder::open(EncoderOptions options) {
  auto const known = encoders_for(options.codec);
  if (known.empty())
    return fault("no encoder for codec \"{}\": `ffmpeg -encoders` lists what there is", options.codec);
  if (options.encoder.empty()) options.encoder = known.front();
  if (std::find(known.begin(), known.end(), options.encoder) == known.end())
    return fault("encoder \"{}\" does not make {}: choose one of {}", options.encoder, options.codec,
                 joined(known));
  if (options.width < 16 || options.height < 16 || options.width % 2 != 0 || options.height % 2 != 0)
    return fault("a picture of {}x{} cannot be encoded: width and height must be even and 16 or more",
                 options.width, options.height);
  if (!(options.fps > 0.0 && options.fps <= 1000.0))
    return fault("{} pictures a second cannot be encoded: choose more than 0, up to 1000", options.fps);

  auto const* const codec = avcodec_find_encoder_by_name(options.encoder.c_str());
  auto const format = pixel_format_for(*codec);
  if ((av_pix_fmt_desc_get(format)->flags & AV_PIX_FMT_FLAG_HWACCEL) != 0)
    return fault(
        "encoder \"{}\" takes only pictures that lie in a device's memory ({}), which is not supported: "
        "choose one of {}",
        options.encoder, av_get_pix_fmt_name(format), joined(known));
  auto parts = std::make_unique<Parts>();
  parts->codec.reset(avcodec_alloc_context3(codec));
  parts->packet = new_packet();
  parts->tuning = tuning_for(options.encoder);
  auto& c = *parts->codec;
  c.width = options.width;
  c.height = options.height;
  c.pix_fmt = format;
  c.framerate = av_d2q(options.fps, 1000);
  c.time_base = av_inv_q(c.framerate);
  c.gop_size = std::max(1, static_cast<int>(std::lround(options.fps * seconds(options.key_interval))));
  c.max_b_frames = 0;
  c.thread_count = std::max(options.threads, 1);
  c.colorspace = AVCOL_SPC_SMPTE170M;
  c.color_range = c.pix_fmt == AV_PIX_FMT_YUVJ420P ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
  set_rate(c, options.bitrate, parts->tuning);
  Dictionary extra;
  if (parts->tuning != nullptr) parts->tuning->apply(c, extra);
  if (auto const code = avcodec_open2(&c, codec, extra.ptr()); code < 0)
    return fault("encoder \"{}\" does not open at {}x{}, {} Hz, {} bit/s: {} (others for {}: {})",
                 options.encoder, options.width, options.height, options.fps, options.bitrate,
                 error_text(code), options.codec, joined(known));
  parts->options = std::move(options);
  return Encoder(std::move(parts));
}

Result<void> Encoder::encode(Captured const& picture, bool key, std::vector<CodedPicture>& into) {
  auto& p = *parts_;
  auto& c = *p.codec;
  auto frame = p.scaler.convert(*picture.frame, c.width, c.height, c.pix_fmt);
  if (!frame) return tl::unexpected(frame.error());
  auto& f = **frame;
  f.pts = p.pts++;
  f.pict_type = key ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
  f.key_frame = key ? 1 : 0;
  p.captured[static_cast<std::size_t>(f.pts) % in_flight] = picture.at;
  if (auto const code = avcodec_send_frame(&c, &f); code < 0)
    return fault("encoder \"{}\" refuses a picture: {}", p.options.encoder, error_text(code));
  for (;;) {
    auto const code = avcodec_receive_packet(&c, p.packet.get());
    if (code == AVERROR(EAGAIN)) return {};
    if (code < 0) return fault("encoder \"{}\" fails: {}", p.options.encoder, error_text(code));
    auto const& packet = *p.packet;
    Bytes const data(packet.data, static_cast<std::size_t>(packet.size));
    into.push_back({copy_of(data), (packet.flags & AV_PKT_FLAG_KEY) != 0,
                    p.captured[static_cast<std::size_t>(packet.pts) % in_flight]});
    av_packet_unref(p.packet.get());
  }
}

Result<void> Encoder::set_bitrate(std::uint32_t bitrate) {
  if (bitrate == parts_->options.bitrate) return {};
  if (parts_->tuning != nullptr && parts_->tuning->bitrate_on_the_fly) {
    parts_->options.bitrate = bitrate;
    set_rate(*parts_->codec, bitrate, parts_->tuning);
    return {};
  }
  auto options = parts_->options;
  options.bitrate = bitrate;
  auto again = open(std::move(options));
  if (!again) return tl::unexpected(again.error());
  *this = std::move(*again);
  return {};
}

EncoderOptions const& Encoder::options() const {
  return parts_->options;
}
Encoder::Encoder(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Encoder::Encoder(Encoder&&) noexcept = default;
Encoder& Encoder::operator=(Encoder&&) noexcept = default;
Encoder::~Encoder() = default;

// ---- decoder -----------------------------------------------------------------------------

struct Decoder::Parts {
  CodecPtr codec;
  PacketPtr packet;
};

Result<Decoder> Decoder::open(std::string const& codec) {
  auto const* const descriptor = avcodec_descriptor_get_by_name(codec.c_str());
  auto const* const decoder = descriptor != nullptr ? avcodec_find_decoder(descriptor->id) : nullptr;
  if (decoder == nullptr) return fault("no decoder for codec \"{}\"", codec);
  auto parts = std::make_unique<Parts>();
  parts->codec.reset(avcodec_alloc_context3(decoder));
  parts->packet = new_packet();
  parts->codec->flags |= AV_CODEC_FLAG_LOW_DELAY;
  parts->codec->thread_count = 1;
  if (auto const code = avcodec_open2(parts->codec.get(), decoder, nullptr); code < 0)
    return fault("decoder for \"{}\" does not open: {}", codec, error_text(code));
  return Decoder(std::move(parts));
}

Result<FramePtr> Decoder::decode(Bytes coded) {
  auto& p = *parts_;
  if (auto const code = av_new_packet(p.packet.get(), static_cast<int>(coded.size())); code < 0)
    return fault("no memory for {} bytes: {}", coded.size(), error_text(code));
  std::copy(coded.begin(), coded.end(), p.packet->data);
  auto const sent = avcodec_send_packet(p.codec.get(), p.packet.get());
  av_packet_unref(p.packet.get());
  if (sent < 0) return fault("not decodable: {}", error_text(sent));
  auto frame = new_frame();
  auto const code = avcodec_receive_frame(p.codec.get(), frame.get());
  if (code == AVERROR(EAGAIN)) return FramePtr{};
  if (code < 0) return fault("not decodable: {}", error_text(code));
  return frame;
}

Decoder::Decoder(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

}  // namespace cy::media
