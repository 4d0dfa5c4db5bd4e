// Any text: either a fault with a line, or a world that a ray can be shot through.
#include <cy/base/bytes.hpp>
#include <cy/base/check.hpp>
#include <cy/world/parse.hpp>
#include <cy/world/world.hpp>

#include <cmath>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size > 65536) return 0;
  auto map = cy::sim::parse_map(cy::text_of({data, size}), "fuzz");
  if (!map) {
    CY_CHECK(map.error().what.starts_with("fuzz:"));
    return 0;
  }
  cy::sim::World world{std::move(map->world), cy::sim::Profile::ideal, cy::Seed{1}};
  auto const h = world.hit({0.1, 0.2}, 0.3, 100.0);
  CY_CHECK(std::isfinite(h.range) && h.range >= 0.0 && h.range <= 100.0);
  return 0;
}
