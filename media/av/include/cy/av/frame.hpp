// FFmpeg's pictures, owned. The rest of FFmpeg stays inside this room's sources.
#pragma once

#include <cy/base/time.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

struct AVFrame;

namespace cy::media {

struct FreeFrame {
  void operator()(AVFrame* frame) const noexcept;
};
using FramePtr = std::unique_ptr<AVFrame, FreeFrame>;

// A picture and when it was taken (CLOCK_BOOTTIME).
struct Captured {
  FramePtr frame;
  Time at{};
};

int width_of(AVFrame const& frame);
int height_of(AVFrame const& frame);

// CLOCK_BOOTTIME.
Time now();

// Mean square error of the luma planes as a ratio of signal to noise, in dB; 0 when the sizes differ.
// For tests and benches: 30 dB and more look alike.
double luma_psnr(AVFrame const& a, AVFrame const& b);

enum class LogLevel : std::uint8_t { error, warning, info };
// Sends FFmpeg's own messages there, one line a call, from any thread. Process-wide.
void route_log(std::function<void(LogLevel, std::string_view)> sink);

}  // namespace cy::media
