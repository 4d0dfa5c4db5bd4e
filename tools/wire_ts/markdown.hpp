// Prints the field lists of catalogues as Markdown tables, for whoever writes another end of the link.
#pragma once

#include "typescript.hpp"

namespace cy::wire_ts {

class Markdown {
 public:
  template <wire::Message... Ms>
  void catalogue(std::string_view title, wire::Catalogue<Ms...>) {
    out_ += fmt::format("\n## {}\n", title);
    (structure<Ms>(fmt::format("{:#06x} {}", Ms::head.type, Ms::head.name), out_), ...);
  }
  std::string text() const {
    return out_ + "\n## Structs\n" + structs_ + "\n## Enums\n\n| enum | is | values |\n|---|---|---|\n" +
           enums_;
  }

 private:
  template <wire::Struct S>
  void structure(std::string const& title, std::string& into) {
    std::string rows;
    wire::for_each_field<S>([&](auto const& f) {
      using Value = typename std::decay_t<decltype(f)>::value;
      rows += fmt::format("| {} | {} | {} |\n", f.name, type<Value>(), f.unit);
    });
    into += fmt::format("\n### {}\n\n", title);
    into += rows.empty() ? "No fields.\n" : "| field | type | unit |\n|---|---|---|\n" + rows;
  }

  // The name of a field's type; a struct or an enum is put down where it is met first.
  template <class T>
  std::string type() {
    if constexpr (std::is_same_v<T, bool>) {
      return "bool";
    } else if constexpr (std::is_enum_v<T>) {
      auto const name = name_of_type<T>();
      if (seen_.insert(name).second) {
        std::string values;
        if constexpr (wire::Named<T>)
          for (std::size_t i = 0; i < names(T{}).size(); ++i)
            values += fmt::format("{}{} {}", i == 0 ? "" : "; ", i, names(T{})[i]);
        enums_ += fmt::format("| {} | {} | {} |\n", name, type<std::underlying_type_t<T>>(), values);
      }
      return name;
    } else if constexpr (wire::IdLike<T>) {
      return type<typename T::rep>();
    } else if constexpr (std::is_same_v<T, Duration>) {
      return "duration";
    } else if constexpr (std::is_floating_point_v<T>) {
      return fmt::format("f{}", sizeof(T) * 8);
    } else if constexpr (std::is_integral_v<T>) {
      return fmt::format("{}{}", std::is_signed_v<T> ? 'i' : 'u', sizeof(T) * 8);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return "text";
    } else if constexpr (std::is_same_v<T, Buffer>) {
      return "bytes";
    } else if constexpr (wire::VectorLike<T>) {
      return "list of " + type<typename T::value_type>();
    } else if constexpr (wire::OptionalLike<T>) {
      return "optional " + type<typename T::value_type>();
    } else if constexpr (wire::ArrayLike<T>) {
      return fmt::format("{} times {}", std::tuple_size_v<T>, type<typename T::value_type>());
    } else if constexpr (std::is_same_v<T, wire::Body>) {
      return "body";
    } else {
      auto const name = name_of_type<T>();
      if (seen_.insert(name).second) {
        std::string own;
        structure<T>(name, own);  // those that it needs come before it
        structs_ += own;
      }
      return "struct " + name;
    }
  }

  std::string out_, structs_, enums_;
  std::set<std::string> seen_;
};

}  // namespace cy::wire_ts
