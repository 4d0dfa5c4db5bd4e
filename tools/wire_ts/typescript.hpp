// Prints the field lists of a catalogue as TypeScript: enums, interfaces and their codecs.
//
// The printed file builds on web/src/wire/codec.ts, which has the rules of cy/wire/codec.hpp.
// 64-bit integers become bigint, a Duration bigint nanoseconds, an optional `T | null`, bytes
// Uint8Array, and an enum a number, so that a value this page does not know survives.
#pragma once

#include <cy/wire/fields.hpp>

#include <fmt/format.h>

#include "json.hpp"
#include <map>
#include <set>
#include <typeindex>

namespace cy::wire_ts {

// "Mode" of cy::Mode, as the compiler spells it.
template <class T>
std::string name_of_type() {
  std::string_view text = __PRETTY_FUNCTION__;  // "… [with T = cy::Mode; …]" (g++), "… [T = cy::Mode]"
  text.remove_prefix(text.find("T = ") + 4);
  text = text.substr(0, text.find_first_of(";]"));
  return std::string(text.substr(text.rfind(':') + 1));  // npos + 1 is 0
}

// "expired, maybe applied" → expired_maybe_applied
inline std::string identifier(std::string_view name) {
  std::string id;
  for (auto const c : name) {
    if (('a' <= c && c <= 'z') || ('0' <= c && c <= '9')) {
      id += c;
    } else if (c == ' ' || c == '-') {
      id += '_';
    }
  }
  return id;
}

class Typescript {
 public:
  template <wire::Message... Ms>
  void catalogue(wire::Catalogue<Ms...>) {
    (message<Ms>(), ...);
  }
  std::string text() const { return out_ + "\nexport const messages = [\n" + table_ + "] as const;\n"; }

 private:
  template <wire::Message M>
  void message() {
    structure<M>();
    table_ += fmt::format("  {},\n", name_of_type<M>());
  }

  // Prints T's declaration, after those it needs, unless that was done.
  template <wire::Struct S>
  void structure() {
    if (!first<S>()) return;
    wire::for_each_field<S>([&](auto const& f) { need<typename std::decay_t<decltype(f)>::value>(); });
    auto const name = name_of_type<S>();
    std::string members, codecs, defaults;
    S const fresh{};
    wire::for_each_field<S>([&](auto const& f) {
      using Value = typename std::decay_t<decltype(f)>::value;
      auto const unit = f.unit.empty() ? std::string{} : fmt::format("/** {} */ ", f.unit);
      members += fmt::format("  {}{}: {};\n", unit, f.name, type<Value>());
      codecs += fmt::format("  {}: {},\n", f.name, codec<Value>());
      if (auto const value = default_of(fresh.*(f.at)); !value.empty())
        defaults += fmt::format("{}{}: {}", defaults.empty() ? "" : ", ", f.name, value);
    });
    if (members.empty()) {
      out_ += fmt::format("\nexport type {} = Record<string, never>;\n", name);
    } else {
      out_ += fmt::format("\nexport interface {} {{\n{}}}\n", name, members);
    }
    auto const after = defaults.empty() ? std::string{} : fmt::format(", {{ {} }}", defaults);
    auto const body = codecs.empty() ? std::string{"{}"} : fmt::format("{{\n{}}}", codecs);
    if constexpr (wire::Message<S>) {
      out_ += fmt::format(
          "export const {0} = /* @__PURE__ */ message<{0}>({1:#06x}, \"{2}\", \"{3}\", {4}{5});\n", name,
          S::head.type, wire::name_of(S::head.family), S::head.name, body, after);
    } else {
      out_ += fmt::format("export const {0} = /* @__PURE__ */ struct<{0}>({1}{2});\n", name, body, after);
    }
  }

  template <class E>
  void enumeration() {
    if (!first<E>()) return;
    auto const name = name_of_type<E>();
    std::string values, texts;
    if constexpr (wire::Named<E>) {
      auto const all = names(E{});
      for (std::size_t i = 0; i < all.size(); ++i) {
        values += fmt::format("  {}: {},\n", identifier(all[i]), i);
        texts += fmt::format("{}{}", i == 0 ? "" : ", ", json_text(all[i]));
      }
    }
    out_ += fmt::format(
        "\nexport type {0} = number;\nexport const {0} = {{\n{1}}} as const;\n"
        "export const {0}Names: readonly string[] = [{2}];\n",
        name, values, texts);
  }

