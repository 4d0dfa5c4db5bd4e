// The head of every datagram, and the box that finished ones wait in.
//
//   byte 0     version (high 4 bits, now 1) and kind (low 4 bits)
//   bytes 1-3  session: the receiver's index for it; in a hello the sender's own
//   bytes 4-7  sequence, lower 32 bits; the receiver extends it to 64, which is the nonce
//   bytes 8-11 time stamp in µs, sealed      } not in the handshake
//   …          messages, sealed              }
//   16 bytes   tag (clear mode: CRC-32C, 4 bytes)
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/base/endpoint.hpp>
#include <cy/seal/fault.hpp>
#include <cy/seal/noise.hpp>

#include <string_view>

namespace cy::session {

inline constexpr std::uint8_t version = 1;
inline constexpr std::size_t head_size = 8;
inline constexpr std::size_t stamp_size = 4;
inline constexpr std::size_t overhead = head_size + stamp_size + seal::tag_size;
static_assert(overhead == 28);
inline constexpr std::size_t max_datagram = 1472;  // 1500 less IPv4 and UDP heads
inline constexpr std::uint32_t index_mask = 0x00ff'ffff;

enum class Kind : std::uint8_t {
  hello = 1,
  welcome = 2,
  data = 3,
  clear_hello = 4,
  clear_welcome = 5,
  clear_data = 6,
  cookie = 7,       // the listener has many hellos: say yours again with this
  proven_hello = 8  // a cookie, then what a hello holds
};

struct DatagramHead {
  Kind kind{};
  std::uint32_t session{};  // 24 bits
  std::uint32_t sequence{};
};

// Binds the handshake to this protocol, its version and its mode.
inline constexpr std::string_view prologue = "CyLib 1 sealed";

inline void store_head(std::uint8_t* at, DatagramHead head) {
  store_le<std::uint32_t>(at, (head.session << 8) | static_cast<std::uint32_t>(version << 4) |
                                  static_cast<std::uint32_t>(head.kind));
  store_le<std::uint32_t>(at + 4, head.sequence);
}

// Why a datagram was dropped. Each is counted; the screen shows exactly these.
enum class Drop : std::uint8_t {
  too_short,
  other_version,
  unknown_kind,
  unknown_session,
  bad_tag,
  replayed,
  too_old,
  wrong_epoch,
  malformed,
  bad_handshake,
  untrusted,
  clear_refused,
  busy,
  unexpected,
  too_large  // a message of our own that the link does not carry
};
constexpr auto names(Drop) {
  return std::array<std::string_view, 15>{"too short", "other version", "unknown kind",  "unknown session",
                                          "bad tag",   "replayed",      "too old",       "wrong epoch",
                                          "malformed", "bad handshake", "untrusted key", "clear refused",
                                          "busy",      "unexpected",    "too large"};
}
inline constexpr std::size_t drop_kinds = 15;

class Drops {
 public:
  void count(Drop why) { ++counts_[static_cast<std::size_t>(why)]; }
  std::uint64_t operator[](Drop why) const { return counts_[static_cast<std::size_t>(why)]; }
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (auto const n : counts_) sum += n;
    return sum;
  }
  Drops& operator+=(Drops const& other) {
    for (std::size_t i = 0; i < drop_kinds; ++i) counts_[i] += other.counts_[i];
    return *this;
  }

 private:
  std::array<std::uint64_t, drop_kinds> counts_{};
};

Drop drop_of(seal::SealFault fault);

// Datagrams ready to be sent, in order, in one piece of memory that is used again and again.
class Outbox {
 public:
  struct Item {
    Endpoint to;
    std::size_t offset;
    std::size_t size;
  };
  void add(Endpoint const& to, Bytes datagram) {
    items_.push_back({to, arena_.size(), datagram.size()});
    arena_.insert(arena_.end(), datagram.begin(), datagram.end());
  }
  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  Endpoint const& to(std::size_t i) const { return items_[i].to; }
  Bytes bytes(std::size_t i) const { return Bytes(arena_).subspan(items_[i].offset, items_[i].size); }
  MutableBytes bytes(std::size_t i) { return MutableBytes(arena_).subspan(items_[i].offset, items_[i].size); }
  void clear() {
    items_.clear();
    arena_.clear();
  }

 private:
  std::vector<Item> items_;
  Buffer arena_;
};

}  // namespace cy::session
