// What a camera on a body sees, drawn by the processor alone into I420 (BT.601, 16..235): walls
// by one ray a column, floor and ceiling by rows, things in the order of their distance, then the
// lens. 640 x 480 costs a few milliseconds. The same world, time and seed give the same bytes.
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/base/time.hpp>
#include <cy/world/world.hpp>

#include <cstdint>
#include <memory>

namespace cy::sim {

struct CameraModel {
  std::uint32_t width{640};   // even, 64..1920
  std::uint32_t height{480};  // even, 64..1440
  double fov{1.05};           // horizontal, of the lens without distortion and zoom; 0.2..2.0
  Pose2 mount{};              // in the body's frame
  double mount_height{0.45};  // above the floor
  double tilt{0.0};           // + up; 0 is level
  bool mark{false};           // mark.hpp, in the top left corner
  // `real` only, from here. GUESSES for a small lens on a bracket.
  double distortion{-0.18};   // k1 of Brown's model (radius in focal lengths); negative is a barrel
  double mount_error{0.015};  // sigma of each angle the bracket is off by; never over two sigma
  double noise{2.0};          // sigma, in steps of luma
};

// What changes from picture to picture.
struct View {
  BodyId self{};     // not drawn; none for a camera on a wall
  Pose2 body{};      // where the camera's body stands
  double pan{};      // + left; of a pan and tilt head
  double tilt{};     // + up; together with the model's within 40 degrees
  double zoom{1.0};  // 1..20
};

class CameraRenderer {
 public:
  // The model is used to prepare walls and tags; later pictures must be of a world of this model.
  CameraRenderer(WorldModel const& world, CameraModel camera, Profile profile, Seed seed);
  ~CameraRenderer();
  CameraRenderer(CameraRenderer&&) noexcept;
  CameraRenderer& operator=(CameraRenderer&&) noexcept;

  CameraModel const& model() const;
  std::size_t frame_bytes() const;  // of `i420`

  // A changed tilt or zoom costs some milliseconds more, once.
  void render(World const& world, View const& view, MutableBytes i420, Time captured,
              std::uint32_t frame_number);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cy::sim
