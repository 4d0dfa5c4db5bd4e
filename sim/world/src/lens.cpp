#include "lens.hpp"

#include <algorithm>
#include <cmath>

namespace cy::sim {

// Where the ray of the output point (x, y; pixels from its corner) meets the level picture, in
// focal lengths right and down of its axis.
void Lens::source_of(double x, double y, double& sx, double& sy) const {
  auto const& s = setting_;
  auto const xd = (x - s.width / 2.0) / s.f, yd = (y - s.height / 2.0) / s.f;
  auto xu = xd, yu = yd;
  // Brown's polynomial goes from the straight to the bent point; its inverse by iteration.
  for (int i = 0; i < 6 && s.k1 != 0.0; ++i) {
    auto const bend = std::max(0.3, 1.0 + s.k1 * (xu * xu + yu * yu));
    xu = xd / bend;
    yu = yd / bend;
  }
  auto const left = -xu * std::cos(s.roll) + yu * std::sin(s.roll);
  auto const up = -yu * std::cos(s.roll) - xu * std::sin(s.roll);
  auto const ahead = std::max(0.15, std::cos(s.tilt) - up * std::sin(s.tilt));
  sx = -left / ahead;
  sy = -(std::sin(s.tilt) + up * std::cos(s.tilt)) / ahead;
}

Lens::Lens(LensSetting setting)
    : setting_(setting),
      identity_(setting.tilt == 0.0 && setting.roll == 0.0 && setting.k1 == 0.0),
      source_width_(setting.width),
      source_height_(setting.height),
      cx_(setting.width / 2.0),
      cy_(setting.height / 2.0) {
  if (identity_) return;
  auto const f = setting_.f;
  double x0 = 0.0, x1 = 0.0, y0 = 1e9, y1 = -1e9;
  auto const widen = [&](double x, double y) {
    double sx, sy;
    source_of(x, y, sx, sy);
    x0 = std::min(x0, sx * f);
    x1 = std::max(x1, sx * f);
    y0 = std::min(y0, sy * f);
    y1 = std::max(y1, sy * f);
  };
  for (int x = 0; x <= setting_.width; x += 2) {
    widen(x, 0);
    widen(x, setting_.height);
  }
  for (int y = 0; y <= setting_.height; y += 2) {
    widen(0, y);
    widen(setting_.width, y);
  }
  auto const side = [](double low, double high, int most) {
    return std::min(2 * most, static_cast<int>(std::ceil((high - low) / 2.0)) * 2 + 4);
  };
  source_width_ = side(x0, x1, setting_.width);
  source_height_ = side(y0, y1, setting_.height);
  cx_ = std::round(2.0 - x0);
  cy_ = std::round(2.0 - y0);
  auto const area = static_cast<std::size_t>(source_width_) * static_cast<std::size_t>(source_height_);
  planes_.assign(area * 3 / 2, 128);

  luma_.reserve(static_cast<std::size_t>(setting_.width) * setting_.height);
  for (int y = 0; y < setting_.height; ++y)
    for (int x = 0; x < setting_.width; ++x) {
      double sx, sy;
      source_of(x + 0.5, y + 0.5, sx, sy);
      // In sixteenths of a pixel, kept inside so that the right and lower neighbours exist.
      auto const px = std::clamp(std::lround((cx_ + sx * f - 0.5) * 16.0), 0L, (source_width_ - 1) * 16L - 1);
      auto const py =
          std::clamp(std::lround((cy_ + sy * f - 0.5) * 16.0), 0L, (source_height_ - 1) * 16L - 1);
      auto const offset = static_cast<std::uint32_t>((py >> 4) * source_width_ + (px >> 4));
      luma_.push_back(offset << 8 | static_cast<std::uint32_t>((px & 15) << 4 | (py & 15)));
    }
  chroma_.reserve(luma_.size() / 4);
  for (int y = 0; y < setting_.height; y += 2)
    for (int x = 0; x < setting_.width; x += 2) {
      double sx, sy;
      source_of(x + 1.0, y + 1.0, sx, sy);
      auto const px = std::clamp(static_cast<int>((cx_ + sx * f) / 2.0), 0, source_width_ / 2 - 1);
      auto const py = std::clamp(static_cast<int>((cy_ + sy * f) / 2.0), 0, source_height_ / 2 - 1);
      chroma_.push_back(static_cast<std::uint32_t>(py * (source_width_ / 2) + px));
    }
}

Canvas Lens::canvas() {
  auto const area = static_cast<std::size_t>(source_width_) * static_cast<std::size_t>(source_height_);
  auto* y = planes_.data();
  return {y, y + area, y + area * 5 / 4, source_width_, source_height_, setting_.f, cx_, cy_};
}

void Lens::remap(MutableBytes i420) const {
  auto const* source = planes_.data();
  auto const stride = static_cast<std::size_t>(source_width_);
  auto* out = i420.data();
  for (std::size_t i = 0; i < luma_.size(); ++i) {
    auto const entry = luma_[i];
    auto const* p = source + (entry >> 8);
    auto const fx = entry >> 4 & 15U, fy = entry & 15U;
    auto const top = p[0] * (16U - fx) + p[1] * fx;
    auto const low = p[stride] * (16U - fx) + p[stride + 1] * fx;
    out[i] = static_cast<std::uint8_t>((top * (16U - fy) + low * fy + 128U) >> 8);
  }
  auto const area = stride * static_cast<std::size_t>(source_height_);
  auto const* u = source + area;
  auto const* v = source + area * 5 / 4;
  auto* out_u = out + luma_.size();
  auto* out_v = out_u + chroma_.size();
  for (std::size_t i = 0; i < chroma_.size(); ++i) {
    out_u[i] = u[chroma_[i]];
    out_v[i] = v[chroma_[i]];
  }
}

}  // namespace cy::sim
