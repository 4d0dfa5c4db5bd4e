#include "textures.hpp"

#include <algorithm>
#include <cmath>

namespace cy::sim {
namespace {

std::uint8_t byte(double v) {
  return static_cast<std::uint8_t>(std::clamp(std::lround(v), 0L, static_cast<long>(brightest)));
}

// A canvas of texture_side squared doubles that wraps at its edges.
struct Sheet {
  std::vector<double> at = std::vector<double>(texture_side * texture_side);

  double& operator()(int x, int y) {
    return at[static_cast<std::size_t>((y & (texture_side - 1)) << texture_bits | (x & (texture_side - 1)))];
  }
  void rectangle(int x0, int y0, int x1, int y1, double value) {
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) (*this)(x, y) = value;
  }
  void scale(int x0, int y0, int x1, int y1, double factor) {
    for (int y = y0; y < y1; ++y)
      for (int x = x0; x < x1; ++x) (*this)(x, y) *= factor;
  }
  // Value noise of several octaves that repeats with the sheet.
  void clouds(Random& random, int first_cell, double strength) {
    for (int cell = first_cell; cell >= 2; cell /= 4, strength *= 0.6) {
      auto const side = texture_side / cell;
      std::vector<double> knots(static_cast<std::size_t>(side * side));
      for (auto& k : knots) k = random.uniform(-strength, strength);
      auto const knot = [&](int x, int y) {
        return knots[static_cast<std::size_t>(y % side * side + x % side)];
      };
      for (int y = 0; y < texture_side; ++y)
        for (int x = 0; x < texture_side; ++x) {
          auto const fx = static_cast<double>(x % cell) / cell, fy = static_cast<double>(y % cell) / cell;
          auto const cx = x / cell, cy = y / cell;
          auto const top = knot(cx, cy) + fx * (knot(cx + 1, cy) - knot(cx, cy));
          auto const low = knot(cx, cy + 1) + fx * (knot(cx + 1, cy + 1) - knot(cx, cy + 1));
          (*this)(x, y) += top + fy * (low - top);
        }
    }
  }
  void grain(Random& random, double strength) {
    for (auto& v : at) v += random.uniform(-strength, strength);
  }
};

Texture finish(Sheet const& sheet) {
  Texture out;
  out.chroma.assign(2 * chroma_side * chroma_side, 0);
  out.luma[0].reserve(sheet.at.size());
  for (auto const v : sheet.at) out.luma[0].push_back(byte(v));
  for (std::size_t n = 1; n < mip_levels; ++n) {
    auto const side = static_cast<std::size_t>(texture_side >> n);
    auto const& above = out.luma[n - 1];
    out.luma[n].resize(side * side);
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x) {
        auto const* p = &above[(2 * y) * (2 * side) + 2 * x];
        out.luma[n][y * side + x] =
            static_cast<std::uint8_t>((p[0] + p[1] + p[2 * side] + p[2 * side + 1] + 2) / 4);
      }
  }
  return out;
}

constexpr int texels(double metres) {
  return static_cast<int>(metres * texels_a_metre);
}

void tint(Texture& t, int x0, int y0, int x1, int y1, int du, int dv) {
  constexpr int ratio = texture_side / chroma_side;
  for (int y = y0 / ratio; y < y1 / ratio; ++y)
    for (int x = x0 / ratio; x < x1 / ratio; ++x) {
      auto const i =
          static_cast<std::size_t>((y & (chroma_side - 1)) << chroma_bits | (x & (chroma_side - 1)));
      t.chroma[2 * i] = static_cast<std::int8_t>(du);
      t.chroma[2 * i + 1] = static_cast<std::int8_t>(dv);
    }
}

}  // namespace

Yuv to_yuv(Colour c) {
  auto const part = [&](double r, double g, double b, double base) {
    return static_cast<std::uint8_t>(std::clamp(std::lround(base + r * c.r + g * c.g + b * c.b), 16L, 240L));
  };
  return {part(0.257, 0.504, 0.098, 16.0), part(-0.148, -0.291, 0.439, 128.0),
          part(0.439, -0.368, -0.071, 128.0)};
}

