// Messages as JSON, for golden files that another language reads: 64-bit integers and bytes (in
// hexadecimal) are strings, an absent optional is null, an enum its number.
#pragma once

#include <cy/wire/fields.hpp>

#include <fmt/format.h>

namespace cy::wire_ts {

// Precondition: no control characters. The catalogues' own names and samples have none.
inline std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (auto const c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

inline std::string hex(Bytes bytes) {
  std::string text;
  for (auto const b : bytes) text += fmt::format("{:02x}", b);
  return text;
}

template <class T>
std::string json(T const& v) {
  if constexpr (std::is_same_v<T, bool>) {
    return v ? "true" : "false";
  } else if constexpr (std::is_floating_point_v<T>) {
    return fmt::format("{}", static_cast<double>(v));
  } else if constexpr (std::is_integral_v<T>) {
    return sizeof(T) == 8 ? fmt::format("\"{}\"", v) : fmt::format("{}", +v);
  } else if constexpr (std::is_enum_v<T>) {
    return json(static_cast<std::underlying_type_t<T>>(v));
  } else if constexpr (wire::IdLike<T>) {
    return json(v.value);
  } else if constexpr (std::is_same_v<T, Duration>) {
    return json(std::int64_t{v.count()});
  } else if constexpr (std::is_same_v<T, std::string>) {
    return json_text(v);
  } else if constexpr (std::is_same_v<T, Buffer>) {
    return json_text(hex(v));
  } else if constexpr (wire::VectorLike<T> || wire::ArrayLike<T>) {
    std::string text = "[";
    for (auto const& e : v) text += (text.size() > 1 ? "," : "") + json(e);
    return text + "]";
  } else if constexpr (wire::OptionalLike<T>) {
    return v ? json(*v) : "null";
  } else if constexpr (std::is_same_v<T, wire::Body>) {
    return fmt::format("{{\"type\":{},\"payload\":{}}}", v.type, json(v.payload));
  } else {
    std::string text = "{";
    wire::for_each_field<T>([&](auto const& f) {
      text += fmt::format("{}{}:{}", text.size() > 1 ? "," : "", json_text(f.name), json(v.*(f.at)));
    });
    return text + "}";
  }
}

}  // namespace cy::wire_ts
