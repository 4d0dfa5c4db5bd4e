#include "worker.hpp"

#include <spdlog/spdlog.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace cy::camera {
namespace {

constexpr auto idle_look = 500ms;  // how often an unwatched camera is looked at, to know that it lives

Duration cpu_time() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec);
}

// Numbers go on after a restart: no camera makes more than a thousand frames a second.
std::uint32_t first_number(Time now) {
  return static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count());
}

int even(int n) {
  return n & ~1;
}

// No side is made larger than the source's: that costs bits and shows nothing.
int side(int wanted, int source) {
  return even(std::clamp(wanted, 16, std::clamp(source, 16, largest_side)));
}

// What the newer order leaves out stays as the older one had it.
void add(std::optional<media::QualityOrder>& to, media::QualityOrder const& newer) {
  if (!to) to.emplace();
  if (newer.bitrate) to->bitrate = newer.bitrate;
  if (newer.fps) to->fps = newer.fps;
  if (newer.width) to->width = newer.width;
  if (newer.height) to->height = newer.height;
  if (newer.codec) to->codec = newer.codec;
}

media::EncoderOptions options_for(Settings const& settings, AVFrame const& picture) {
  media::EncoderOptions options;
  options.codec = settings.codec;
  options.encoder = settings.encoder;
  options.width = settings.width > 0 ? settings.width : even(media::width_of(picture));
  options.height = settings.height > 0 ? settings.height : even(media::height_of(picture));
  options.fps = settings.fps;
  options.bitrate = settings.bitrate;
  return options;
}

bool same(media::StreamInfo const& a, media::StreamInfo const& b) {
  return wire::encoded(a) == wire::encoded(b);
}

}  // namespace

Result<Worker> Worker::make(Settings settings, Exchange& exchange) {
  media::CaptureOptions options;
  options.source = settings.source;
  options.width = settings.width;
  options.height = settings.height;
  options.fps = settings.fps;
  auto capture = media::Capture::make(options);
  if (!capture) return tl::unexpected(capture.error());
  // Say at once what can never be encoded; the size is not known before the first picture.
  media::EncoderOptions trial;
  trial.codec = settings.codec;
  trial.encoder = settings.encoder;
  trial.fps = settings.fps;
  trial.bitrate = settings.bitrate;
  if (settings.width > 0) trial.width = settings.width;
  if (settings.height > 0) trial.height = settings.height;
  if (auto encoder = media::Encoder::open(trial); !encoder) return tl::unexpected(encoder.error());
  return Worker(std::move(settings), std::move(*capture), exchange);
}

Worker::Worker(Settings settings, media::Capture capture, Exchange& exchange)
    : settings_(std::move(settings)),
      capture_(std::move(capture)),
      exchange_(exchange),
      gate_(settings_.fps),
      number_(first_number(media::now())) {
  info_.stream = media::StreamId{settings_.stream};
  info_.name = settings_.name;
  info_.robot = settings_.robot;
  info_.codec = settings_.codec;
  info_.width = static_cast<std::uint16_t>(settings_.width);
  info_.height = static_cast<std::uint16_t>(settings_.height);
  info_.fps = settings_.fps;
  info_.bitrate = settings_.bitrate;
  info_.capture = capture_.kind();
  info_.trouble = "starting";
}

void Worker::run() {
  tell(info_.trouble);
  figures_.since = media::now();
  figures_.cpu = cpu_time();
  auto was_watched = false;
  for (;;) {
    auto const orders = exchange_.take();
    if (orders.stop) return;
    obey(orders, media::now());
    auto const picture = capture_.next(100ms);
    // What a device kept while nobody watched is old.
    auto const stale = orders.watched && !was_watched && capture_.kind() == media::CaptureKind::device;
    if (picture && !stale) {
      ++figures_.captured;
      if (auto const wish = std::exchange(wished_, std::nullopt)) obey(*wish, *picture->frame);
      // An unwatched camera encodes one picture, so that everybody can know what the stream will be.
      auto const unknown = info_.codec_string.empty() && !encoder_;
      if (orders.watched ? gate_.pass(picture->at) : unknown) encode(*picture, orders.watched);
    }
    was_watched = orders.watched;
    auto const& status = capture_.status();
    info_.running = status.running && encoder_trouble_.empty();
    tell(status.running ? encoder_trouble_ : status.trouble);
    if (settings_.stats) tell_stats(media::now());
    if (!orders.watched) exchange_.wait_idle(picture || !status.running ? idle_look : Duration{});
  }
}

void Worker::obey(Orders const& orders, Time now) {
  if (orders.joined || orders.dropped) keyframes_.on_join();
  for (auto const& wanted : orders.keyframes) keyframes_.on_wanted(wanted, now);
  for (auto const& order : orders.quality) add(wished_, order);
}

