// Which software this is, as its peers are told: "cylib 0.1.0". The number is the project's.
#pragma once

#include <string>

namespace cy {

std::string software();

}  // namespace cy
