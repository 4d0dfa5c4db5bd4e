// Pictures with their capture times, from the process that makes them to the one that encodes
// them, over shared memory (layout.hpp). One writer, any number of readers; the writer never
// waits for a reader, a reader always gets the newest picture.
//
// Each object belongs to one thread. Times are CLOCK_BOOTTIME and come in, as everywhere. Put the
// path where only the two may write (/dev/shm or a runtime folder); the file is made for its
// owner alone.
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/base/result.hpp>
#include <cy/base/time.hpp>

#include <optional>
#include <string>

namespace cy::media {

struct FrameFormat {
  std::uint32_t width{};   // even, up to 8192
  std::uint32_t height{};  // even, up to 8192
  friend bool operator==(FrameFormat const&, FrameFormat const&) = default;
};

// A mapped file; closes and unmaps itself.
class Mapping {
 public:
  Mapping() = default;
  Mapping(std::uint8_t* at, std::size_t size) : at_(at), size_(size) {}
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  std::uint8_t* at() const { return at_; }
  explicit operator bool() const { return at_ != nullptr; }

 private:
  std::uint8_t* at_{};
  std::size_t size_{};
};

class FramePortWriter {
 public:
  // Makes the file anew; readers of an older one move over to it.
  static Result<FramePortWriter> create(std::string path, FrameFormat format, Time now);
  // Tells the readers that this is the end, and removes the file if it is still this writer's.
  ~FramePortWriter();
  FramePortWriter(FramePortWriter&&) noexcept = default;
  FramePortWriter& operator=(FramePortWriter&&) = delete;

  // Where the next picture goes (I420, frame_bytes long). Nobody sees it before publish.
  MutableBytes begin();
  void publish(std::uint32_t frame_number, Time captured, Time now);
  // "I am alive", at least every 300 ms when no picture comes.
  void beat(Time now);

 private:
  FramePortWriter(std::string path, FrameFormat format, Mapping mapping, std::uint64_t inode)
      : path_(std::move(path)), format_(format), mapping_(std::move(mapping)), inode_(inode) {}
  std::string path_;
  FrameFormat format_;
  Mapping mapping_;
  std::uint64_t inode_;
  std::uint64_t published_{};
};

struct FrameInfo {
  FrameFormat format;
  std::uint32_t number{};
  Time captured{};
  std::uint64_t missed{};  // published since the one read before, and overtaken
};

class FramePortReader {
 public:
  enum class State : std::uint8_t {
    no_file,      // nobody has made it yet
    not_a_port,   // something else lies at the path, or another version wrote it
    alive,        // a writer beats
    writer_gone,  // it closed, or its heartbeat is older than a second
  };
  static constexpr Duration stale_after = 1s;

  explicit FramePortReader(std::string path) : path_(std::move(path)) {}

  // Copies the newest picture that was not read yet into `into` (resized to fit). Waits up to
  // `patience` for one; `now` is the time of the call. Nothing came: see state(), call again;
  // a new writer is found by itself. Without a live writer it returns at once: pause before the next call.
  std::optional<FrameInfo> next(Buffer& into, Duration patience, Time now);
  State state() const { return state_; }

 private:
  bool open();
  bool replaced() const;
  void judge(Time now);
  std::optional<FrameInfo> take(Buffer& into);

  std::string path_;
  Mapping mapping_;
  std::uint64_t device_{};
  std::uint64_t inode_{};
  std::uint64_t seen_{};  // `published` at the last read
  FrameFormat format_;
  State state_{State::no_file};
};

}  // namespace cy::media
