// What waits to be sent to the agent: the newest word on the stream, and at most two frames. When
// the agent does not take them the frames are dropped, as are those that build on them, and the
// next one taken in is a keyframe. Pure, so that tests need no socket.
#pragma once

#include <cy/media/messages.hpp>

#include <deque>

namespace cy::camera {

// A local link's frame: u32 length in little-endian, then so many bytes of messages.
template <wire::Message M>
Buffer framed(M const& message) {
  auto const size = wire::size_of(message);
  Buffer bytes(4 + size);
  store_le(bytes.data(), static_cast<std::uint32_t>(size));
  wire::encode(message, MutableBytes(bytes).subspan(4));
  return bytes;
}

class Outbox {
 public:
  static constexpr std::size_t most_frames = 2;

  void put(media::StreamInfo const& info) { info_ = framed(info); }
  // False: refused; a keyframe is wanted.
  bool put(media::CodedFrame const& frame);

  // What to write next, and how much of it was written.
  Bytes front();
  void written(std::size_t bytes);

  // The connection was lost, and with it all that waited.
  void clear();

  std::size_t frames() const { return frames_.size(); }
  std::uint64_t dropped() const { return dropped_; }

 private:
  std::optional<Buffer> info_;
  std::deque<Buffer> frames_;
  Buffer sending_;
  std::size_t sent_{};  // of sending_
  bool starved_{};      // a frame was dropped: only a keyframe helps
  std::uint64_t dropped_{};
};

}  // namespace cy::camera
