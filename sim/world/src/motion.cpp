// Bodies that move: collisions, pedestrians.
#include <cy/base/check.hpp>

#include "parts.hpp"
#include <cmath>

namespace cy::sim {
namespace {

// A body advances in pieces no longer than this, so that it cannot pass through a wall; where a
// piece touches something, the contact is then found by halving it.
constexpr double piece = 0.005;
constexpr int halvings = 10;

struct Placed {
  BodyShape const* shape;
  Pose2 pose;
  std::vector<Vec2> corners;
};

Placed placed(BodyShape const& shape, Pose2 pose) {
  Placed out{&shape, pose, {}};
  out.corners.reserve(shape.footprint.size());
  for (auto const p : shape.footprint) out.corners.push_back(pose.to_outer(p));
  return out;
}

std::optional<Vec2> disc_touches_segment(Vec2 centre, double radius, Surface const& s) {
  auto const q = nearest_on_segment(centre, s.a, s.b);
  if (norm(q - centre) < radius) return q;
  return std::nullopt;
}

std::optional<Vec2> polygon_touches_segment(Vec2 centre, std::span<Vec2 const> polygon, Surface const& s) {
  std::optional<Vec2> best;
  auto const offer = [&](Vec2 p) {
    if (!best || norm(p - centre) < norm(*best - centre)) best = p;
  };
  for (auto const end : {s.a, s.b})
    if (inside(end, polygon)) offer(end);
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    auto const a = polygon[i], b = polygon[(i + 1) % polygon.size()];
    if (auto const c = cross_segment(a, b - a, s.a, s.b); c && c->range <= 1.0) offer(a + c->range * (b - a));
  }
  return best;
}

std::optional<Vec2> polygon_touches_disc(std::span<Vec2 const> polygon, Disc const& disc) {
  if (inside(disc.centre, polygon)) return disc.centre;
  auto const q = nearest_on_outline(disc.centre, polygon);
  if (norm(q - disc.centre) < disc.radius) return q;
  return std::nullopt;
}

std::optional<Vec2> polygons_touch(Vec2 centre, std::span<Vec2 const> polygon, std::span<Vec2 const> other) {
  std::optional<Vec2> best;
  for (std::size_t i = 0; i < other.size(); ++i) {
    auto const p = polygon_touches_segment(centre, polygon, {other[i], other[(i + 1) % other.size()]});
    if (p && (!best || norm(*p - centre) < norm(*best - centre))) best = p;
  }
  if (!best && inside(centre, other)) best = centre;
  return best;
}

// The touched point, where the two overlap.
std::optional<Vec2> touch(Placed const& body, Obstacle const& o) {
  auto const centre = body.pose.position();
  if (body.corners.empty()) {
    auto const r = body.shape->radius;
    if (o.disc.radius >= 0.0) {
      auto const apart = o.disc.centre - centre;
      auto const distance = norm(apart);
      if (distance >= r + o.disc.radius) return std::nullopt;
      return distance > 0.0 ? centre + (std::max(0.0, distance - o.disc.radius) / distance) * apart : centre;
    }
    if (!o.polygon.empty()) {
      if (inside(centre, o.polygon)) return centre;
      auto const q = nearest_on_outline(centre, o.polygon);
      return norm(q - centre) < r ? std::optional{q} : std::nullopt;
    }
    return disc_touches_segment(centre, r, o.surface);
  }
  if (o.disc.radius >= 0.0) return polygon_touches_disc(body.corners, o.disc);
  if (!o.polygon.empty()) return polygons_touch(centre, body.corners, o.polygon);
  return polygon_touches_segment(centre, body.corners, o.surface);
}

// What stops the step from one placement to the next. Whoever overlaps already (it was put
// there) may go where its overlap shrinks.
std::optional<Contact> blocked(Placed const& from, Placed const& to, std::span<Obstacle const> near) {
  std::optional<Contact> best;
  double best_distance = 0.0;
  for (auto const& o : near) {
    auto const p = touch(to, o);
    if (!p) continue;
    auto const distance = norm(*p - to.pose.position());
    if (auto const q = touch(from, o); q && distance > norm(*q - from.pose.position())) continue;
    if (best && best_distance <= distance) continue;
    auto const local = to.pose.to_local(*p);
    best = Contact{std::atan2(local.y, local.x), *p, o.kind, o.body};
    best_distance = distance;
  }
  return best;
}

double reach_of(BodyShape const& shape) {
  if (shape.footprint.empty()) return shape.radius;
  double reach = 0.0;
  for (auto const p : shape.footprint) reach = std::max(reach, norm(p));
  return reach;
}

}  // namespace

