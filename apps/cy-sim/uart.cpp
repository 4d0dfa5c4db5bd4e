#include "uart.hpp"

#include <cmath>

namespace cy::sim {
namespace {

// A start bit, eight bits with the lowest first, a stop bit.
constexpr std::size_t bits_in_byte = 10;

// The line's level at a time in bits of the sender.
bool high(Bytes sent, double time) {
  auto const bit = static_cast<std::size_t>(time);
  auto const at = bit % bits_in_byte;
  if (bit / bits_in_byte >= sent.size() || at == bits_in_byte - 1) return true;
  return at > 0 && (sent[bit / bits_in_byte] >> (at - 1) & 1) != 0;
}

}  // namespace

Buffer as_heard(Bytes sent, unsigned sender, unsigned receiver) {
  Buffer heard;
  if (sender == 0 || receiver == 0) return heard;
  if (sender == receiver) return copy_of(sent);
  auto const bit = static_cast<double>(sender) / receiver;
  auto const end = static_cast<double>(sent.size() * bits_in_byte);
  auto rested = true;  // a start bit is a fall of the level
  for (auto time = 0.0; time < end;) {
    if (auto const level = high(sent, time); level || !rested) {
      rested = level;
      time = std::floor(time) + 1.0;
      continue;
    }
    std::uint8_t byte = 0;
    for (auto i = 0; i < 8; ++i)
      if (high(sent, time + (1.5 + i) * bit)) byte = static_cast<std::uint8_t>(byte | 1 << i);
    heard.push_back(byte);  // without a stop bit too: a driver in raw mode hands it on
    time += 9.5 * bit;
    rested = high(sent, time);
  }
  return heard;
}

}  // namespace cy::sim
