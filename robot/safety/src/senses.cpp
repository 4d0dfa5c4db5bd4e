#include <cy/safety/senses.hpp>

#include <cmath>

namespace cy {

void Senses::on_robot(RobotInfo const& info) {
  footprint_ = info.footprint;
  limits_ = info.limits;
  rings_.clear();
  bumpers_.clear();
  for (auto const& part : info.parts) {
    if (part.kind == PartKind::sonar) {
      auto& ring = rings_.emplace_back();
      ring.part = part.id;
      for (auto const& mount : part.elements) ring.discs.push_back({mount});
    } else if (part.kind == PartKind::bumper) {
      bumpers_.push_back({part.id, part.elements});
    }
  }
}

void Senses::on_observed(PartId part, wire::Raw state, Time now) {
  if (auto const base = wire::as<BaseState>(state)) {
    base_ = *base;
    base_at_ = now;
    track_.on_base(*base, now);
  } else if (auto const sonar = wire::as<SonarState>(state)) {
    for (auto& ring : rings_) {
      if (ring.part != part) continue;
      ring.on = sonar->enabled && !sonar->silent;
      for (std::size_t i = 0; i < ring.discs.size(); ++i) {
        auto& disc = ring.discs[i];
        disc.at.reset();
        if (i >= sonar->discs.size()) continue;
        auto const& said = sonar->discs[i];
        if (said.age_ms == SonarDisc::never || !std::isfinite(said.range) || said.range < 0) continue;
        disc.range = static_cast<double>(said.range);
        disc.heard = said.heard;
        disc.at = now - std::chrono::milliseconds(said.age_ms);
        disc.from = track_.at(*disc.at);
      }
    }
  } else if (auto const bumper = wire::as<BumperState>(state)) {
    for (auto& known : bumpers_)
      if (known.part == part) known.pressed = bumper->pressed;
  }
}

void Senses::forget() {
  base_.reset();
  track_.clear();
  for (auto& ring : rings_) {
    ring.on = false;
    for (auto& disc : ring.discs) disc.at.reset();
  }
  for (auto& bumper : bumpers_) bumper.pressed = 0;
}

bool Senses::bumped() const {
  for (auto const& bumper : bumpers_)
    if (bumper.pressed != 0) return true;
  return false;
}

}  // namespace cy
