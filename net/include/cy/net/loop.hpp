// One thread's event loop, its clock and its timers.
//
// Everything that belongs to a loop is created, called and destroyed in its thread (or before
// run()); only post() and stop() may be called from others.
#pragma once

#include <cy/base/time.hpp>
#include <cy/session/dialer.hpp>

#include <functional>
#include <memory>
#include <optional>

namespace cy::net {

// CLOCK_BOOTTIME: monotonic, and it runs on while the machine sleeps.
Time now();

// The system's randomness, for keys; and a seed from it, for everything else.
seal::SecretKey system_entropy();
Seed system_seed();

class Loop {
 public:
  Loop();
  ~Loop();
  Loop(Loop const&) = delete;
  Loop& operator=(Loop const&) = delete;

  // Until stop().
  void run();
  void stop();
  // Makes run() possible again after stop().
  void restart();
  // Runs `work` in the loop's thread, later. From any thread.
  void post(std::function<void()> work);
  // Calls `handler` in the loop when one of these signals comes.
  void on_signals(std::initializer_list<int> signals, std::function<void(int)> handler);

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Calls back once at about the time it was set to. Setting it again replaces the time; a later
// time costs nothing, as the timer then looks again when it fires.
class Timer {
 public:
  Timer(Loop& loop, std::function<void()> on_due);
  ~Timer();
  void set(std::optional<Time> due);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace cy::net
