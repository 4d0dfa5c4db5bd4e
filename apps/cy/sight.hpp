// What a command needs that stays with a robot for a while: is it still in sight, and has somebody
// pressed Ctrl-C?
#pragma once

#include <cy/client/client.hpp>

namespace cy::cli {

// From now on SIGINT and SIGTERM only set a flag.
void heed_interrupts();
bool interrupted();

// Says when the robot is out of sight, though what it said last still stands there. One look may deceive:
// whoever slept through its news finds them old.
class Sight {
 public:
  Sight(Client const& client, Robot const& robot) : client_(client), robot_(robot) {}
  static constexpr Duration look_period = 200ms;
  // Every look_period.
  std::optional<Fault> lost();

 private:
  Client const& client_;
  Robot const& robot_;
  std::optional<std::uint32_t> number_;
  unsigned in_vain_ = 0;
};

}  // namespace cy::cli
