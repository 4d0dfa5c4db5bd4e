// The agent's side of video: coded frames from cameras go out as blocks to every viewer, and the
// viewers' wishes come back to the cameras. One encoding and one pacer for each stream, however
// many watch it.
//
// Pure. After each call: drain() has what the cameras are to be told; at deadline(): send().
#pragma once

#include <cy/base/time.hpp>
#include <cy/media/keyframe_budget.hpp>
#include <cy/media/pacer.hpp>
#include <cy/media/redundancy.hpp>

#include <deque>
#include <map>
#include <set>

namespace cy::media {

using CameraId = Id<struct CameraTag>;  // a camera process's connection
using ViewerId = Id<struct ViewerTag>;  // a session

struct RelayOptions {
  std::size_t block_bytes = default_block_bytes;
  // In all, and watched by one viewer: no agent has so many cameras. More is a mistake or malice, and
  // must not fill the memory.
  std::size_t most_streams = 64;
  PacerOptions pacer;
  KeyframeBudgetOptions keyframes;
  RedundancyOptions redundancy;
  // Of what a viewer asks for again, in blocks for each block that is sent anyway, and at most at once: an
  // onlooker must not be able to fill the link that somebody drives by.
  double resend_share = 0.5;
  double resend_burst = 128.0;
};

// What cameras said that was not taken.
struct RelayDrops {
  std::uint64_t foreign{};    // frames of a stream that is another camera's, or nobody's
  std::uint64_t old{};        // frames whose number is not newer than the last one's
  std::uint64_t shapeless{};  // frames that are empty or too large for the link
  std::uint64_t too_many{};   // announcements beyond most_streams
  bool operator==(RelayDrops const&) const = default;
};

// To be said to a camera.
struct CameraOrder {
  CameraId camera;
  wire::Body message;
};

class Relay {
 public:
  explicit Relay(RelayOptions const& options = {}) : options_(options) {}

  // A message from a camera's connection: any bytes. A stream belongs to the camera that announced it
  // last, and only that one's frames are taken, each newer than the one before.
  void on_camera_message(CameraId camera, wire::Raw message, Time now);
  void on_camera_gone(CameraId camera);
  // A wish for a stream that no camera has announced yet is kept and served when one does. False: the
  // viewer wishes for more than most_streams.
  bool on_subscribe(ViewerId viewer, Subscribe const& wish);
  void on_viewer_gone(ViewerId viewer);
  // KeyframeWanted, BlocksWanted and ReceiverReport count from who watches the stream; all else is passed
  // over.
  void on_viewer_message(ViewerId viewer, wire::Raw message, Time now);
  // The picture changes for everybody: the caller has seen that this viewer's role allows it. False:
  // the viewer does not watch the stream, or its camera is away.
  bool on_quality_order(ViewerId viewer, QualityOrder const& order);

  // Hands every block that may go now to `post(viewer, block)`.
  template <class Post>
  void send(Time now, Post&& post) {
    for (auto& [id, stream] : streams_) {
      for (auto const& [to, block] : std::exchange(stream.resends, {})) post(to, block);
      while (auto const piece = next(stream, now)) {
        for (auto const& [to, viewer] : stream.viewers) post(to, block_);
        if (piece->last) on_sent(stream, piece->frame);
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
  RelayDrops const& drops() const { return drops_; }
  // When the picture of this number was taken that is of this robot, or of none; nothing: not one of
  // the last `remembered` of its stream. Where several streams have the number: the newest.
  std::optional<Time> captured_at(std::uint16_t robot, std::uint32_t number) const;

 private:
  // Far more than anybody may still drive by: four seconds of the fastest camera.
  static constexpr std::size_t remembered = 256;
  // Frames that may still be asked for: the pool's span at 30 Hz, and some more.
  static constexpr std::size_t kept = 16;
  // A frame that is being sent, or was sent lately and may be asked for.
  struct Outgoing {
    CodedFrame frame;
    std::size_t blocks{};
    std::vector<Buffer> parity;
    std::size_t rows{};                      // made so far
    std::map<ViewerId, std::uint8_t> asked;  // the newest ask of each that was answered
  };
  struct Viewer {
    Redundancy redundancy;
    double credit{};  // blocks that may be sent again
  };
  // Frames wait under a number of the relay's own: the camera's may be anything.
  struct Stream {
    StreamInfo info;
    CameraId camera;                     // none: its process is away
    std::map<ViewerId, Viewer> viewers;  // all get the parity that the worst link among them needs
    Pacer pacer;
    KeyframeBudget budget;
    std::map<std::uint32_t, Outgoing> frames;  // not all sent yet
    std::deque<Outgoing> sent;                 // oldest first
    std::vector<std::pair<ViewerId, VideoBlock>> resends;
    std::uint32_t taken{};                                // frames, ever: the next one's own number
    std::optional<std::uint32_t> newest;                  // the camera's number
    std::deque<std::pair<std::uint32_t, Time>> captured;  // by the camera's number, oldest first
  };
  void on_info(CameraId camera, StreamInfo info, Time now);
  void on_frame(CameraId camera, CodedFrame frame, Time now);
  Stream* find(StreamId id);
  // Null: the viewer does not watch it.
  Stream* watched(StreamId id, ViewerId viewer);
  std::size_t wishes(ViewerId viewer) const;
  void unsubscribe(ViewerId viewer, std::uint16_t stream);
  void watch(Stream& stream, bool on);
  void join(Stream& stream, ViewerId viewer);
  void on_blocks_wanted(Stream& stream, ViewerId viewer, BlocksWanted const& wanted);
  void on_sent(Stream& stream, std::uint32_t own);
  std::optional<Piece> next(Stream& stream, Time now);
  void drop_refused(Stream& stream);
  void ask_for_keyframe(Stream& stream, Time now);

  RelayOptions options_;
  std::map<std::uint16_t, Stream> streams_;              // announced by a camera, now or before
  std::map<std::uint16_t, std::set<ViewerId>> awaited_;  // not announced yet, and by whom
  VideoBlock block_;
  std::vector<std::uint32_t> dropped_;
  std::vector<CameraOrder> orders_;
  RelayDrops drops_;
  bool changed_ = false;
};

}  // namespace cy::media
