#include <cy/base/check.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace cy {
namespace {
std::atomic<LastAct> last_act{nullptr};
}

void set_last_act(LastAct act) noexcept {
  last_act = act;
}

void broken(std::string_view what, char const* file, unsigned line) noexcept {
  if (auto const act = last_act.exchange(nullptr)) act(what);
  std::fprintf(stderr, "%s:%u: broken invariant: %.*s\n", file, line, static_cast<int>(what.size()),
               what.data());
  std::abort();
}

}  // namespace cy
