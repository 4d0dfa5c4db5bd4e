#include <cy/base/version.hpp>

namespace cy {

std::string software() {
  return "cylib " CY_VERSION;
}

}  // namespace cy
