// The agent's side of video: coded frames from cameras go out as blocks to every viewer, and the
// viewers' wishes come back to the cameras. One encoding and one pacer for each stream, however
// many watch it.
//
// Pure. After each call: drain() has what the cameras are to be told; at deadline(): send().
#pragma once

#include <cy/base/time.hpp>
#include <cy/media/keyframe_budget.hpp>
#include <cy/media/pacer.hpp>

#include <map>
#include <set>

namespace cy::media {

using CameraId = Id<struct CameraTag>;  // a camera process's connection
using ViewerId = Id<struct ViewerTag>;  // a session

struct RelayOptions {
  std::size_t block_bytes = default_block_bytes;
  PacerOptions pacer;
  KeyframeBudgetOptions keyframes;
};

// To be said to a camera.
struct CameraOrder {
  CameraId camera;
  wire::Body message;
};

class Relay {
 public:
  explicit Relay(RelayOptions const& options = {}) : options_(options) {}

  // A message from a camera's connection. A stream belongs to the camera that announced it last.
  void on_camera_message(CameraId camera, wire::Raw message, Time now);
  void on_camera_gone(CameraId camera);
  // False: no such stream yet. The wish is kept all the same and served when it appears.
  bool on_subscribe(ViewerId viewer, Subscribe const& wish);
  void on_viewer_gone(ViewerId viewer);
  // KeyframeWanted, QualityOrder and ReceiverReport; false when the message is none of these.
  bool on_viewer_message(ViewerId viewer, wire::Raw message, Time now);

  // Hands every block that may go now to `post(viewer, block)`.
  template <class Post>
  void send(Time now, Post&& post) {
    for (auto& [id, stream] : streams_) {
      while (auto const piece = next(stream, now)) {
        for (auto const viewer : stream.viewers) post(viewer, block_);
        if (piece->last) forget(stream, piece->frame);
      }
      drop_refused(stream);
      ask_for_keyframe(stream, now);
    }
  }
  std::optional<Time> deadline() const;
  void drain(std::vector<CameraOrder>& into);

  // The streams' descriptions; `true` once after a change.
  std::vector<StreamInfo> streams() const;
  bool take_changed() { return std::exchange(changed_, false); }

 private:
  struct Stream {
    StreamInfo info;
    CameraId camera;  // none: its process is away
    std::set<ViewerId> viewers;
    Pacer pacer;
    KeyframeBudget budget;
    std::map<std::uint32_t, CodedFrame> frames;  // not all sent yet
  };
  Stream& stream_of(StreamId id);
  void on_frame(CodedFrame frame, Time now);
  void watch(Stream& stream, bool on);
  std::optional<Piece> next(Stream& stream, Time now);
  void forget(Stream& stream, std::uint32_t frame) { stream.frames.erase(frame); }
  void drop_refused(Stream& stream);
  void ask_for_keyframe(Stream& stream, Time now);

  RelayOptions options_;
  std::map<std::uint16_t, Stream> streams_;
  VideoBlock block_;
  std::vector<std::uint32_t> dropped_;
  std::vector<CameraOrder> orders_;
  bool changed_ = false;
};

}  // namespace cy::media
