#include <cy/tasks/task.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace cy {

Result<double> TaskConfig::number(std::string_view key, double otherwise, double low, double high) const {
  for (auto const& setting : settings) {
    if (setting.key != key) continue;
    char* end = nullptr;
    auto const value = std::strtod(setting.value.c_str(), &end);
    if (setting.value.empty() || *end != '\0' || !std::isfinite(value) || value < low || value > high)
      return fault("{} = \"{}\": give a number from {} to {}", key, setting.value, low, high);
    return value;
  }
  return otherwise;
}

Result<void> TaskConfig::only(std::initializer_list<std::string_view> allowed) const {
  for (auto const& setting : settings)
    if (std::find(allowed.begin(), allowed.end(), setting.key) == allowed.end())
      return fault("there is no setting \"{}\" here: it has {}", setting.key, fmt::join(allowed, ", "));
  return {};
}

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (auto const& entry : tasks()) names.emplace_back(entry.name);
  return names;
}

Result<std::unique_ptr<Task>> make_task(std::string_view name, TaskConfig const& config) {
  for (auto const& entry : tasks())
    if (entry.name == name) return entry.make(config);
  return fault("there is no task \"{}\": there are {}", name, fmt::join(task_names(), ", "));
}

}  // namespace cy
