#include <cy/av/frame.hpp>

#include <time.h>

#include "ffmpeg.hpp"
#include <cmath>
#include <mutex>

namespace cy::media {
namespace {

std::mutex sink_mutex;
std::function<void(LogLevel, std::string_view)> sink;

void on_log(void* object, int level, char const* format, va_list arguments) {
  if (level > av_log_get_level()) return;
  char line[512];
  auto prefix = 1;
  av_log_format_line(object, level, format, arguments, line, sizeof line, &prefix);
  std::string_view text(line);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  if (text.empty()) return;
  std::scoped_lock const lock(sink_mutex);
  if (sink) {
    sink(level <= AV_LOG_ERROR     ? LogLevel::error
         : level <= AV_LOG_WARNING ? LogLevel::warning
                                   : LogLevel::info,
         text);
  }
}

}  // namespace

void FreeFrame::operator()(AVFrame* frame) const noexcept {
  av_frame_free(&frame);
}

int width_of(AVFrame const& frame) {
  return frame.width;
}
int height_of(AVFrame const& frame) {
  return frame.height;
}

Time now() {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return Time{} + std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

double luma_psnr(AVFrame const& a, AVFrame const& b) {
  if (a.width != b.width || a.height != b.height || a.width <= 0) return 0.0;
  auto error = 0.0;
  for (auto y = 0; y < a.height; ++y) {
    auto const* const row_a = a.data[0] + static_cast<std::ptrdiff_t>(y) * a.linesize[0];
    auto const* const row_b = b.data[0] + static_cast<std::ptrdiff_t>(y) * b.linesize[0];
    for (auto x = 0; x < a.width; ++x) {
      auto const d = static_cast<double>(row_a[x]) - row_b[x];
      error += d * d;
    }
  }
  error /= static_cast<double>(a.width) * a.height;
  return error < 1e-6 ? 100.0 : 10.0 * std::log10(255.0 * 255.0 / error);
}

void route_log(std::function<void(LogLevel, std::string_view)> to) {
  {
    std::scoped_lock const lock(sink_mutex);
    sink = std::move(to);
  }
  av_log_set_level(AV_LOG_WARNING);
  av_log_set_callback(on_log);
}

}  // namespace cy::media
