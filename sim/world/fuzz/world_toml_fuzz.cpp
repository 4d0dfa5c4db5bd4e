// Any text as our own TOML: a fault that names its line, or a world a body can move in.
#include <cy/base/bytes.hpp>
#include <cy/base/check.hpp>
#include <cy/world/parse.hpp>
#include <cy/world/world.hpp>

#include <cmath>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size > 65536) return 0;
  auto model = cy::sim::parse_world_toml(cy::text_of({data, size}), "fuzz");
  if (!model) {
    CY_CHECK(model.error().what.starts_with("fuzz:"));
    return 0;
  }
  cy::sim::World world{std::move(*model), cy::sim::Profile::ideal, cy::Seed{1}};
  auto const body = world.add_body({0.25}, {0.1, 0.2, 0.3});
  auto const moved = world.move(body, {0.5, 0.4}, std::chrono::seconds(1));
  CY_CHECK(std::isfinite(moved.pose.x) && std::isfinite(moved.pose.y) && std::isfinite(moved.pose.yaw));
  return 0;
}
