#include <cy/base/check.hpp>
#include <cy/world/camera.hpp>
#include <cy/world/mark.hpp>

#include "lens.hpp"
#include "painter.hpp"
#include <algorithm>
#include <cmath>
#include <optional>

namespace cy::sim {
namespace {

constexpr double steepest = 0.70;  // rad of tilt, 40 degrees

std::uint64_t mix(std::uint64_t x) {
  return Random{Seed{x}}.next();
}

}  // namespace

struct CameraRenderer::Parts {
  Parts(WorldModel const& world, CameraModel c, Profile p, Seed s)
      : camera(c), profile(p), lighting(world.lighting), seed(s.value), painter(world) {
    Random random{s};
    auto const error = [&] {
      return std::clamp(random.normal(0.0, camera.mount_error), -2.0 * camera.mount_error,
                        2.0 * camera.mount_error);
    };
    if (profile == Profile::real) {
      yaw_error = error();
      tilt_error = error();
      roll_error = error();
      noise = make_noise(random, camera.noise);
    }
    phase = random.uniform(0.0, 2.0 * pi);
  }

  // A lamp's level that drifts slowly, as daylight and mains do.
  double light(Time captured) const {
    if (profile == Profile::ideal) return lighting.level;
    auto const t = 2.0 * pi * seconds(captured.time_since_epoch()) / lighting.change_period_s + phase;
    return lighting.level * (1.0 + lighting.change * (0.7 * std::sin(t) + 0.3 * std::sin(2.7 * t)));
  }

  void add_noise(MutableBytes luma, std::uint32_t frame_number) const {
    auto word = mix(seed ^ (std::uint64_t{frame_number} << 20));
    auto const width = camera.width;
    for (std::uint32_t y = 0; y < camera.height; ++y) {
      word = word * 6364136223846793005ULL + 1442695040888963407ULL;
      auto const* n = noise.data() + (word >> 40) % (noise.size() - width);
      auto* out = luma.data() + static_cast<std::size_t>(y) * width;
      for (std::uint32_t x = 0; x < width; ++x) {
        auto const v = static_cast<std::int16_t>(out[x] + n[x]);
        out[x] = static_cast<std::uint8_t>(std::min<std::int16_t>(235, std::max<std::int16_t>(16, v)));
      }
    }
  }

  CameraModel camera;
  Profile profile;
  Lighting lighting;
  std::uint64_t seed;
  Painter painter;
  double yaw_error{};
  double tilt_error{};
  double roll_error{};
  double phase{};
  std::vector<std::int8_t> noise;
  std::optional<Lens> lens;
};

CameraRenderer::CameraRenderer(WorldModel const& world, CameraModel camera, Profile profile, Seed seed) {
  CY_CHECK(camera.width % 2 == 0 && camera.width >= 64 && camera.width <= 1920);
  CY_CHECK(camera.height % 2 == 0 && camera.height >= 64 && camera.height <= 1440);
  CY_CHECK(camera.fov >= 0.2 && camera.fov <= 2.0 && camera.mount_height > 0.0);
  parts_ = std::make_unique<Parts>(world, camera, profile, seed);
}
CameraRenderer::~CameraRenderer() = default;
CameraRenderer::CameraRenderer(CameraRenderer&&) noexcept = default;
CameraRenderer& CameraRenderer::operator=(CameraRenderer&&) noexcept = default;

CameraModel const& CameraRenderer::model() const {
  return parts_->camera;
}
std::size_t CameraRenderer::frame_bytes() const {
  return static_cast<std::size_t>(parts_->camera.width) * parts_->camera.height * 3 / 2;
}

void CameraRenderer::render(World const& world, View const& view, MutableBytes i420, Time captured,
                            std::uint32_t frame_number) {
  auto& parts = *parts_;
  auto const& camera = parts.camera;
  CY_CHECK(i420.size() >= frame_bytes());
  CY_CHECK(std::isfinite(view.body.x + view.body.y + view.body.yaw + view.pan + view.tilt));
  auto const real = parts.profile == Profile::real;
  auto const width = static_cast<int>(camera.width), height = static_cast<int>(camera.height);
  auto const f = width / 2.0 / std::tan(camera.fov / 2.0) * std::clamp(view.zoom, 1.0, 20.0);
  LensSetting const setting{width,
                            height,
                            f,
                            std::clamp(camera.tilt + view.tilt + parts.tilt_error, -steepest, steepest),
                            parts.roll_error,
                            real ? camera.distortion : 0.0};
  if (!parts.lens || !(parts.lens->setting() == setting)) parts.lens.emplace(setting);

  auto const mount = view.body.compose(camera.mount);
  Eye const eye{mount.position(), mount.yaw + view.pan + parts.yaw_error, camera.mount_height,
                parts.light(captured), view.self};
  if (parts.lens->identity()) {
    auto const area = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
    parts.painter.paint(world, eye,
                        {i420.data(), i420.data() + area, i420.data() + area * 5 / 4, width, height, f,
                         width / 2.0, height / 2.0});
  } else {
    parts.painter.paint(world, eye, parts.lens->canvas());
    parts.lens->remap(i420);
  }
  if (real) parts.add_noise(i420, frame_number);
  if (camera.mark && camera.width >= smallest_marked_width)
    draw_mark(
        i420, camera.width, camera.height,
        {frame_number,
         static_cast<std::uint64_t>(
             std::chrono::duration_cast<std::chrono::microseconds>(captured.time_since_epoch()).count())});
}

}  // namespace cy::sim
