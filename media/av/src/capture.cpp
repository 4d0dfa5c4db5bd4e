#include <cy/av/capture.hpp>

#include "sources.hpp"
#include <algorithm>
#include <thread>

namespace cy::media {
namespace {

struct Scheme {
  std::string_view name;
  CaptureKind kind;
};
constexpr Scheme schemes[] = {{"v4l2", CaptureKind::device},
                              {"file", CaptureKind::file},
                              {"test", CaptureKind::test},
                              {"world", CaptureKind::world}};

}  // namespace

Result<Capture> Capture::make(CaptureOptions options) {
  auto const colon = options.source.find(':');
  auto const scheme = std::string_view(options.source).substr(0, colon);
  auto const* const found =
      std::find_if(std::begin(schemes), std::end(schemes), [&](Scheme const& s) { return s.name == scheme; });
  if (colon == std::string::npos || found == std::end(schemes))
    return fault("source \"{}\": write v4l2:/dev/videoN, file:PATH, test: or world:PATH", options.source);
  auto rest = options.source.substr(colon + 1);
  if (found->kind == CaptureKind::test) {
    if (rest.empty()) rest = "testsrc2";
    // A name only: a filter graph could read any file.
    if (!std::all_of(rest.begin(), rest.end(),
                     [](unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }))
      return fault("source \"{}\": test: takes the name of an FFmpeg source, such as smptebars",
                   options.source);
  } else if (rest.empty()) {
    return fault("source \"{}\": the path is missing", options.source);
  }
  return Capture(std::move(options), found->kind, std::move(rest));
}

Result<std::unique_ptr<Source>> Capture::open() const {
  switch (kind_) {
    case CaptureKind::device:
      return open_device(rest_, options_);
    case CaptureKind::file:
      return open_film(rest_);
    case CaptureKind::test:
      return open_test(rest_, options_);
    case CaptureKind::world:
      return open_world(rest_);
    case CaptureKind::unknown:
      break;
  }
  return fault("no such kind of source");
}

std::optional<Captured> Capture::next(Duration patience) {
  auto at = now();
  if (!source_) {
    if (at < retry_at_) {
      std::this_thread::sleep_for(std::min(patience, retry_at_ - at));
      at = now();
      if (at < retry_at_) return std::nullopt;
    }
    auto opened = open();
    if (!opened) {
      failed(std::move(opened.error().what), at);
      return std::nullopt;
    }
    source_ = std::move(*opened);
    ++status_.opened;
    gave_picture_ = false;
    last_picture_ = at;
  }

  auto picture = source_->next(patience);
  at = now();
  if (!picture) {
    // A film that gave pictures has simply ended: from the beginning, without a pause.
    if (kind_ == CaptureKind::file && gave_picture_) {
      source_.reset();
      retry_at_ = at;
    } else {
      failed(std::move(picture.error().what), at);
    }
    return std::nullopt;
  }
  if (*picture) {
    last_picture_ = at;
    gave_picture_ = true;
    backoff_ = Duration{};
    status_.running = true;
    status_.trouble.clear();
  } else if (at - last_picture_ > options_.silent_after) {
    failed(fmt::format("{} has given no picture for {:.1f} s", options_.source, seconds(at - last_picture_)),
           at);
  }
  return std::move(*picture);
}

void Capture::failed(std::string why, Time at) {
  source_.reset();
  backoff_ = backoff_ == Duration{} ? options_.retry_first : std::min(2 * backoff_, options_.retry_most);
  retry_at_ = at + backoff_;
  status_.running = false;
  status_.trouble = std::move(why);
}

}  // namespace cy::media