// Whole or not at all: an encoder that works is given up only for one that works.
void Worker::obey(media::QualityOrder const& order, AVFrame const& picture) {
  auto next = settings_;
  if (order.bitrate) next.bitrate = std::clamp<std::uint32_t>(*order.bitrate, 50'000, 50'000'000);
  if (order.fps && std::isfinite(*order.fps)) next.fps = std::clamp(*order.fps, 1.0, 240.0);
  if (order.width && order.height) {
    next.width = side(*order.width, media::width_of(picture));
    next.height = side(*order.height, media::height_of(picture));
  }
  if (order.codec && *order.codec != settings_.codec) {
    next.codec = *order.codec;
    next.encoder.clear();
  }
  auto const refused = [](Fault const& why) {
    spdlog::warn("a quality order is not followed: {}", why.what);
  };
  if (next.codec != settings_.codec || next.width != settings_.width || next.height != settings_.height) {
    auto opened = media::Encoder::open(options_for(next, picture));
    if (!opened) return refused(opened.error());
    info_.codec_string.clear();
    take(std::move(*opened));
  } else if (encoder_ && next.bitrate != settings_.bitrate) {
    if (auto const done = encoder_->set_bitrate(next.bitrate); !done) return refused(done.error());
  }
  settings_ = std::move(next);
  gate_.set(settings_.fps);
  info_.codec = settings_.codec;
  info_.bitrate = settings_.bitrate;
  info_.fps = settings_.fps;
}

bool Worker::open_encoder(AVFrame const& picture) {
  auto opened = media::Encoder::open(options_for(settings_, picture));
  if (!opened) {
    encoder_trouble_ = opened.error().what;
    return false;
  }
  take(std::move(*opened));
  return true;
}

void Worker::take(media::Encoder encoder) {
  encoder_trouble_.clear();
  encoder_.emplace(std::move(encoder));
  auto const& options = encoder_->options();
  info_.width = static_cast<std::uint16_t>(options.width);
  info_.height = static_cast<std::uint16_t>(options.height);
  info_.encoder = options.encoder;
}

void Worker::encode(media::Captured const& picture, bool watched) {
  if (!encoder_ && !open_encoder(*picture.frame)) return;
  auto const begin = media::now();
  coded_.clear();
  auto const key = watched && keyframes_.take(begin);
  if (auto const done = encoder_->encode(picture, key, coded_); !done) {
    encoder_trouble_ = done.error().what;
    encoder_.reset();
    return;
  }
  auto const end = media::now();
  figures_.encoding += end - begin;
  figures_.slowest = std::max(figures_.slowest, end - begin);
  for (auto& coded : coded_) {
    if (coded.key) {
      auto name = media::codec_string(settings_.codec, coded.data);
      if (name != info_.codec_string) info_.codec_string = std::move(name);
    }
    if (!watched) continue;
    if (coded.key) {
      keyframes_.on_keyframe(number_, end);
      ++figures_.keys;
      info_.running = true;
      tell({});  // before the picture that it explains
    }
    ++figures_.encoded;
    figures_.bytes += coded.data.size();
    exchange_.put(media::CodedFrame{info_.stream, number_++, coded.captured.time_since_epoch(),
                                    end.time_since_epoch(), coded.key, settings_.codec,
                                    std::move(coded.data)});
  }
}

void Worker::tell(std::string trouble) {
  info_.trouble = std::move(trouble);
  if (told_once_ && same(info_, told_)) return;
  if (told_once_ && info_.trouble != told_.trouble) {
    if (!info_.trouble.empty())
      spdlog::warn("{}", info_.trouble);
    else
      spdlog::info("{} runs: {}x{} {} {}", settings_.source, info_.width, info_.height, info_.codec,
                   info_.codec_string);
  }
  told_once_ = true;
  told_ = info_;
  exchange_.put(info_);
}

void Worker::tell_stats(Time now) {
  auto const span = now - figures_.since;
  if (span < 1s) return;
  auto const cpu = cpu_time();
  auto const dropped = exchange_.with_outbox([](Outbox const& o) { return o.dropped(); });
  spdlog::info(
      "captured {:.1f} Hz, encoded {:.1f} Hz ({} key), {:.0f} kbit/s, encoding {:.2f} ms (most {:.2f}), "
      "dropped {}, cpu {:.1f} %",
      figures_.captured / seconds(span), figures_.encoded / seconds(span), figures_.keys,
      static_cast<double>(figures_.bytes) * 8e-3 / seconds(span),
      figures_.encoded > 0 ? milliseconds(figures_.encoding) / figures_.encoded : 0.0,
      milliseconds(figures_.slowest), dropped, 100.0 * seconds(cpu - figures_.cpu) / seconds(span));
  figures_ = {};
  figures_.since = now;
  figures_.cpu = cpu;
}

}  // namespace cy::camera
