// What the tests of tasks need: a task by its name, and a robot for it to drive.
#pragma once

#include <cy/tasks/task.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace cy::test {

inline std::unique_ptr<Task> made(std::string_view name, std::vector<Setting> settings = {}) {
  auto task = make_task(name, {std::move(settings)});
  if (!task) throw std::runtime_error(task.error().what);
  return std::move(*task);
}

// Eight discs, as at the front of a Pioneer.
inline PartInfo ring() {
  PartInfo part{PartId{2}, PartKind::sonar, "sonar"};
  for (auto const degrees : {90, 50, 30, 10, -10, -30, -50, -90}) {
    Mount mount;
    mount.yaw = radians(degrees);
    part.elements.push_back(mount);
  }
  part.range_max = 5;
  return part;
}

// A robot that does what it is told, and remembers its way.
struct Walk {
  BaseState base;
  Trail trail;
  Time now{1h};
  void drive(Twist twist, double seconds_long) {
    for (auto t = 0.0; t < seconds_long; t += 0.1) {
      base.pose = advance(base.pose, twist, 0.1);
      now += 100ms;
      trail.on_base(base);
    }
  }
  Observation seen() const {
    Observation o;
    o.now = now;
    o.base = &base;
    o.trail = &trail;
    return o;
  }
  // Lets the task drive until it ends; the worst distance from `way` on the path.
  Intent run(Task& task, std::vector<Pose2> const& way, double& worst, bool obeys = true) {
    Intent intent;
    worst = 0;
    for (auto i = 0; i < 3000 && !intent.finished; ++i) {
      intent = task.step(seen());
      if (obeys) base.pose = advance(base.pose, intent.twist, 0.1);
      now += 100ms;
      trail.on_base(base);
      auto off = 1e9;
      for (auto const& pose : way) off = std::min(off, norm(pose.position() - base.pose.position()));
      worst = std::max(worst, off);
    }
    return intent;
  }
};

}  // namespace cy::test
