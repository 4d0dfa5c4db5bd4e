// What walls, floor and ceiling look like: tiles of luma with smaller copies for the distance,
// and coarse chroma. All from a seed.
#pragma once

#include <cy/base/random.hpp>
#include <cy/world/model.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace cy::sim {

struct Yuv {
  std::uint8_t y{};
  std::uint8_t u{128};
  std::uint8_t v{128};
};
// BT.601, limited range.
Yuv to_yuv(Colour c);

// Every texture covers 4 m by 4 m and repeats: 512 texels of luma, 128 of chroma a side.
inline constexpr int texels_a_metre = 128;
inline constexpr int texture_bits = 9;
inline constexpr int texture_side = 1 << texture_bits;
inline constexpr int chroma_bits = 7;
inline constexpr int chroma_side = 1 << chroma_bits;
inline constexpr int mip_levels = 7;
// No texel is brighter, so that a light of 280/256 on it stays within 219.
inline constexpr int brightest = 200;
inline constexpr int strongest_shade = 280;

struct Texture {
  std::array<std::vector<std::uint8_t>, mip_levels> luma;  // luma[n]: side >> n
  // Differences of chroma from the surface's own; u then v.
  std::vector<std::int8_t> chroma;

  std::uint8_t const* level(int n) const { return luma[static_cast<std::size_t>(n)].data(); }
};

// Row 0 of a wall's texture is at the floor.
Texture make_wall_texture(Random& random);
Texture make_floor_texture(Random& random);
Texture make_ceiling_texture(Random& random);

// Gaussian steps of luma, 65536 of them.
std::vector<std::int8_t> make_noise(Random& random, double sigma);

}  // namespace cy::sim
