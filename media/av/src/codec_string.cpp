// RFC 6381 names of coded formats, as WebCodecs wants them.
#include <cy/av/encoder.hpp>

namespace cy::media {
namespace {

// "avc1.PPCCLL": the three bytes after the head of the sequence parameter set, in hexadecimal
// (ISO/IEC 14496-15; the WebCodecs registration of AVC).
std::string avc(Bytes annex_b) {
  for (std::size_t i = 0; i + 6 < annex_b.size(); ++i) {
    auto const start = annex_b[i] == 0 && annex_b[i + 1] == 0 && annex_b[i + 2] == 1;
    if (start && (annex_b[i + 3] & 0x1f) == 7)
      return fmt::format("avc1.{:02X}{:02X}{:02X}", annex_b[i + 4], annex_b[i + 5], annex_b[i + 6]);
  }
  return {};
}

}  // namespace

std::string codec_string(std::string_view codec, Bytes keyframe) {
  if (codec == "h264") return avc(keyframe);
  if (codec == "mjpeg") return "mjpeg";
  if (codec == "vp8") return "vp8";
  if (codec == "vp9") return "vp09.00.31.08";  // profile 0, level 3.1, 8 bits
  return {};
}

}  // namespace cy::media
