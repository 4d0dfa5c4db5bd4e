// ARCOS framing:  FA FB  N  ID args…  CH CL,  where N counts the bytes after itself.
//
// There is no byte stuffing, no acknowledgement and no retransmission. FA FB may occur inside a
// packet, so the Framer believes a header only when length and checksum agree, and otherwise
// starts again one byte after that header: a damaged frame costs no other frame.
#pragma once

#include <cy/base/bytes.hpp>

#include <tl/expected.hpp>

#include <string_view>
#include <vector>

namespace cy::arcos {

inline constexpr std::uint8_t header_first = 0xfa;
inline constexpr std::uint8_t header_second = 0xfb;
inline constexpr std::size_t payload_max = 253;  // N is one byte and counts the checksum too
inline constexpr std::size_t frame_max = payload_max + 5;

enum class Malformed : std::uint8_t { empty, other_packet, truncated, bad_argument };
constexpr auto names(Malformed) {
  return std::array<std::string_view, 4>{"empty", "other packet", "truncated", "bad argument"};
}

template <class T>
using Decoded = tl::expected<T, Malformed>;

// Over the payload: pairs of bytes, first byte high, added; an odd last byte is XORed in low.
std::uint16_t checksum(Bytes payload);

// The whole frame. Precondition: 1 to payload_max bytes.
Buffer frame(Bytes payload);

struct FramerCounts {
  std::uint64_t good{};          // frames
  std::uint64_t bad_checksum{};  // headers whose body did not add up
  std::uint64_t bad_length{};    // headers with N < 3
  std::uint64_t stray{};         // bytes that belonged to no frame
  std::uint64_t stalled{};       // bodies that were given up
};

class Framer {
 public:
  // The payloads of the frames that these bytes complete, in order.
  std::vector<Buffer> feed(Bytes bytes);

  // Bytes held back because a frame may still be coming in.
  std::size_t pending() const { return held_.size(); }

  // The rest of the held frame is not coming: looks for frames behind its header. When to call it
  // is its owner's decision, who has a clock.
  std::vector<Buffer> give_up();

  // Forgets the held bytes; the counts stay.
  void reset() { held_.clear(); }

  FramerCounts const& counts() const { return counts_; }

 private:
  std::vector<Buffer> scan(bool give_up_first);

  Buffer held_;  // at most one incomplete frame between calls
  FramerCounts counts_;
};

}  // namespace cy::arcos
