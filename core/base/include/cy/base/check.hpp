// An invariant that must hold in Release too. When it does not, the process first runs its
// last act (the agent: send every controller the stop that it can), then dies.
#pragma once

#include <string_view>

namespace cy {

// Called once, with what broke, before abort(). Must not allocate much, throw or return late.
using LastAct = void (*)(std::string_view what) noexcept;
void set_last_act(LastAct act) noexcept;

[[noreturn]] void broken(std::string_view what, char const* file, unsigned line) noexcept;

}  // namespace cy

#define CY_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::cy::broken(#condition, __FILE__, __LINE__))
