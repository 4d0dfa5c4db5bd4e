// Messages as text, for logs, traces and test failures: drive{twist: {linear: 0.2 m/s, angular: 0 rad/s}}
#pragma once

#include <cy/wire/fields.hpp>

#include <fmt/format.h>

namespace cy::wire {

template <Struct S>
std::string print_fields(S const& s);

template <class T>
std::string print_value(T const& v) {
  if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T>) {
    return fmt::format("{}", v);
  } else if constexpr (std::is_integral_v<T>) {
    return fmt::format("{}", +v);
  } else if constexpr (Named<T>) {
    return std::string(name_of(v));
  } else if constexpr (std::is_enum_v<T>) {
    return fmt::format("{}", +static_cast<std::underlying_type_t<T>>(v));
  } else if constexpr (IdLike<T>) {
    return fmt::format("#{}", +v.value);
  } else if constexpr (std::is_same_v<T, Duration>) {
    return fmt::format("{} s", seconds(v));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return fmt::format("\"{}\"", v);
  } else if constexpr (std::is_same_v<T, Buffer>) {
    return fmt::format("<{} bytes>", v.size());
  } else if constexpr (VectorLike<T> || ArrayLike<T>) {
    std::string text = "[";
    for (auto const& e : v) text += (text.size() > 1 ? ", " : "") + print_value(e);
    return text + "]";
  } else if constexpr (OptionalLike<T>) {
    return v ? print_value(*v) : "unknown";
  } else if constexpr (std::is_same_v<T, Body>) {
    return fmt::format("<message {:#06x}, {} bytes>", v.type, v.payload.size());
  } else {
    return print_fields(v);
  }
}

template <Struct S>
std::string print_fields(S const& s) {
  std::string text = "{";
  for_each_field<S>([&](auto const& f) {
    if (text.size() > 1) text += ", ";
    text += fmt::format("{}: {}", f.name, print_value(s.*(f.at)));
    if (!f.unit.empty()) text += fmt::format(" {}", f.unit);
  });
  return text + "}";
}

template <Message M>
std::string print(M const& m) {
  return std::string(M::head.name) + print_fields(m);
}

}  // namespace cy::wire