Texture make_wall_texture(Random& random) {
  Sheet s;
  std::fill(s.at.begin(), s.at.end(), 165.0);
  s.clouds(random, 128, 9.0);
  // A darker lower part under a rail, as in a corridor, and joints between the panels above.
  s.scale(0, 0, texture_side, texels(0.95), 0.86);
  s.scale(0, texels(0.95), texture_side, texels(0.99), 0.62);
  s.scale(0, texels(0.99), texture_side, texels(1.01), 1.12);
  for (int x = 0; x < texture_side; x += texels(1.0)) s.scale(x, texels(1.0), x + 2, texture_side, 0.8);

  struct Poster {
    int x, y, width, height, du, dv;
  };
  std::vector<Poster> posters;
  for (int i = 0; i < 3; ++i) {
    auto const width = texels(random.uniform(0.35, 0.6)), height = texels(random.uniform(0.4, 0.7));
    auto const x = texels(1.33 * i + random.uniform(0.1, 0.55)), y = texels(random.uniform(1.15, 1.35));
    s.rectangle(x - 2, y - 2, x + width + 2, y + height + 2, 50.0);
    s.rectangle(x, y, x + width, y + height, random.uniform(110.0, 185.0));
    for (int bar = 0; bar < 9; ++bar) {
      auto const bx = x + 4 + static_cast<int>(random.below(static_cast<std::uint64_t>(width / 2)));
      auto const by = y + 4 + bar * (height - 8) / 9;
      s.rectangle(bx, by, bx + width / 2 - 6, by + height / 22 + 1, random.uniform(40.0, 190.0));
    }
    posters.push_back({x, y, width, height, static_cast<int>(random.uniform(-26, 26)),
                       static_cast<int>(random.uniform(-26, 26))});
  }
  s.rectangle(texels(2.2), texels(0.28), texels(2.29), texels(0.37), 190.0);  // a socket
  s.rectangle(texels(2.22), texels(0.305), texels(2.235), texels(0.32), 60.0);
  s.rectangle(texels(2.255), texels(0.305), texels(2.27), texels(0.32), 60.0);
  s.grain(random, 5.0);
  s.scale(0, 0, texture_side, texels(0.10), 0.45);  // the skirting board
  s.scale(0, texels(0.10), texture_side, texels(0.115), 1.1);
  auto out = finish(s);
  for (auto const& p : posters) tint(out, p.x, p.y, p.x + p.width, p.y + p.height, p.du, p.dv);
  tint(out, 0, 0, texture_side, texels(0.95), -3, 4);
  return out;
}

Texture make_floor_texture(Random& random) {
  Sheet s;
  constexpr int tile = texture_side / 8;  // 0.5 m
  for (int ty = 0; ty < 8; ++ty)
    for (int tx = 0; tx < 8; ++tx) {
      auto const base = ((tx + ty) % 2 == 0 ? 132.0 : 104.0) + random.uniform(-7.0, 7.0);
      s.rectangle(tx * tile, ty * tile, (tx + 1) * tile, (ty + 1) * tile, base);
    }
  s.clouds(random, 64, 9.0);
  for (int i = 0; i < 40; ++i) {  // scuffs
    auto const x = static_cast<int>(random.below(texture_side)),
               y = static_cast<int>(random.below(texture_side));
    auto const angle = random.uniform(0.0, 6.28), length = random.uniform(5.0, 30.0);
    for (double t = 0.0; t < length; t += 0.7)
      s(x + static_cast<int>(t * std::cos(angle)), y + static_cast<int>(t * std::sin(angle))) *= 0.8;
  }
  s.grain(random, 6.0);
  for (int i = 0; i < texture_side; i += tile) {
    s.scale(i, 0, i + 2, texture_side, 0.62);
    s.scale(0, i, texture_side, i + 2, 0.62);
  }
  auto out = finish(s);
  for (int ty = 0; ty < 8; ++ty)
    for (int tx = 0; tx < 8; ++tx)
      if ((tx + ty) % 2 != 0) tint(out, tx * tile, ty * tile, (tx + 1) * tile, (ty + 1) * tile, 4, -5);
  return out;
}

Texture make_ceiling_texture(Random& random) {
  Sheet s;
  std::fill(s.at.begin(), s.at.end(), 150.0);
  s.clouds(random, 32, 3.0);
  s.grain(random, 5.0);
  for (int i = 0; i < texture_side; i += texture_side / 8) {
    s.scale(i, 0, i + 2, texture_side, 0.8);
    s.scale(0, i, texture_side, i + 2, 0.8);
  }
  for (int y = texels(0.5); y < texture_side; y += texels(2.0))
    for (int x = texels(0.5); x < texture_side; x += texels(2.0))
      s.rectangle(x + 3, y + 3, x + texels(1.0) - 1, y + texels(0.5) - 1, brightest);
  return finish(s);
}

std::vector<std::int8_t> make_noise(Random& random, double sigma) {
  std::vector<std::int8_t> out(65536);
  for (auto& n : out)
    n = static_cast<std::int8_t>(std::clamp(std::lround(random.normal(0.0, sigma)), -60L, 60L));
  return out;
}

}  // namespace cy::sim
