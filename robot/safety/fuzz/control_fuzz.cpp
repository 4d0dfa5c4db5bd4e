// Random sequences of everything that can happen to a robot's control keep its invariants.
#include "storm.hpp"

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  cy::rig::Storm(data, size).run();
  return 0;
}
