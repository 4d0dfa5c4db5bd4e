// A Pioneer P3-DX controller as it behaves on its serial line: handshake, SIPs, motion servos,
// watchdog, stalls, calibration. A pure machine over bytes; the body it drives stands in a World
// and moves with the same virtual time.
//
//   ArcosController pioneer{world, start, options, Seed{1}, now};
//   pioneer.on_connected(now);
//   pioneer.on_bytes(received, now);
//   for (auto& effect : pioneer.drain()) …      // ControllerSend: write these bytes
//   pioneer.on_time(*pioneer.deadline());
//
// Behaviour is the real controller's as the maker's manuals, ARIA and captures describe it, the
// dangerous parts included: motors are off after OPEN; after its watchdog it resumes the last
// set-points at the next packet, whatever that is; a lost connection ends nothing.
#pragma once

#include <cy/controllers/arcos_options.hpp>
#include <cy/controllers/trace.hpp>
#include <cy/world/world.hpp>

#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace cy::sim {

struct ControllerSend {
  Buffer bytes;
};
// Only with ArcosOptions::lenient: the connection ends with the session.
struct ControllerHangUp {};
// HOSTBAUD, or back to FLASH's rate.
struct ControllerBaud {
  unsigned baud{};
};
using ControllerEffect = std::variant<ControllerSend, ControllerHangUp, ControllerBaud, TraceEntry>;

class ArcosController {
 public:
  // `world` outlives it and is used from the same thread. Fault orders count from `now`.
  ArcosController(World& world, Pose2 start, ArcosOptions options, Seed seed, Time now);
  ~ArcosController();
  ArcosController(ArcosController&&) noexcept;

  void on_connected(Time now);
  void on_disconnected(Time now);
  void on_bytes(Bytes bytes, Time now);
  void on_time(Time now);
  std::optional<Time> deadline() const;
  std::vector<ControllerEffect> drain();

  // A fault ordered while it runs; `from` counts from `now`.
  void order(FaultOrder fault, Time now);

  // The truth, for cameras and tests.
  BodyId body() const;
  Pose2 pose() const;
  Twist speed() const;

 private:
  struct Machine;
  std::unique_ptr<Machine> machine_;
};

}  // namespace cy::sim
