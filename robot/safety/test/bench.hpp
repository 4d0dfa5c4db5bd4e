// A gate before a P3-DX that stands on an open floor, and somebody who has the lease.
#pragma once

#include <cy/safety/gate.hpp>

#include "rig.hpp"

namespace cy::rig {

struct Bench {
  explicit Bench(GateOptions options = {}) : gate(options) {
    senses.on_robot(p3dx());
    see(base_part, resting());
    see(sonar_part, open_floor());
    lease = leases.request(olga, false, "", now)->lease;
  }
  template <class S>
  void see(PartId part, S const& state) {
    auto const body = wire::body_of(state);
    senses.on_observed(part, wire::view(body), now);
  }
  void wall_ahead(float range) {
    auto sonar = open_floor();
    sonar.discs[3] = sonar.discs[4] = {range, 0, true};
    see(sonar_part, sonar);
  }
  tl::expected<Admitted, Refusal> ask(Twist twist, Duration loop_age = 40ms, Duration lifetime = 300ms,
                                      Contact contact = Contact::up) {
    return gate.admit(*leases.authorise(olga, lease, now), {twist, loop_age, lifetime}, senses, contact, now);
  }
  tl::expected<Admitted, Refusal> ask_as_task(Twist twist, Contact contact) {
    return gate.admit(LeaseDesk::as_task(*leases.authorise(olga, lease, now)), {twist, 40ms, 300ms}, senses,
                      contact, now);
  }

  Time now{start};
  Senses senses;
  LeaseDesk leases{Seed{1}};
  LeaseId lease;
  Gate gate;
};

}  // namespace cy::rig
