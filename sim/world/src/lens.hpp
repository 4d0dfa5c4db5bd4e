// From the level picture that the painter draws to what the sensor gets: tilt, roll and the
// lens's distortion in one table, exact for each pixel.
#pragma once

#include <cy/base/bytes.hpp>

#include <cstdint>
#include <vector>

namespace cy::sim {

// A picture under construction. cx, cy: where the optical axis meets it; f: focal length; pixels.
struct Canvas {
  std::uint8_t* y{};
  std::uint8_t* u{};
  std::uint8_t* v{};
  int width{};   // even; the stride too
  int height{};  // even
  double f{};
  double cx{};
  double cy{};
};

struct LensSetting {
  int width{};
  int height{};
  double f{};     // pixels, zoom included
  double tilt{};  // rad, + up
  double roll{};  // rad
  double k1{};    // Brown
  friend bool operator==(LensSetting const&, LensSetting const&) = default;
};

class Lens {
 public:
  explicit Lens(LensSetting setting);

  LensSetting const& setting() const { return setting_; }
  // True when the level picture is the sensor's picture.
  bool identity() const { return identity_; }
  // The level picture to draw; its planes are this object's own.
  Canvas canvas();
  void remap(MutableBytes i420) const;

 private:
  void source_of(double x, double y, double& sx, double& sy) const;

  LensSetting setting_;
  bool identity_;
  int source_width_;
  int source_height_;
  double cx_;
  double cy_;
  std::vector<std::uint8_t> planes_;
  std::vector<std::uint32_t> luma_;    // offset << 8 | fraction of x << 4 | fraction of y
  std::vector<std::uint32_t> chroma_;  // offset
};

}  // namespace cy::sim
