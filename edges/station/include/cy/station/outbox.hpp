// What waits to be sent to one page: bounded, however slow the page is.
//
//   answers    in order, never dropped; a page that lets too many wait is given up by its owner
//   states     newest wins, one for each thing they are about; in the order of the newest
//   pictures   newest wins: a picture that stands for itself replaces those before it, and when too
//              many wait all are dropped, and the rest up to the next key frame with them
//
// Pure. Bytes are shared between pages, so a picture is in memory once.
#pragma once

#include <cy/media/messages.hpp>

#include <deque>
#include <map>
#include <memory>

namespace cy::station {

using Shared = std::shared_ptr<Buffer const>;

template <wire::Message M>
Shared shared(M const& message) {
  return std::make_shared<Buffer const>(wire::encoded(message));
}

// A picture on its way to all pages that want it.
struct Passing {
  media::Picture head;  // without its data
  Shared data;
  Time came{};
};

struct OutboxOptions {
  std::size_t most_answers = 256;  // a page sends at most a few in a second
  std::size_t most_pictures = 3;   // of one stream: 100 ms at 30 fps
  std::size_t batch = 256 * 1024;  // bytes in one WebSocket message, at least one picture
};

class Outbox {
 public:
  explicit Outbox(OutboxOptions const& options = {}) : options_(options) {}

  void answer(Shared message);
  // `about` tells apart what has the same type: a robot, a stream.
  void state(wire::Type type, std::uint16_t about, Shared message);
  enum class Fate : std::uint8_t { queued, waits_for_key, dropped };
  // dropped: this and what waited of the stream is gone; a key frame is needed.
  Fate picture(std::shared_ptr<Passing const> picture);
  // Forgets what waits of a stream; its next picture must be a key frame.
  void forget(media::StreamId stream) { streams_.erase(stream.value); }

  bool empty() const;
  bool overfull() const { return answers_.size() > options_.most_answers; }
  std::uint64_t dropped() const { return dropped_; }
  // The next WebSocket message, in pieces. Pictures say their age at `now`.
  std::vector<Shared> take(Time now);

 private:
  struct State {
    std::uint32_t key;
    Shared message;
  };
  struct Stream {
    bool clean = false;  // the page has all that the next picture builds on
    std::deque<std::shared_ptr<Passing const>> waiting;
  };

  OutboxOptions options_;
  std::deque<Shared> answers_;
  std::deque<State> states_;
  std::map<std::uint16_t, Stream> streams_;
  std::uint64_t dropped_ = 0;
};

}  // namespace cy::station
