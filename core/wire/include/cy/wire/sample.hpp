// Values of any message out of a seed, for property tests, golden datagrams and fuzz corpora.
#pragma once

#include <cy/base/random.hpp>
#include <cy/wire/fields.hpp>

namespace cy::wire {

template <class T>
void fill(T& v, Random& random) {
  if constexpr (std::is_same_v<T, bool>) {
    v = random.chance(0.5);
  } else if constexpr (std::is_floating_point_v<T>) {
    v = static_cast<T>(random.uniform(-1000.0, 1000.0));
  } else if constexpr (std::is_integral_v<T>) {
    v = static_cast<T>(random.next());
  } else if constexpr (Named<T>) {
    v = static_cast<T>(random.below(names(v).size()));
  } else if constexpr (std::is_enum_v<T>) {
    v = static_cast<T>(random.next());
  } else if constexpr (IdLike<T>) {
    fill(v.value, random);
  } else if constexpr (std::is_same_v<T, Duration>) {
    v = Duration(static_cast<std::int64_t>(random.below(1'000'000'000'000)));
  } else if constexpr (std::is_same_v<T, std::string>) {
    v.resize(random.below(12));
    for (auto& c : v) c = static_cast<char>('a' + random.below(26));
  } else if constexpr (VectorLike<T>) {
    v.resize(random.below(5));
    for (auto& e : v) fill(e, random);
  } else if constexpr (OptionalLike<T>) {
    v.reset();
    if (random.chance(0.5)) fill(v.emplace(), random);
  } else if constexpr (ArrayLike<T>) {
    for (auto& e : v) fill(e, random);
  } else if constexpr (std::is_same_v<T, Body>) {
    fill(v.type, random);
    fill(v.payload, random);
  } else {
    for_each_field<T>([&](auto const& f) { fill(v.*(f.at), random); });
  }
}

template <Struct M>
M sample(Random& random) {
  M m{};
  fill(m, random);
  return m;
}

}  // namespace cy::wire
