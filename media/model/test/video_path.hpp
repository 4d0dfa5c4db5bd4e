// A camera, the agent's relay, an emulated network both ways and a receiver's pool, in virtual time.
#pragma once

#include <cy/emulate/pipe.hpp>
#include <cy/media/pool.hpp>
#include <cy/media/relay.hpp>

namespace cy::media {

struct VideoPath {
  struct Figures {
    double good{};          // share of the pictures that came out clean
    double overhead{};      // blocks' bytes beyond the coded pictures', as a share of those
    Duration p95{}, p99{};  // capture to shown
  };

  VideoPath(emulate::Schedule const& network, RelayOptions const& relay, PoolOptions const& pool, Seed seed)
      : relay_(relay), there_(network, seed), back_(network, Seed{seed.value + 1}), pool_(stream, pool) {
    pool_.on_round_trip(2 * network.entries.front().path.delay);
    StreamInfo info;
    info.stream = stream;
    info.running = true;
    relay_.on_camera_message(camera, wire::view(wire::body_of(info)), now_);
    relay_.on_subscribe(viewer, {stream, true});
  }

  // Some 1.5 Mbit/s: 6 kB a picture at 30 Hz, keyframes five times that.
  void run(unsigned frames) {
    for (auto i = 0u; i < frames; ++i) {
      take_picture();
      advance(33'333us);
    }
    advance(1s);
  }

  Figures figures() const {
    auto delays = delays_;
    std::sort(delays.begin(), delays.end());
    auto const count = static_cast<double>(taken_);
    auto const at = [&](std::size_t percent) {
      return delays.empty() ? Duration{} : delays[delays.size() * percent / 100];
    };
    return {double(clean_) / count, double(sent_bytes_) / double(coded_bytes_) - 1.0, at(95), at(99)};
  }

 private:
  static constexpr StreamId stream{7};
  static constexpr CameraId camera{1};
  static constexpr ViewerId viewer{1};

  void take_picture() {
    std::vector<CameraOrder> orders;
    relay_.drain(orders);
    for (auto const& order : orders) key_ = key_ || wire::as<KeyframeWanted>(wire::view(order.message));
    CodedFrame frame;
    frame.stream = stream;
    frame.number = taken_++;
    frame.captured = now_.time_since_epoch();
    frame.key = std::exchange(key_, false);
    frame.data.assign(frame.key ? 30'000 : 6'000, static_cast<std::uint8_t>(taken_));
    coded_bytes_ += frame.data.size();
    relay_.on_camera_message(camera, wire::view(wire::body_of(frame)), now_);
  }

  void advance(Duration span) {
    auto const until = now_ + span;
    for (;;) {
      relay_.send(now_, [&](ViewerId, VideoBlock const& block) {
        sent_bytes_ += block.data.size();
        there_.on_datagram(wire::encoded(block), now_);
      });
      for (auto const& delivery : there_.drain(now_))
        pool_.on_block(*decoded<VideoBlock>(delivery.bytes), now_);
      pool_.on_time(now_);
      if (now_ >= next_report_) {
        next_report_ = now_ + 200ms;
        back_.on_datagram(wire::encoded(pool_.report(now_)), now_);
      }
      if (now_ >= next_beat_) {  // the link's heartbeats: bursts are counted in datagrams
        next_beat_ = now_ + 50ms;
        back_.on_datagram({}, now_);
      }
      take_effects();
      for (auto const& delivery : back_.drain(now_)) {
        wire::Walk walk(delivery.bytes);
        if (auto const message = walk.next()) relay_.on_viewer_message(viewer, *message, now_);
      }
      auto next = until;
      for (auto const due : {relay_.deadline(), there_.deadline(), back_.deadline(), pool_.deadline()})
        if (due) next = std::min(next, std::max(*due, now_ + 1us));
      if (next >= until) break;
      now_ = next;
    }
    now_ = until;
  }

  void take_effects() {
    std::vector<PoolEffect> effects;
    pool_.drain(effects);
    for (auto const& effect : effects) {
      if (auto const* shown = std::get_if<Shown>(&effect)) {
        if (shown->clean) ++clean_;
        delays_.push_back(shown->delay);
      } else if (auto const* wanted = std::get_if<Wanted>(&effect)) {
        back_.on_datagram(wire::encoded(wanted->message), now_);
      } else if (auto const* lacking = std::get_if<Lacking>(&effect)) {
        back_.on_datagram(wire::encoded(lacking->message), now_);
      }
    }
  }
  template <wire::Message M>
  static std::optional<M> decoded(Bytes bytes) {
    wire::Walk walk(bytes);
    return wire::as<M>(*walk.next());
  }

  Relay relay_;
  emulate::Pipe there_, back_;
  Pool pool_;
  Time now_{1s};
  Time next_report_{}, next_beat_{};
  bool key_ = true;
  std::uint32_t taken_ = 0;
  std::size_t coded_bytes_ = 0, sent_bytes_ = 0, clean_ = 0;
  std::vector<Duration> delays_;
};

}  // namespace cy::media
