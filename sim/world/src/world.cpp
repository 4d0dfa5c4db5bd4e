#include <cy/base/check.hpp>
#include <cy/world/world.hpp>

#include "parts.hpp"

namespace cy::sim {
namespace {

std::vector<Surface> surfaces_of(WorldModel const& model) {
  std::vector<Surface> out;
  out.reserve(model.walls.size() + 4 * model.boxes.size());
  for (auto const& wall : model.walls) out.push_back({wall.a, wall.b});
  for (auto const& box : model.boxes) {
    auto const l = box.length / 2.0, w = box.width / 2.0;
    Vec2 const corners[] = {box.pose.to_outer({l, w}), box.pose.to_outer({-l, w}),
                            box.pose.to_outer({-l, -w}), box.pose.to_outer({l, -w})};
    for (int i = 0; i < 4; ++i) out.push_back({corners[i], corners[(i + 1) % 4]});
  }
  return out;
}

std::vector<Disc> discs_of(WorldModel const& model) {
  std::vector<Disc> out;
  for (auto const& c : model.cylinders) out.push_back({c.centre, c.radius});
  return out;
}

Vec2 unit(double angle) {
  return {std::cos(angle), std::sin(angle)};
}
double direction(Vec2 v) {
  return std::atan2(v.y, v.x);
}

// Towards the ray's origin.
double normal_of(Vec2 a, Vec2 b, Vec2 ray) {
  auto const s = b - a;
  auto n = Vec2{-s.y, s.x};
  if (dot(n, ray) > 0.0) n = -1.0 * n;
  return direction(n);
}

bool near_edge(Vec2 a, Vec2 b, double along) {
  auto const length = norm(b - a);
  return std::min(along, 1.0 - along) * length < 0.03;
}

}  // namespace

World::Parts::Parts(WorldModel m, Profile p, Seed s)
    : model(std::move(m)),
      profile(p),
      seed(s),
      walls(model.walls.size()),
      grid(surfaces_of(model), discs_of(model)) {}

HitKind World::Parts::kind_of(std::uint32_t item) const {
  if (item < walls) return HitKind::wall;
  return item < grid.surfaces().size() ? HitKind::box : HitKind::cylinder;
}

Body const& World::Parts::at(BodyId id) const {
  auto const found = bodies.find(id);
  CY_CHECK(found != bodies.end());
  return found->second;
}

void World::Parts::place(Body& body, Pose2 pose) const {
  CY_CHECK(std::isfinite(pose.x + pose.y + pose.yaw));
  body.pose = pose;
  for (std::size_t i = 0; i < body.corners.size(); ++i)
    body.corners[i] = pose.to_outer(body.shape.footprint[i]);
}

World::World(WorldModel model, Profile profile, Seed seed)
    : parts_(std::make_unique<Parts>(std::move(model), profile, seed)) {}
World::~World() = default;
World::World(World&&) noexcept = default;
World& World::operator=(World&&) noexcept = default;

WorldModel const& World::model() const {
  return parts_->model;
}
Profile World::profile() const {
  return parts_->profile;
}
Random World::random_for(std::uint64_t name) const {
  return Random{Seed{Random{Seed{parts_->seed.value}}.next() ^ Random{Seed{~name}}.next()}};
}

BodyId World::add_body(BodyShape shape, Pose2 pose) {
  CY_CHECK(shape.footprint.empty() ? shape.radius > 0.0 : shape.footprint.size() >= 3);
  auto const id = BodyId{++parts_->last_body};
  Body body{std::move(shape), pose, 0.0, {}};
  body.reach = body.shape.radius;
  if (!body.shape.footprint.empty()) {
    body.reach = 0.0;
    for (auto const corner : body.shape.footprint) body.reach = std::max(body.reach, norm(corner));
    body.corners.resize(body.shape.footprint.size());
  }
  parts_->place(body, pose);
  parts_->bodies.emplace(id, std::move(body));
  return id;
}

void World::remove_body(BodyId id) {
  parts_->bodies.erase(id);
  std::erase_if(parts_->pedestrians, [id](Pedestrian const& p) { return p.body == id; });
}

Pose2 World::pose(BodyId id) const {
  return parts_->at(id).pose;
}
BodyShape const& World::shape(BodyId id) const {
  return parts_->at(id).shape;
}
void World::set_pose(BodyId id, Pose2 pose) {
  auto const found = parts_->bodies.find(id);
  CY_CHECK(found != parts_->bodies.end());
  parts_->place(found->second, pose);
}

std::vector<BodyId> World::bodies() const {
  std::vector<BodyId> out;
  for (auto const& [id, body] : parts_->bodies) out.push_back(id);
  return out;
}

Hit World::hit(Vec2 origin, double angle, double max, BodyId ignore) const {
  auto const& parts = *parts_;
  auto const ray = unit(angle);
  auto const first = parts.grid.cast(origin, ray, max);
  Hit out{first.range};
  if (first.item != Grid::none) {
    out.kind = parts.kind_of(first.item);
    if (out.kind == HitKind::cylinder) {
      auto const& disc = parts.grid.discs()[first.item - parts.grid.surfaces().size()];
      out.normal = direction(origin + first.range * ray - disc.centre);
    } else {
      auto const& s = parts.grid.surfaces()[first.item];
      out.normal = normal_of(s.a, s.b, ray);
      out.edge = near_edge(s.a, s.b, first.along);
    }
  }
  for (auto const& [id, body] : parts.bodies) {
    if (id == ignore) continue;
    auto const p = cross_disc(origin, ray, body.pose.position(), body.reach);
    if (!p || p->out < 0.0 || p->in >= out.range) continue;
    if (body.corners.empty()) {
      auto const range = std::max(p->in, 0.0);
      out = {range, HitKind::body, direction(origin + range * ray - body.pose.position()), false, id};
      continue;
    }
    if (inside(origin, body.corners)) out = {0.0, HitKind::body, normalised(angle + pi), false, id};
    for (std::size_t i = 0; i < body.corners.size(); ++i) {
      auto const a = body.corners[i], b = body.corners[(i + 1) % body.corners.size()];
      auto const c = cross_segment(origin, ray, a, b);
      if (c && c->range < out.range)
        out = {c->range, HitKind::body, normal_of(a, b, ray), near_edge(a, b, c->along), id};
    }
  }
  return out;
}

}  // namespace cy::sim
