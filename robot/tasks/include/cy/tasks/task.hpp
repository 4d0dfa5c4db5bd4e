// A task: autonomy as a pure machine. It looks, and says how it would like to move.
//
// The host calls step() after each report of the robot, from one thread, and hands the intent to
// the control desk, where the gate has the last word: what was wished is not what is driven. A
// task may see less than it hopes for (any pointer may be null) and must then say so and finish,
// or stand. It finishes by Intent::finished and is not called again; it may also be dropped at
// any moment without a word.
#pragma once

#include <cy/base/result.hpp>
#include <cy/model/control.hpp>
#include <cy/tasks/trail.hpp>

#include <memory>

namespace cy {

// All borrowed for the call.
struct Observation {
  Time now;
  RobotInfo const* info{};
  BaseState const* base{};
  SonarState const* sonar{};
  PartInfo const* sonar_part{};  // where its discs are
  BumperState const* bumper{};
  PartInfo const* bumper_part{};
  Trail const* trail{};
};

struct Intent {
  Twist twist;
  std::optional<TaskPhase> finished{};  // finished or failed: over with this step
  std::string why{};                    // progress, or why it ended, in words
  double fraction{-1.0};                // 0 to 1; negative: it does not know
};

class Task {
 public:
  virtual ~Task() = default;
  virtual Intent step(Observation const& seen) = 0;
  // True: it gets free by itself after a bump or a stalled wheel, which otherwise ends it. Asked once,
  // at the beginning; as a policy, with nobody watching, it ends all the same.
  virtual bool handles_touch() const { return false; }
};

struct TaskConfig {
  std::vector<Setting> settings;

  // Reads `key` as a number within [low, high]; `otherwise` when it is not set.
  Result<double> number(std::string_view key, double otherwise, double low, double high) const;
  // A fault that names the first setting not among `allowed`.
  Result<void> only(std::initializer_list<std::string_view> allowed) const;
};

using MakeTask = Result<std::unique_ptr<Task>> (*)(TaskConfig const&);

struct TaskEntry {
  std::string_view name;
  MakeTask make;
};

// Every task of the house, by name.
std::vector<TaskEntry> const& tasks();
std::vector<std::string> task_names();
Result<std::unique_ptr<Task>> make_task(std::string_view name, TaskConfig const& config);

}  // namespace cy