void World::Parts::gather(Vec2 p, double reach, BodyId ignore, bool with_statics) {
  near.clear();
  if (with_statics)
    grid.near(p, reach, [&](std::uint32_t item) {
      Obstacle o{kind_of(item)};
      if (o.kind == HitKind::cylinder) {
        o.disc = grid.discs()[item - grid.surfaces().size()];
        if (norm(o.disc.centre - p) > reach + o.disc.radius) return;
      } else {
        o.surface = grid.surfaces()[item];
        if (norm(nearest_on_segment(p, o.surface.a, o.surface.b) - p) > reach) return;
      }
      near.push_back(o);
    });
  for (auto const& [id, body] : bodies) {
    if (id == ignore || norm(body.pose.position() - p) > reach + body.reach) continue;
    Obstacle o{HitKind::body, id};
    if (body.corners.empty())
      o.disc = {body.pose.position(), body.shape.radius};
    else
      o.polygon = body.corners;
    near.push_back(o);
  }
}

MoveResult World::move(BodyId id, Twist twist, Duration duration) {
  auto& parts = *parts_;
  auto const found = parts.bodies.find(id);
  CY_CHECK(found != parts.bodies.end());
  auto& body = found->second;
  auto const whole = seconds(duration);
  if (!finite(twist) || !(whole > 0.0)) return {body.pose, 0.0, 0.0, std::nullopt};

  auto const round = body.corners.empty();
  auto const start = body.pose;
  auto const way =
      std::abs(twist.linear) * whole + (round ? 0.0 : std::abs(twist.angular) * whole * body.reach);
  parts.gather(start.position(), std::abs(twist.linear) * whole + body.reach + piece, id, true);
  if (parts.near.empty() || way == 0.0) {
    parts.place(body, advance(start, twist, whole));
    return {body.pose, twist.linear * whole, twist.angular * whole, std::nullopt};
  }

  auto const pieces = std::ceil(way / piece);
  auto from = placed(body.shape, start);
  double done = 0.0;  // seconds of free way
  std::optional<Contact> contact;
  for (double k = 1.0; k <= pieces && !contact; k += 1.0) {
    auto const t = whole * k / pieces;
    auto to = placed(body.shape, advance(start, twist, t));
    contact = blocked(from, to, parts.near);
    if (!contact) {
      done = t;
      from = std::move(to);
    }
  }
  if (contact) {
    auto high = std::min(whole, done + whole / pieces);
    for (int i = 0; i < halvings; ++i) {
      auto const t = (done + high) / 2.0;
      auto to = placed(body.shape, advance(start, twist, t));
      if (auto const c = blocked(from, to, parts.near)) {
        contact = c;
        high = t;
      } else {
        done = t;
        from = std::move(to);
      }
    }
  }
  auto pose = from.pose;
  auto turned = twist.angular * done;
  if (contact && round) {  // it turns on the spot for the rest of the time
    pose.yaw = normalised(start.yaw + twist.angular * whole);
    turned = twist.angular * whole;
    auto const local = pose.to_local(contact->point);
    contact->bearing = std::atan2(local.y, local.x);
  }
  parts.place(body, pose);
  return {pose, twist.linear * done, turned, contact};
}

bool World::is_free(BodyShape const& shape, Pose2 pose, BodyId ignore) const {
  auto& parts = *parts_;
  parts.gather(pose.position(), reach_of(shape), ignore, true);
  auto const body = placed(shape, pose);
  return std::none_of(parts.near.begin(), parts.near.end(),
                      [&](Obstacle const& o) { return touch(body, o).has_value(); });
}

BodyId World::add_pedestrian(std::vector<Vec2> loop, double speed, double radius, double height,
                             Colour colour) {
  CY_CHECK(loop.size() >= 2 && speed > 0.0);
  auto const ahead = loop[1] - loop[0];
  auto const id =
      add_body({radius, {}, height, colour}, {loop[0].x, loop[0].y, std::atan2(ahead.y, ahead.x)});
  parts_->pedestrians.push_back({id, std::move(loop), speed});
  return id;
}

void World::on_time(Time now) {
  auto& parts = *parts_;
  auto const elapsed = parts.walked ? seconds(now - *parts.walked) : 0.0;
  parts.walked = now;
  for (auto& p : parts.pedestrians) {
    auto& body = parts.bodies.at(p.body);
    auto left = elapsed * p.speed;
    // A loop of points on one spot would never use its way up.
    for (std::size_t corners = 0; left > 0.0 && corners <= p.loop.size();) {
      auto const goal = p.loop[p.next];
      auto const apart = goal - body.pose.position();
      auto const distance = norm(apart);
      if (distance < 1e-9) {
        p.next = (p.next + 1) % p.loop.size();
        ++corners;
        continue;
      }
      corners = 0;
      auto const step = std::min({left, distance, 0.05});
      auto const at = step == distance ? goal : body.pose.position() + (step / distance) * apart;
      auto const pose = Pose2{at.x, at.y, std::atan2(apart.y, apart.x)};
      parts.gather(at, body.reach, p.body, false);
      if (blocked(placed(body.shape, body.pose), placed(body.shape, pose), parts.near)) break;
      parts.place(body, pose);
      left -= step;
    }
  }
}

}  // namespace cy::sim
