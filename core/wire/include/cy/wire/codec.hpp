// Messages to bytes and back.
//
// A message is   type u16 · size varint · fields.   Numbers are little-endian and fixed in size;
// bool is one byte; string and vector are a varint count and the elements; optional is one byte
// and the value; an enum is its underlying number; Duration is i64 nanoseconds; a Struct is a
// varint size and its fields; a Body is a message. A varint is LEB128, at most 4 bytes (2^28-1).
//
// Decoding is bounded by the bytes at hand: no count is believed before the bytes for it are
// there. It yields a whole message or a Malformed, never half. A message that ends exactly
// between two fields is an older writer's: the remaining fields keep their defaults.
#pragma once

#include <cy/wire/fields.hpp>

#include <tl/expected.hpp>

#include <algorithm>

namespace cy::wire {

enum class Malformed : std::uint8_t { truncated, bad_varint, bad_count, bad_flag };
constexpr auto names(Malformed) {
  return std::array<std::string_view, 4>{"truncated", "bad varint", "bad count", "bad flag"};
}

constexpr std::size_t varint_size(std::size_t n) {
  return n < 0x80 ? 1 : n < 0x4000 ? 2 : n < 0x20'0000 ? 3 : 4;
}

// ---- sizes -------------------------------------------------------------------------------

template <class T>
std::size_t size_of_value(T const& v);

template <Struct S>
std::size_t size_of_fields(S const& s) {
  std::size_t total = 0;
  for_each_field<S>([&](auto const& f) { total += size_of_value(s.*(f.at)); });
  return total;
}

template <class T>
std::size_t size_of_value(T const& v) {
  if constexpr (std::is_same_v<T, bool>) {
    return 1;
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    return sizeof(T);
  } else if constexpr (IdLike<T>) {
    return sizeof(v.value);
  } else if constexpr (std::is_same_v<T, Duration>) {
    return 8;
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Buffer>) {
    return varint_size(v.size()) + v.size();
  } else if constexpr (VectorLike<T>) {
    auto total = varint_size(v.size());
    for (auto const& e : v) total += size_of_value(e);
    return total;
  } else if constexpr (OptionalLike<T>) {
    return 1 + (v ? size_of_value(*v) : 0);
  } else if constexpr (ArrayLike<T>) {
    std::size_t total = 0;
    for (auto const& e : v) total += size_of_value(e);
    return total;
  } else if constexpr (std::is_same_v<T, Body>) {
    return 2 + varint_size(v.payload.size()) + v.payload.size();
  } else {
    static_assert(Struct<T>, "this type has no place on the wire");
    auto const inner = size_of_fields(v);
    return varint_size(inner) + inner;
  }
}

// With its type and size.
template <Message M>
std::size_t size_of(M const& m) {
  auto const inner = size_of_fields(m);
  return 2 + varint_size(inner) + inner;
}

// Of one that is already encoded.
inline std::size_t size_of(Raw m) {
  return 2 + varint_size(m.payload.size()) + m.payload.size();
}

// ---- writing -----------------------------------------------------------------------------

// Writes at a place that is known to be large enough.
class Writer {
 public:
  explicit Writer(std::uint8_t* at) : at_(at) {}

  void varint(std::size_t n) {
    while (n >= 0x80) {
      *at_++ = static_cast<std::uint8_t>(n | 0x80);
      n >>= 7;
    }
    *at_++ = static_cast<std::uint8_t>(n);
  }
  template <class T>
  requires std::is_arithmetic_v<T>
  void number(T n) {
    store_le(at_, n);
    at_ += sizeof n;
  }
  void raw(void const* data, std::size_t size) {
    if (size > 0) std::memcpy(at_, data, size);
    at_ += size;
  }

  template <class T>
  void value(T const& v) {
    if constexpr (std::is_same_v<T, bool>) {
      number<std::uint8_t>(v ? 1 : 0);
    } else if constexpr (std::is_arithmetic_v<T>) {
      number(v);
    } else if constexpr (std::is_enum_v<T>) {
      number(static_cast<std::underlying_type_t<T>>(v));
    } else if constexpr (IdLike<T>) {
      number(v.value);
    } else if constexpr (std::is_same_v<T, Duration>) {
      number<std::int64_t>(v.count());
    } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, Buffer>) {
      varint(v.size());
      raw(v.data(), v.size());
    } else if constexpr (VectorLike<T>) {
      varint(v.size());
      for (auto const& e : v) value(e);
    } else if constexpr (OptionalLike<T>) {
      number<std::uint8_t>(v ? 1 : 0);
      if (v) value(*v);
    } else if constexpr (ArrayLike<T>) {
      for (auto const& e : v) value(e);
    } else if constexpr (std::is_same_v<T, Body>) {
      number(v.type);
      varint(v.payload.size());
      raw(v.payload.data(), v.payload.size());
    } else {
      varint(size_of_fields(v));
      fields(v);
    }
  }
  template <Struct S>
  void fields(S const& s) {
    for_each_field<S>([&](auto const& f) { value(s.*(f.at)); });
  }

  std::uint8_t* at() const { return at_; }

 private:
  std::uint8_t* at_;
};

// Writes the message at the front of `out`; 0 when it does not fit.
template <Message M>
std::size_t encode(M const& m, MutableBytes out) {
  auto const inner = size_of_fields(m);
  auto const total = 2 + varint_size(inner) + inner;
  if (total > out.size()) return 0;
  Writer w(out.data());
  w.number(M::head.type);
  w.varint(inner);
  w.fields(m);
  return total;
}

