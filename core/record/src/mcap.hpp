// MCAP's record kinds and how its primitive types are written.
#pragma once

#include <cy/base/bytes.hpp>

#include <string_view>

namespace cy::record::mcap {

inline constexpr std::array<std::uint8_t, 8> magic{0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

enum Kind : std::uint8_t {
  header = 0x01,
  footer = 0x02,
  schema = 0x03,
  channel = 0x04,
  message = 0x05,
  chunk = 0x06,
  message_index = 0x07,
  chunk_index = 0x08,
  statistics = 0x0b,
  metadata = 0x0c,
  metadata_index = 0x0d,
  summary_offset = 0x0e,
  data_end = 0x0f,
};

template <class T>
requires std::is_arithmetic_v<T>
void put(Buffer& out, T value) {
  auto const at = out.size();
  out.resize(at + sizeof value);
  store_le(out.data() + at, value);
}

inline void put_raw(Buffer& out, Bytes bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// With its length in front, as strings, maps and arrays have it.
inline void put_sized(Buffer& out, Bytes bytes) {
  put(out, static_cast<std::uint32_t>(bytes.size()));
  put_raw(out, bytes);
}
inline void put_sized(Buffer& out, std::string_view text) {
  put_sized(out, bytes_of(text));
}

// One record while it is being written: the length is filled in at the end of the scope.
class Record {
 public:
  Record(Buffer& out, Kind kind) : out_(out) {
    put(out_, static_cast<std::uint8_t>(kind));
    put(out_, std::uint64_t{0});
    start_ = out_.size();
  }
  Record(Record const&) = delete;
  Record& operator=(Record const&) = delete;
  ~Record() { store_le(out_.data() + start_ - 8, std::uint64_t{out_.size() - start_}); }

 private:
  Buffer& out_;
  std::size_t start_;
};

}  // namespace cy::record::mcap
