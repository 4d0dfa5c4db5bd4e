#include "grid.hpp"

namespace cy::sim {
namespace {

constexpr double max_cells_a_side = 1024.0;
constexpr double max_entries = 4e6;  // of all cells together, by estimate

}  // namespace

template <class F>
void Grid::cells_of(std::uint32_t item, F&& f) const {
  constexpr double hair = 1e-6;
  if (item >= surfaces_.size()) {
    auto const& disc = discs_[item - surfaces_.size()];
    auto const r = disc.radius + hair;
    for (auto y = row(disc.centre.y - r); y <= row(disc.centre.y + r); ++y)
      for (auto x = column(disc.centre.x - r); x <= column(disc.centre.x + r); ++x) f(x, y);
    return;
  }
  auto a = surfaces_[item].a, b = surfaces_[item].b;
  if (a.x > b.x) std::swap(a, b);
  auto const slope = b.x - a.x > 1e-9 ? (b.y - a.y) / (b.x - a.x) : 0.0;
  auto const first = column(a.x - hair), last = column(b.x + hair);
  for (auto x = first; x <= last; ++x) {
    // The part of the segment that lies in this column of cells.
    auto y0 = a.y, y1 = b.y;
    if (slope != 0.0) {
      auto const left = std::clamp(low_.x + x * cell_ - hair, a.x, b.x);
      auto const right = std::clamp(low_.x + (x + 1.0) * cell_ + hair, a.x, b.x);
      y0 = a.y + (left - a.x) * slope;
      y1 = a.y + (right - a.x) * slope;
    }
    if (y0 > y1) std::swap(y0, y1);
    for (auto y = row(y0 - hair); y <= row(y1 + hair); ++y) f(x, y);
  }
}

Grid::Grid(std::vector<Surface> surfaces, std::vector<Disc> discs)
    : surfaces_(std::move(surfaces)), discs_(std::move(discs)) {
  auto const count = surfaces_.size() + discs_.size();
  if (count == 0) return;
  low_ = {1e300, 1e300};
  high_ = {-1e300, -1e300};
  double length = 0.0;
  auto const widen = [this](Vec2 p, double r) {
    low_ = {std::min(low_.x, p.x - r), std::min(low_.y, p.y - r)};
    high_ = {std::max(high_.x, p.x + r), std::max(high_.y, p.y + r)};
  };
  for (auto const& s : surfaces_) {
    widen(s.a, 1e-3);
    widen(s.b, 1e-3);
    length += norm(s.b - s.a);
  }
  for (auto const& d : discs_) {
    widen(d.centre, d.radius + 1e-3);
    length += 4.0 * d.radius;
  }
  auto const width = high_.x - low_.x, height = high_.y - low_.y;
  // About two cells a thing, but never so fine that long things fill the memory.
  cell_ = std::sqrt(width * height / std::max(64.0, 2.0 * static_cast<double>(count)));
  cell_ = std::max({cell_, std::max(width, height) / max_cells_a_side, 2.0 * length / max_entries, 0.05});
  double area = 0.0;  // of the squares around discs, which cover cells by area
  for (auto const& d : discs_) area += 4.0 * d.radius * d.radius;
  cell_ = std::max(cell_, std::sqrt(4.0 * area / max_entries));
  columns_ = static_cast<std::uint32_t>(width / cell_) + 1;
  rows_ = static_cast<std::uint32_t>(height / cell_) + 1;

  auto const cells = static_cast<std::size_t>(columns_) * rows_;
  starts_.assign(cells + 1, 0);
  for (std::uint32_t i = 0; i < count; ++i)
    cells_of(i, [this](auto x, auto y) { ++starts_[static_cast<std::size_t>(y) * columns_ + x + 1]; });
  for (std::size_t c = 0; c < cells; ++c) starts_[c + 1] += starts_[c];
  items_.resize(starts_[cells]);
  auto next = starts_;
  for (std::uint32_t i = 0; i < count; ++i)
    cells_of(i, [&](auto x, auto y) { items_[next[static_cast<std::size_t>(y) * columns_ + x]++] = i; });
}

void Grid::test(std::uint32_t item, Vec2 o, Vec2 d, Nearest& best) const {
  if (item < surfaces_.size()) {
    auto const c = cross_segment(o, d, surfaces_[item].a, surfaces_[item].b);
    if (c && c->range < best.range) best = {c->range, item, c->along};
    return;
  }
  auto const& disc = discs_[item - surfaces_.size()];
  auto const p = cross_disc(o, d, disc.centre, disc.radius);
  if (!p || p->out < 0.0) return;
  if (auto const range = std::max(p->in, 0.0); range < best.range) best = {range, item, 0.0};
}

// Amanatides and Woo, "A fast voxel traversal algorithm for ray tracing" (1987).
Grid::Nearest Grid::cast(Vec2 o, Vec2 d, double max) const {
  Nearest best{max, none, 0.0};
  if (items_.empty()) return best;
  constexpr double far = 1e300;
  double enter = 0.0, leave = max;
  auto const clip = [&](double from, double step, double low, double high) {
    if (std::abs(step) < 1e-15) {
      if (from < low || from > high) leave = -1.0;
      return;
    }
    auto const t0 = (low - from) / step, t1 = (high - from) / step;
    enter = std::max(enter, std::min(t0, t1));
    leave = std::min(leave, std::max(t0, t1));
  };
  clip(o.x, d.x, low_.x, high_.x);
  clip(o.y, d.y, low_.y, high_.y);
  if (enter > leave) return best;

  auto const start = o + enter * d;
  auto x = static_cast<std::int64_t>(column(start.x)), y = static_cast<std::int64_t>(row(start.y));
  auto const step_x = d.x > 0.0 ? 1 : -1, step_y = d.y > 0.0 ? 1 : -1;
  auto const delta_x = std::abs(d.x) < 1e-15 ? far : cell_ / std::abs(d.x);
  auto const delta_y = std::abs(d.y) < 1e-15 ? far : cell_ / std::abs(d.y);
  auto const edge = [this](double low, std::int64_t cell, int step) {
    return low + static_cast<double>(cell + (step > 0 ? 1 : 0)) * cell_;
  };
  auto next_x = delta_x == far ? far : (edge(low_.x, x, step_x) - o.x) / d.x;
  auto next_y = delta_y == far ? far : (edge(low_.y, y, step_y) - o.y) / d.y;
  while (x >= 0 && y >= 0 && x < columns_ && y < rows_) {
    auto const cell = static_cast<std::size_t>(y) * columns_ + static_cast<std::size_t>(x);
    for (auto i = starts_[cell]; i < starts_[cell + 1]; ++i) test(items_[i], o, d, best);
    auto const next = std::min(next_x, next_y);
    // The hair covers rounding at the cell's edge.
    if (best.range < next - 1e-9 || next > leave) break;
    if (next_x < next_y) {
      x += step_x;
      next_x += delta_x;
    } else {
      y += step_y;
      next_y += delta_y;
    }
  }
  return best;
}

}  // namespace cy::sim
