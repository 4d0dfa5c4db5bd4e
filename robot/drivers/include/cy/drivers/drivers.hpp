// The drivers that this build has, by name.
#pragma once

#include <cy/model/driver.hpp>

#include <span>

namespace cy {

struct DriverEntry {
  std::string_view name;
  MakeDriver make;
};

// Every driver of this build, in the order of robot/drivers/CMakeLists.txt.
std::span<DriverEntry const> drivers();

// The driver called `kind`; the fault names those that there are.
Result<std::unique_ptr<Driver>> make_driver(std::string_view kind, DriverConfig const& config);

}  // namespace cy
