// The one field list of a message, from which everything else is made.
//
//   struct Drive {
//     static constexpr wire::Head head{0x0210, wire::Family::command, "drive"};
//     Twist twist;
//     static constexpr auto fields() { return std::tuple{wire::field("twist", &Drive::twist)}; }
//   };
//
// A Struct has fields(); a Message is a Struct with a head. Fields may be bool, integers, float,
// double, enums, Id, Duration, string, vector, optional, array, Struct and Body. Fields are only
// ever appended, and never change their type: a reader that knows fewer skips the rest, a reader
// that knows more leaves the rest at its default.
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/base/geometry.hpp>
#include <cy/base/id.hpp>
#include <cy/base/time.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace cy::wire {

// The paper's four, and three more. A family decides transport, priority and what is resent.
enum class Family : std::uint8_t { hello, heartbeat, command, status, video, report, bulk };
constexpr auto names(Family) {
  return std::array<std::string_view, 7>{"hello", "heartbeat", "command", "status",
                                         "video", "report",    "bulk"};
}

// Names a message for ever. 0x0000–0x00ff session, 0x0100–0x01ff command envelopes and reports,
// 0x0200–0x0fff the robot model, 0x1000–0x1fff media, 0x2000–0x2fff safety and host,
// 0x3000–0x3fff station and page; 0xc000 and above belong to users.
using Type = std::uint16_t;

struct Head {
  Type type;
  Family family;
  std::string_view name;
};

template <class Owner, class Value>
struct Field {
  using owner = Owner;
  using value = Value;
  std::string_view name;
  Value Owner::*at;
  std::string_view unit;  // SI symbol, or empty
};

template <class Owner, class Value>
constexpr Field<Owner, Value> field(std::string_view name, Value Owner::*at, std::string_view unit = {}) {
  return {name, at, unit};
}

// A message inside a message, of any type: an open door for messages that this program does not know.
struct Body {
  Type type{};
  Buffer payload;
  friend bool operator==(Body const&, Body const&) = default;
};

// The same, borrowed from the datagram it arrived in.
struct Raw {
  Type type{};
  Bytes payload;
};

inline Raw view(Body const& body) {
  return {body.type, body.payload};
}

// Structs of rooms below get their field list from outside.
template <class T>
struct FieldsOf {
  static constexpr auto fields() requires requires { T::fields(); }
  { return T::fields(); }
};
template <>
struct FieldsOf<Twist> {
  static constexpr auto fields() {
    return std::tuple{field("linear", &Twist::linear, "m/s"), field("angular", &Twist::angular, "rad/s")};
  }
};
template <>
struct FieldsOf<Pose2> {
  static constexpr auto fields() {
    return std::tuple{field("x", &Pose2::x, "m"), field("y", &Pose2::y, "m"),
                      field("yaw", &Pose2::yaw, "rad")};
  }
};

template <class T>
concept Struct = requires {
  FieldsOf<T>::fields();
};
template <class T>
concept Message = Struct<T> && requires {
  { T::head } -> std::convertible_to<Head const&>;
};

template <class F, class T>
constexpr void for_each_field(T&& visit) {
  std::apply([&](auto const&... f) { (visit(f), ...); }, FieldsOf<F>::fields());
}

namespace detail {
template <class T>
struct IsId : std::false_type {};
template <class Tag, class Rep>
struct IsId<Id<Tag, Rep>> : std::true_type {};
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
struct IsArray : std::false_type {};
template <class T, std::size_t N>
struct IsArray<std::array<T, N>> : std::true_type {};
}  // namespace detail

template <class T>
concept IdLike = detail::IsId<T>::value;
template <class T>
concept VectorLike = detail::IsVector<T>::value;
template <class T>
concept OptionalLike = detail::IsOptional<T>::value;
template <class T>
concept ArrayLike = detail::IsArray<T>::value;
// An enum whose values count up from zero and have names(E).
template <class T>
concept Named = std::is_enum_v<T> && requires(T e) {
  names(e);
};

template <Named E>
constexpr std::string_view name_of(E e) {
  auto const all = names(e);
  auto const index = static_cast<std::size_t>(e);
  return index < all.size() ? all[index] : std::string_view{"unknown"};
}

// A list of messages, for whatever must know them all: generator, printer, fuzzer.
template <Message... Ms>
struct Catalogue {};

template <class... As, class... Bs>
Catalogue<As..., Bs...> operator+(Catalogue<As...>, Catalogue<Bs...>) {
  return {};
}

}  // namespace cy::wire
