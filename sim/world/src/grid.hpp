// A uniform grid over the things that never move, so that rays and bodies ask only their
// neighbours. Built once; cells hold indices, surfaces first, then discs.
#pragma once

#include "shapes.hpp"
#include <cstdint>
#include <vector>

namespace cy::sim {

struct Surface {
  Vec2 a;
  Vec2 b;
};

struct Disc {
  Vec2 centre;
  double radius{};
};

class Grid {
 public:
  Grid(std::vector<Surface> surfaces, std::vector<Disc> discs);

  std::vector<Surface> const& surfaces() const { return surfaces_; }
  std::vector<Disc> const& discs() const { return discs_; }

  struct Nearest {
    double range{};
    std::uint32_t item{none};  // < surfaces().size(): a surface; else a disc
    double along{};            // of a surface
  };
  static constexpr std::uint32_t none = 0xffff'ffff;

  // The first thing that the ray o + t d (|d| = 1) meets within `max`.
  Nearest cast(Vec2 o, Vec2 d, double max) const;

  // f(item) for each thing that may come within `reach` of p; some may be named twice.
  template <class F>
  void near(Vec2 p, double reach, F&& f) const {
    if (items_.empty()) return;
    auto const x0 = column(p.x - reach), x1 = column(p.x + reach);
    auto const y0 = row(p.y - reach), y1 = row(p.y + reach);
    for (auto y = y0; y <= y1; ++y)
      for (auto x = x0; x <= x1; ++x) {
        auto const cell = static_cast<std::size_t>(y) * columns_ + x;
        for (auto i = starts_[cell]; i < starts_[cell + 1]; ++i) f(items_[i]);
      }
  }

 private:
  std::uint32_t clamp_cell(double v, std::uint32_t count) const {
    if (!(v > 0.0)) return 0;
    return v >= static_cast<double>(count) ? count - 1 : static_cast<std::uint32_t>(v);
  }
  std::uint32_t column(double x) const { return clamp_cell((x - low_.x) / cell_, columns_); }
  std::uint32_t row(double y) const { return clamp_cell((y - low_.y) / cell_, rows_); }
  template <class F>
  void cells_of(std::uint32_t item, F&& f) const;
  void test(std::uint32_t item, Vec2 o, Vec2 d, Nearest& best) const;

  std::vector<Surface> surfaces_;
  std::vector<Disc> discs_;
  Vec2 low_{};
  Vec2 high_{};
  double cell_{1.0};
  std::uint32_t columns_{1};
  std::uint32_t rows_{1};
  std::vector<std::uint32_t> starts_;  // of each cell in items_; one more than cells
  std::vector<std::uint32_t> items_;
};

}  // namespace cy::sim
