// The one place where the camera's two threads meet: the worker that takes and encodes pictures,
// and the main thread that talks to the agent. Thread-safe.
#pragma once

#include <cy/media/messages.hpp>

#include "outbox.hpp"
#include <condition_variable>
#include <functional>
#include <mutex>

namespace cy::camera {

// What the agent asked for since the last look.
struct Orders {
  bool stop{};     // the process ends
  bool watched{};  // somebody looks at the stream
  bool joined{};   // and began to since the last look
  bool dropped{};  // frames were dropped on the way to the agent
  std::vector<media::KeyframeWanted> keyframes;
  std::vector<media::QualityOrder> quality;
};

class Exchange {
 public:
  // `wake` is called by the worker when there is something to send.
  explicit Exchange(std::function<void()> wake) : wake_(std::move(wake)) {}

  // ---- the worker's side ----
  void put(media::StreamInfo const& info);
  void put(media::CodedFrame const& frame);
  Orders take();
  // Until somebody watches, an end is asked for, or the time is over.
  void wait_idle(Duration most);

  // ---- the main thread's side ----
  // With the lock held: reads and advances the outbox.
  template <class Visit>
  auto with_outbox(Visit visit) {
    std::scoped_lock const lock(mutex_);
    return visit(outbox_);
  }
  void on_connected();
  void on_disconnected();
  void on_subscribe(bool on);
  void on_keyframe_wanted(media::KeyframeWanted const& wanted);
  void on_quality(media::QualityOrder const& order);
  void stop();

 private:
  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Outbox outbox_;
  Orders orders_;
  std::optional<media::StreamInfo> info_;
  bool connected_{};
};

}  // namespace cy::camera
