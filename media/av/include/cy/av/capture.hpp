// Where pictures come from, by URL, reopened for as long as it takes:
//
//   v4l2:/dev/video0     a camera, through FFmpeg's own V4L2 input
//   file:/path/film.avi  anything FFmpeg can read, in real time, over and over
//   test:                FFmpeg's moving test picture; test:NAME is its source of that name
//   world:/path          a simulated world's camera, through the frame port at that path
//
// A source that fails (unplugged, file gone, writer died) is closed and tried again, at first after
// 100 ms, later each second; status() says what is wrong meanwhile. One thread; next() blocks.
#pragma once

#include <cy/av/frame.hpp>
#include <cy/base/result.hpp>
#include <cy/media/messages.hpp>

namespace cy::media {

struct CaptureOptions {
  std::string source = "test:";
  int width = 0;               // px; 0: what the source has (test: 640)
  int height = 0;              // px; 0: what the source has (test: 480)
  double fps = 30.0;           // Hz; asked of a device and a test source, while a file has its own
  Duration silent_after = 2s;  // a source that gives nothing for so long has failed
  Duration retry_first = 100ms;
  Duration retry_most = 1s;
};

// One opened source.
class Source {
 public:
  virtual ~Source() = default;
  // The newest picture, or nothing within the patience, or why there will be none.
  virtual Result<std::optional<Captured>> next(Duration patience) = 0;
};

struct CaptureStatus {
  bool running{};
  std::string trouble;     // empty while running
  std::uint32_t opened{};  // how often
};

class Capture {
 public:
  // Fails only when the URL cannot be meant.
  static Result<Capture> make(CaptureOptions options);

  // The newest picture; nothing when none came within the patience.
  std::optional<Captured> next(Duration patience);
  CaptureStatus const& status() const { return status_; }
  CaptureKind kind() const { return kind_; }

 private:
  Capture(CaptureOptions options, CaptureKind kind, std::string rest)
      : options_(std::move(options)), kind_(kind), rest_(std::move(rest)) {}
  void failed(std::string why, Time at);
  Result<std::unique_ptr<Source>> open() const;

  CaptureOptions options_;
  CaptureKind kind_;
  std::string rest_;  // of the URL, after the colon
  std::unique_ptr<Source> source_;
  CaptureStatus status_;
  bool gave_picture_{};  // since it was opened
  Duration backoff_{};
  Time retry_at_{};
  Time last_picture_{};
};

}  // namespace cy::media