// The same for a message that is already encoded.
inline std::size_t encode(Raw m, MutableBytes out) {
  auto const total = size_of(m);
  if (total > out.size()) return 0;
  Writer w(out.data());
  w.number(m.type);
  w.varint(m.payload.size());
  w.raw(m.payload.data(), m.payload.size());
  return total;
}

template <Message M>
Buffer encoded(M const& m) {
  Buffer out(size_of(m));
  encode(m, out);
  return out;
}
inline Buffer encoded(Raw m) {
  Buffer out(size_of(m));
  encode(m, out);
  return out;
}

// Wraps a message into a Body.
template <Message M>
Body body_of(M const& m) {
  Body body{M::head.type, Buffer(size_of_fields(m))};
  Writer(body.payload.data()).fields(m);
  return body;
}

// ---- reading -----------------------------------------------------------------------------

class Reader {
 public:
  explicit Reader(Bytes bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool done() const { return at_ == end_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  std::optional<Malformed> fault() const { return fault_; }

  std::size_t varint() {
    std::size_t n = 0;
    for (auto shift = 0; shift < 28; shift += 7) {
      if (done()) return fail(Malformed::truncated);
      auto const byte = *at_++;
      n |= static_cast<std::size_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return n;
    }
    return fail(Malformed::bad_varint);
  }
  template <class T>
  requires std::is_arithmetic_v<T> T number() {
    if (left() < sizeof(T)) return static_cast<T>(fail(Malformed::truncated));
    auto const n = load_le<T>(at_);
    at_ += sizeof(T);
    return n;
  }
  Bytes raw(std::size_t size) {
    if (left() < size) {
      fail(Malformed::truncated);
      return {};
    }
    Bytes const bytes{at_, size};
    at_ += size;
    return bytes;
  }

  template <class T>
  void value(T& v) {
    if (fault_) return;
    if constexpr (std::is_same_v<T, bool>) {
      v = flag();
    } else if constexpr (std::is_arithmetic_v<T>) {
      v = number<T>();
    } else if constexpr (std::is_enum_v<T>) {
      v = static_cast<T>(number<std::underlying_type_t<T>>());
    } else if constexpr (IdLike<T>) {
      v.value = number<typename T::rep>();
    } else if constexpr (std::is_same_v<T, Duration>) {
      v = Duration(number<std::int64_t>());
    } else if constexpr (std::is_same_v<T, std::string>) {
      v = std::string(text_of(raw(varint())));
    } else if constexpr (std::is_same_v<T, Buffer>) {
      v = copy_of(raw(varint()));
    } else if constexpr (VectorLike<T>) {
      auto const count = varint();
      // Every element takes at least one byte, so this bounds the memory by the datagram.
      if (count > left()) {
        fail(fault_.value_or(Malformed::bad_count));
        return;
      }
      v.clear();
      v.reserve(std::min<std::size_t>(count, 64));
      for (std::size_t i = 0; i < count && !fault_; ++i) value(v.emplace_back());
    } else if constexpr (OptionalLike<T>) {
      v.reset();
      if (flag()) value(v.emplace());
    } else if constexpr (ArrayLike<T>) {
      for (auto& e : v) value(e);
    } else if constexpr (std::is_same_v<T, Body>) {
      v.type = number<Type>();
      v.payload = copy_of(raw(varint()));
    } else {
      Reader inner(raw(varint()));
      if (fault_) return;
      inner.fields(v);
      if (inner.fault_) fail(*inner.fault_);
    }
  }
  template <Struct S>
  void fields(S& s) {
    for_each_field<S>([&](auto const& f) {
      if (!fault_ && !done()) value(s.*(f.at));
    });
  }

 private:
  bool flag() {
    auto const byte = number<std::uint8_t>();
    if (byte > 1) fail(Malformed::bad_flag);
    return byte == 1;
  }
  std::size_t fail(Malformed why) {
    if (!fault_) fault_ = why;
    at_ = end_;
    return 0;
  }

  std::uint8_t const* at_;
  std::uint8_t const* end_;
  std::optional<Malformed> fault_;
};

template <Struct M>
tl::expected<M, Malformed> decode(Bytes payload) {
  M m{};
  Reader r(payload);
  r.fields(m);
  if (r.fault()) return tl::unexpected(*r.fault());
  return m;
}

// The message, if the raw one is of this type and whole.
template <Message M>
std::optional<M> as(Raw raw) {
  if (raw.type != M::head.type) return std::nullopt;
  auto m = decode<M>(raw.payload);
  if (!m) return std::nullopt;
  return std::move(*m);
}

// Walks the messages of a datagram: while (auto m = walk.next()) …; then ask fault().
class Walk {
 public:
  explicit Walk(Bytes messages) : reader_(messages) {}
  std::optional<Raw> next() {
    if (reader_.done()) return std::nullopt;
    Raw raw;
    raw.type = reader_.number<Type>();
    raw.payload = reader_.raw(reader_.varint());
    if (reader_.fault()) return std::nullopt;
    return raw;
  }
  std::optional<Malformed> fault() const { return reader_.fault(); }

 private:
  Reader reader_;
};

}  // namespace cy::wire
