#include <cy/drivers/drivers.hpp>

namespace cy {

Result<std::unique_ptr<Driver>> make_driver(std::string_view kind, DriverConfig const& config) {
  std::string known;
  for (auto const& entry : drivers()) {
    if (entry.name == kind) return entry.make(config);
    known += known.empty() ? "" : ", ";
    known += entry.name;
  }
  return fault("there is no driver \"{}\"; this build has: {}", kind, known);
}

}  // namespace cy
