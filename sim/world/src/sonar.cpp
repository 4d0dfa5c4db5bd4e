#include <cy/world/world.hpp>

#include <algorithm>
#include <cmath>

namespace cy::sim {

double World::sonar_range(BodyId self, Pose2 sensor, SonarModel const& model, Random& random) const {
  auto const eye = pose(self).compose(sensor);
  if (profile() == Profile::ideal)
    return std::clamp(hit(eye.position(), eye.yaw, model.max_range, self).range, model.min_range,
                      model.max_range);

  auto nearest = model.max_range;
  auto const rays = std::max(1, model.rays);
  for (int i = 0; i < rays; ++i) {
    auto const offset = rays == 1 ? 0.0 : model.half_cone * (2.0 * i / (rays - 1) - 1.0);
    auto const angle = eye.yaw + offset;
    auto const h = hit(eye.position(), angle, nearest, self);
    if (h.kind == HitKind::none) continue;
    // A smooth surface throws sound away like a mirror does; corners and edges scatter it back.
    auto const incidence = std::abs(normalised(angle + pi - h.normal));
    if (!h.edge && incidence > model.specular_angle) continue;
    nearest = std::min(nearest, h.range);
  }
  if (random.chance(model.cross_talk)) return random.uniform(model.min_range, nearest);
  if (nearest < model.max_range) nearest = random.normal(nearest, model.noise * nearest + model.noise_floor);
  return std::clamp(nearest, model.min_range, model.max_range);
}

}  // namespace cy::sim