  template <class T>
  void need() {
    if constexpr (std::is_enum_v<T>) {
      enumeration<T>();
    } else if constexpr (wire::VectorLike<T> || wire::OptionalLike<T> || wire::ArrayLike<T>) {
      need<typename T::value_type>();
    } else if constexpr (wire::Struct<T>) {
      structure<T>();
    }
  }

  template <class T>
  static std::string type() {
    if constexpr (std::is_same_v<T, bool>) {
      return "boolean";
    } else if constexpr (std::is_enum_v<T>) {
      return name_of_type<T>();
    } else if constexpr (std::is_same_v<T, Duration>) {
      return "bigint";
    } else if constexpr (wire::IdLike<T>) {
      return type<typename T::rep>();
    } else if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
      return "bigint";
    } else if constexpr (std::is_arithmetic_v<T>) {
      return "number";
    } else if constexpr (std::is_same_v<T, std::string>) {
      return "string";
    } else if constexpr (std::is_same_v<T, Buffer>) {
      return "Uint8Array";
    } else if constexpr (wire::VectorLike<T> || wire::ArrayLike<T>) {
      return type<typename T::value_type>() + "[]";
    } else if constexpr (wire::OptionalLike<T>) {
      return type<typename T::value_type>() + " | null";
    } else if constexpr (std::is_same_v<T, wire::Body>) {
      return "Body";
    } else {
      return name_of_type<T>();
    }
  }

  template <class T>
  static std::string codec() {
    if constexpr (std::is_same_v<T, bool>) {
      return "bool";
    } else if constexpr (std::is_enum_v<T>) {
      return codec<std::underlying_type_t<T>>();
    } else if constexpr (std::is_same_v<T, Duration>) {
      return "i64";
    } else if constexpr (wire::IdLike<T>) {
      return codec<typename T::rep>();
    } else if constexpr (std::is_floating_point_v<T>) {
      return fmt::format("f{}", sizeof(T) * 8);
    } else if constexpr (std::is_integral_v<T>) {
      return fmt::format("{}{}", std::is_signed_v<T> ? 'i' : 'u', sizeof(T) * 8);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return "text";
    } else if constexpr (std::is_same_v<T, Buffer>) {
      return "bytes";
    } else if constexpr (wire::VectorLike<T>) {
      return fmt::format("vector({})", codec<typename T::value_type>());
    } else if constexpr (wire::OptionalLike<T>) {
      return fmt::format("optional({})", codec<typename T::value_type>());
    } else if constexpr (wire::ArrayLike<T>) {
      return fmt::format("array({}, {})", codec<typename T::value_type>(), std::tuple_size_v<T>);
    } else if constexpr (std::is_same_v<T, wire::Body>) {
      return "body";
    } else {
      return name_of_type<T>();
    }
  }

  // What an older writer leaves out reads as in C++; zeros and empties need no words.
  template <class T>
  static std::string default_of(T const& v) {
    if constexpr (std::is_same_v<T, Duration>) {
      return v.count() == 0 ? "" : fmt::format("{}n", v.count());
    } else if constexpr (std::is_enum_v<T>) {
      return default_of(static_cast<std::underlying_type_t<T>>(v));
    } else if constexpr (std::is_same_v<T, bool>) {
      return v ? "true" : "";
    } else if constexpr (std::is_arithmetic_v<T>) {
      auto const is_big = std::is_integral_v<T> && sizeof(T) == 8;
      return v == T{} ? "" : fmt::format("{}{}", +v, is_big ? "n" : "");
    } else if constexpr (std::is_same_v<T, std::string>) {
      return v.empty() ? "" : json_text(v);
    } else {
      return {};
    }
  }

  // Two types of one name would silently become one.
  template <class T>
  bool first() {
    if (!seen_.insert(std::type_index(typeid(T))).second) return false;
    auto const [it, fresh] = by_name_.emplace(name_of_type<T>(), std::type_index(typeid(T)));
    if (!fresh) clashes_.push_back(it->first);
    return true;
  }

 public:
  std::vector<std::string> const& clashes() const { return clashes_; }

 private:
  std::string out_, table_;
  std::set<std::type_index> seen_;
  std::map<std::string, std::type_index> by_name_;
  std::vector<std::string> clashes_;
};

}  // namespace cy::wire_ts
