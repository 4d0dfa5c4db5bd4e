// Seeded randomness that comes in like time does: xoshiro256** (Blackman and Vigna, 2018),
// seeded by splitmix64. Same seed, same numbers, on every machine. Not for keys.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace cy {

struct Seed {
  std::uint64_t value{};
};

class Random {
 public:
  explicit constexpr Random(Seed seed) {
    auto x = seed.value;
    for (auto& word : state_) {
      auto z = (x += 0x9e3779b97f4a7c15ULL);
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
      word = z ^ (z >> 31);
    }
  }

  constexpr std::uint64_t next() {
    auto const result = rotl(state_[1] * 5, 7) * 9;
    auto const t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotl(state_[3], 45);
    return result;
  }

  // In [0, 1).
  constexpr double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  constexpr double uniform(double low, double high) { return low + (high - low) * uniform(); }
  // In [0, n); n > 0.
  constexpr std::uint64_t below(std::uint64_t n) { return next() % n; }
  constexpr bool chance(double probability) { return uniform() < probability; }

  // Gaussian by Box and Muller.
  double normal(double mean = 0.0, double sigma = 1.0) {
    auto const u = 1.0 - uniform();
    auto const v = uniform();
    return mean + sigma * std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
  }

 private:
  static constexpr std::uint64_t rotl(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::uint64_t state_[4]{};
};

}  // namespace cy
