// Little-endian pieces of a payload: a reader that remembers running short, and a writer that
// stops at a frame's size.
#pragma once

#include <cy/codec/arcos_frame.hpp>

#include <optional>
#include <string>

namespace cy::arcos {

class Pieces {
 public:
  explicit Pieces(Bytes bytes) : left_(bytes) {}

  std::size_t left() const { return left_.size(); }
  bool ran_short() const { return short_; }

  template <class T>
  T number() {
    if (left_.size() < sizeof(T)) {
      short_ = true;
      left_ = {};
      return {};
    }
    auto const value = load_le<T>(left_.data());
    left_ = left_.subspan(sizeof(T));
    return value;
  }
  // A field that shorter packets lack.
  template <class T>
  void optional(std::optional<T>& value) {
    if (left_.size() < sizeof(T))
      left_ = {};
    else
      value = number<T>();
  }
  Bytes raw(std::size_t size) {
    if (left_.size() < size) {
      short_ = true;
      left_ = {};
      return {};
    }
    auto const part = left_.first(size);
    left_ = left_.subspan(size);
    return part;
  }
  // NUL-terminated; a text that the packet's end cuts off counts as far as it goes.
  std::string text() {
    auto size = std::size_t{0};
    while (size < left_.size() && left_[size] != 0) ++size;
    std::string const value(text_of(left_.first(size)));
    left_ = left_.subspan(size < left_.size() ? size + 1 : size);
    return value;
  }

 private:
  Bytes left_;
  bool short_{};
};

class Payload {
 public:
  explicit Payload(std::uint8_t id) { bytes_.push_back(id); }

  std::size_t room() const { return payload_max - bytes_.size(); }

  // Each writes its value whole, or nothing and says false.
  template <class T>
  bool number(T value) {
    if (room() < sizeof value) return false;
    bytes_.resize(bytes_.size() + sizeof value);
    store_le(bytes_.data() + bytes_.size() - sizeof value, value);
    return true;
  }
  bool raw(Bytes part) {
    if (room() < part.size()) return false;
    bytes_.insert(bytes_.end(), part.begin(), part.end());
    return true;
  }
  bool text(std::string_view value) {
    value = value.substr(0, value.find('\0'));
    if (room() < value.size() + 1) return false;
    raw(bytes_of(value));
    return number<std::uint8_t>(0);
  }

  Buffer framed() const { return frame(bytes_); }

 private:
  Buffer bytes_;
};

// The pieces behind the ID, when the payload is that packet.
template <class Is>
Decoded<Pieces> open_if(Bytes payload, Is&& is) {
  if (payload.empty()) return tl::unexpected(Malformed::empty);
  if (!is(payload[0])) return tl::unexpected(Malformed::other_packet);
  return Pieces(payload.subspan(1));
}
inline Decoded<Pieces> open(Bytes payload, std::uint8_t id) {
  return open_if(payload, [id](std::uint8_t seen) { return seen == id; });
}

template <class T>
Decoded<T> whole(T value, Pieces const& pieces) {
  if (pieces.ran_short()) return tl::unexpected(Malformed::truncated);
  return value;
}

}  // namespace cy::arcos
