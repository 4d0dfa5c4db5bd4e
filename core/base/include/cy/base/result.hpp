// What a call that can fail returns off the hot path: the value, or a fault in words that say
// what happened and what to do. Hot paths return one-byte enums of their own instead.
#pragma once

#include <fmt/format.h>
#include <tl/expected.hpp>

#include <string>
#include <utility>

namespace cy {

struct Fault {
  std::string what;
};

template <class T>
using Result = tl::expected<T, Fault>;

// return fault("port {}: {}", port, reason);
template <class... Args>
tl::unexpected<Fault> fault(fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected(Fault{fmt::format(format, std::forward<Args>(args)...)});
}

}  // namespace cy
