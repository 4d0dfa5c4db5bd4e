// Any FFmpeg encoder by its name, set for the lowest delay that it offers: one picture in, one coded
// picture out, no B-frames, keyframes on demand, parameter sets in front of each keyframe.
// docs/howto/codec.md says how to choose one and how to add one. One thread.
#pragma once

#include <cy/av/frame.hpp>
#include <cy/base/bytes.hpp>
#include <cy/base/result.hpp>

#include <vector>

namespace cy::media {

struct EncoderOptions {
  std::string codec = "h264";         // FFmpeg's name of the format
  std::string encoder;                // FFmpeg's name; empty: the first choice for the codec
  int width = 640;                    // px, even
  int height = 480;                   // px, even
  double fps = 30.0;                  // Hz
  std::uint32_t bitrate = 2'000'000;  // bit/s
  Duration key_interval = 10s;        // without being asked; a joiner asks
  int threads = 1;                    // of the encoder; at this size a second one costs more than it gives
};

struct CodedPicture {
  Buffer data;
  bool key{};
  Time captured{};
};

// The encoders that this FFmpeg has for a codec, first choice first. Empty: the codec is unknown.
std::vector<std::string> encoders_for(std::string const& codec);

// The WebCodecs string of a coded keyframe: "avc1.42C01F" out of its SPS, "vp8", "mjpeg" for pictures
// that are shown one by one; empty when browsers have no name for it.
std::string codec_string(std::string_view codec, Bytes keyframe);

class Encoder {
 public:
  static Result<Encoder> open(EncoderOptions options);
  Encoder(Encoder&&) noexcept;
  Encoder& operator=(Encoder&&) noexcept;
  ~Encoder();

  // Appends what comes out (with the encoders known here: exactly one). Pictures of another size or
  // pixel format are converted.
  Result<void> encode(Captured const& picture, bool key, std::vector<CodedPicture>& into);
  // From the next picture on; without a new keyframe where the encoder can (libx264).
  Result<void> set_bitrate(std::uint32_t bitrate);

  EncoderOptions const& options() const;

 private:
  struct Parts;
  explicit Encoder(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

class Decoder {
 public:
  static Result<Decoder> open(std::string const& codec);
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;
  ~Decoder();

  // The picture that this one decodes to; nothing when the decoder still waits (for a keyframe).
  Result<FramePtr> decode(Bytes coded);

 private:
  struct Parts;
  explicit Decoder(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace cy::media
