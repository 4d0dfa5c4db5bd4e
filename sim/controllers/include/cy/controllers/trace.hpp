// What a simulated controller puts on record: every byte in and out with its time, and every
// change that matters for safety. One entry is one JSON line in the file (README.md has the form);
// system tests read reaction times from there, never from a clock of their own.
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/base/geometry.hpp>
#include <cy/base/time.hpp>

#include <string>
#include <string_view>
#include <variant>

namespace cy::sim {

struct BytesIn {
  Buffer bytes;
};
struct BytesOut {
  Buffer bytes;
};
// A packet that was understood and acted upon.
struct Ordered {
  std::uint8_t id{};
  std::string name;
  int value{};
};
// From one named state to another: session, motors, hold, stall, button.
struct Changed {
  std::string_view what;
  std::string_view to;
  std::string_view why;
};
// What the body truly does: not odometry.
struct TrueSpeed {
  Pose2 pose;
  Twist twist;
};

struct TraceEntry {
  Time at{};
  std::variant<BytesIn, BytesOut, Ordered, Changed, TrueSpeed> what;
};

// One line without its newline. `robot` counts from 1.
std::string to_json(TraceEntry const& entry, unsigned robot);

}  // namespace cy::sim
