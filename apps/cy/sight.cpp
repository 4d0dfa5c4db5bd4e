#include "sight.hpp"

#include <atomic>
#include <csignal>

namespace cy::cli {
namespace {
std::atomic<bool> was_interrupted{false};
}

void heed_interrupts() {
  for (auto const signal : {SIGINT, SIGTERM}) std::signal(signal, [](int) { was_interrupted = true; });
}

bool interrupted() {
  return was_interrupted;
}

std::optional<Fault> Sight::lost() {
  auto const view = client_.link();
  auto const linked = view.state == session::LinkState::up || view.state == session::LinkState::late;
  auto const status = robot_.status();
  auto const number = status ? std::optional(status->number) : std::nullopt;
  in_vain_ = linked && number != number_ ? 0 : in_vain_ + 1;
  number_ = number;
  if (in_vain_ < 3) return std::nullopt;
  if (!linked) return Fault{fmt::format("the link is {}: {}", wire::name_of(view.state), view.why)};
  return Fault{"the robot says nothing any more: see its device with `cy status`"};
}

}  // namespace cy::cli
