#include "make.hpp"

namespace cy::bench {

std::vector<System> const& systems() {
  static std::vector<System> const all{
      {"raw_udp", make_raw_udp, serve_raw_udp},
      {"sealed_udp", make_sealed_udp, serve_sealed_udp},
#ifdef CY_BENCH_ZEROMQ
      {"zeromq", make_zeromq, serve_zeromq},
      {"zeromq_curve", make_zeromq_curve, serve_zeromq_curve},
#endif
#ifdef CY_BENCH_OMNIORB
      {"omniorb", make_omniorb, serve_omniorb},
#endif
#ifdef CY_BENCH_OMNIORB_TLS
      {"omniorb_tls", make_omniorb_tls, serve_omniorb_tls},
#endif
  };
  return all;
}

}  // namespace cy::bench
