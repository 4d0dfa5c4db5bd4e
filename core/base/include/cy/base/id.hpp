// Numbers that name things and must not be mixed up: Id<struct LeaseTag>.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace cy {

// Zero is "none" by convention.
template <class Tag, class Rep = std::uint32_t>
struct Id {
  using rep = Rep;
  Rep value{};
  constexpr auto operator<=>(Id const&) const = default;
  constexpr explicit operator bool() const { return value != Rep{}; }
};

}  // namespace cy

template <class Tag, class Rep>
struct std::hash<cy::Id<Tag, Rep>> {
  std::size_t operator()(cy::Id<Tag, Rep> id) const noexcept { return std::hash<Rep>{}(id.value); }
};
