// Takes pictures, encodes them while somebody watches, and says how the stream is. Runs in a thread
// of its own until the exchange says stop.
#pragma once

#include <cy/av/capture.hpp>
#include <cy/av/encoder.hpp>
#include <cy/media/frame_gate.hpp>
#include <cy/media/keyframe_budget.hpp>

#include "exchange.hpp"

namespace cy::camera {

inline constexpr int largest_side = 8192;  // px: of a frame port's picture too

struct Settings {
  std::string source = "test:";
  std::string codec = "h264";
  std::string encoder;                // empty: the first choice for the codec
  int width = 0;                      // px; 0: the source's
  int height = 0;                     // px; 0: the source's
  double fps = 30.0;                  // Hz, at most
  std::uint32_t bitrate = 2'000'000;  // bit/s
  std::uint16_t stream = 1;
  std::uint16_t robot = 0;  // the robot that it is mounted on; 0 none
  std::string name = "camera";
  bool stats = false;  // print figures once a second
};

class Worker {
 public:
  // Fails when the settings cannot work, whatever happens later.
  static Result<Worker> make(Settings settings, Exchange& exchange);
  void run();

 private:
  Worker(Settings settings, media::Capture capture, Exchange& exchange);

  void obey(Orders const& orders, Time now);
  void obey(media::QualityOrder const& order, AVFrame const& picture);
  void encode(media::Captured const& picture, bool watched);
  bool open_encoder(AVFrame const& picture);
  void take(media::Encoder encoder);
  void tell(std::string trouble);
  void tell_stats(Time now);

  Settings settings_;
  std::optional<media::QualityOrder> wished_;  // to be followed at the next picture
  media::Capture capture_;
  Exchange& exchange_;
  std::optional<media::Encoder> encoder_;
  std::string encoder_trouble_;
  media::StreamInfo info_, told_;
  bool told_once_{};
  media::KeyframeBudget keyframes_;
  media::FrameGate gate_;
  std::uint32_t number_;
  std::vector<media::CodedPicture> coded_;

  struct Figures {
    Time since{};
    std::uint32_t captured{}, encoded{}, keys{};
    std::uint64_t bytes{};
    Duration encoding{}, slowest{};
    Duration cpu{};  // of the process, at `since`
  } figures_;
};

}  // namespace cy::camera
