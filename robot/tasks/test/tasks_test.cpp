#include <cy/base/random.hpp>
#include <cy/safety/gate.hpp>
#include <cy/tasks/task.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace cy {
namespace {

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

std::unique_ptr<Task> made(std::string_view name, std::vector<Setting> settings = {}) {
  auto task = make_task(name, {std::move(settings)});
  EXPECT_TRUE(task) << (task ? "" : task.error().what);
  return std::move(*task);
}

PartInfo ring() {
  PartInfo part{PartId{2}, PartKind::sonar, "sonar"};
  for (auto const degrees : {90, 50, 30, 10, -10, -30, -50, -90}) {
    Mount mount;
    mount.yaw = radians(degrees);
    part.elements.push_back(mount);
  }
  part.range_max = 5;
  return part;
}

// ---- contract, over every task -----------------------------------------------------------

// Drawn from what may come: nothing, everything, nonsense.
struct Stage {
  explicit Stage(Random& random) : random_(random) {}
  Observation next() {
    now += std::chrono::milliseconds(random_.below(300));
    Observation seen;
    seen.now = now;
    auto const number = [&] { return random_.chance(0.02) ? nan : random_.uniform(-5, 5); };
    base.pose = {number(), number(), number()};
    base.stall_left = random_.chance(0.1);
    if (random_.chance(0.01)) base.odometry_epoch += 1;
    sonar.enabled = !random_.chance(0.1);
    sonar.discs.resize(random_.below(20));
    for (auto& disc : sonar.discs)
      disc = {static_cast<float>(number()), static_cast<std::uint32_t>(random_.below(3000)),
              random_.chance(0.8)};
    bumper.pressed = random_.chance(0.1) ? 1 : 0;
    trail.on_base(base);
    if (!random_.chance(0.02)) seen.base = &base;
    if (!random_.chance(0.1)) seen.sonar = &sonar;
    if (!random_.chance(0.1)) seen.sonar_part = &part;
    if (!random_.chance(0.1)) seen.bumper = &bumper;
    if (!random_.chance(0.1)) seen.trail = &trail;
    return seen;
  }
  Random& random_;
  Time now{1h};
  BaseState base;
  SonarState sonar;
  BumperState bumper;
  PartInfo part{ring()};
  Trail trail;
};

TEST(TaskContract, IntentsAreFiniteAndModestWhateverIsSeen) {
  GateOptions const gate;
  for (auto const& entry : tasks()) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      Random random{Seed{seed}};
      Stage stage(random);
      auto const task = made(entry.name);
      for (auto i = 0; i < 300; ++i) {
        auto const intent = task->step(stage.next());
        ASSERT_TRUE(finite(intent.twist)) << entry.name << " seed " << seed;
        ASSERT_LE(std::abs(intent.twist.linear), gate.max_linear) << entry.name;
        ASSERT_LE(std::abs(intent.twist.angular), gate.max_angular) << entry.name;
        ASSERT_FALSE(intent.why.empty()) << entry.name;
        ASSERT_LE(intent.fraction, 1.0);
        if (!intent.finished) continue;
        ASSERT_EQ(intent.twist, Twist{}) << entry.name << " moves on after its end";
        break;
      }
    }
  }
}

TEST(TaskContract, SeeingNothingNobodyMoves) {
  for (auto const& entry : tasks()) {
    auto const task = made(entry.name);
    EXPECT_EQ(task->step({}).twist, Twist{}) << entry.name;
  }
}

TEST(TaskContract, UnknownAndBadSettingsAreRefusedByName) {
  for (auto const& entry : tasks()) {
    auto const odd = make_task(entry.name, {{{"colour", "red"}}});
    ASSERT_FALSE(odd) << entry.name;
    EXPECT_NE(odd.error().what.find("colour"), std::string::npos);
    for (auto const* bad : {"", "fast", "nan", "inf", "-1", "0.2x", "1e9"})
      EXPECT_FALSE(make_task(entry.name, {{{"speed", bad}}})) << entry.name << " " << bad;
  }
  EXPECT_NE(make_task("dance", {}).error().what.find("wander"), std::string::npos);
  EXPECT_EQ(task_names(), (std::vector<std::string>{"retrace", "wander"}));
}

// ---- trail -------------------------------------------------------------------------------

TEST(Trail, ThinsOutAndBeginsAnewAfterAJump) {
  Trail trail;
  BaseState base;
  for (auto i = 0; i <= 1000; ++i) {
    base.pose.x = i * 0.001;
    trail.on_base(base);
  }
  EXPECT_LE(trail.poses().size(), 22u);
  EXPECT_NEAR(trail.length(), 1.0, 0.06);
  base.pose.x = nan;
  trail.on_base(base);
  EXPECT_NEAR(trail.length(), 1.0, 0.06);
  base.odometry_epoch = 1;
  base.pose = {};
  trail.on_base(base);
  EXPECT_EQ(trail.poses().size(), 1u);
  base.pose.x = 50;
  trail.on_base(base);
  EXPECT_EQ(trail.poses().size(), 1u);
}

TEST(Trail, ForgetsTheOldestFirst) {
  TrailOptions options;
  options.longest = 10;
  Trail trail(options);
  BaseState base;
  for (auto i = 0; i < 100; ++i) {
    base.pose.x = i * 0.1;
    trail.on_base(base);
  }
  EXPECT_EQ(trail.poses().size(), 10u);
  EXPECT_NEAR(trail.poses().back().x, 9.9, 1e-9);
}

// ---- retrace -----------------------------------------------------------------------------

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

TEST(Retrace, GoesBackRoundTheCornersItCameBy) {
  Walk walk;
  walk.trail.on_base(walk.base);
  walk.drive({0.3, 0}, 5);
  walk.drive({0.3, 0.4}, 4);
  walk.drive({0, 0.6}, 2.5);  // a turn in place
  walk.drive({0.3, 0}, 5);
  walk.drive({0.3, -0.4}, 4);
  std::vector<Pose2> const way(walk.trail.poses().begin(), walk.trail.poses().end());
  auto const task = made("retrace", {{"distance", "20"}});
  double worst = 0;
  auto const end = walk.run(*task, way, worst);
  EXPECT_EQ(end.finished, TaskPhase::finished) << end.why;
  EXPECT_LT(worst, 0.15);
  EXPECT_LT(norm(walk.base.pose.position()), 0.15);
}

TEST(Retrace, GoesNoFartherThanTold) {
  Walk walk;
  walk.trail.on_base(walk.base);
  walk.drive({0.3, 0}, 20);
  auto const task = made("retrace", {{"distance", "2"}});
  auto const from = walk.base.pose.x;
  double worst = 0;
  EXPECT_EQ(walk.run(*task, {{}}, worst).finished, TaskPhase::finished);
  EXPECT_NEAR(from - walk.base.pose.x, 2.0, 0.2);
}

TEST(Retrace, GivesUpWhenBlockedLostOrWithoutAWay) {
  {
    Walk walk;
    walk.trail.on_base(walk.base);
    walk.drive({0.3, 0}, 5);
    double worst = 0;
    auto const end = walk.run(*made("retrace"), {{}}, worst, false);
    EXPECT_EQ(end.finished, TaskPhase::failed);
    EXPECT_NE(end.why.find("in the way"), std::string::npos);
  }
  {
    Walk walk;
    walk.drive({0.3, 0}, 5);
    auto const task = made("retrace");
    EXPECT_FALSE(task->step(walk.seen()).finished);
    walk.base.odometry_epoch += 1;
    EXPECT_EQ(task->step(walk.seen()).finished, TaskPhase::failed);
  }
  Walk nowhere;
  EXPECT_EQ(made("retrace")->step(nowhere.seen()).finished, TaskPhase::finished);
}

// ---- wander ------------------------------------------------------------------------------

struct Roam {
  BaseState base;
  SonarState sonar;
  PartInfo part{ring()};
  Time now{1h};
  std::unique_ptr<Task> task{made("wander")};
  Roam() {
    sonar.enabled = true;
    sonar.discs.assign(8, {5, 0, false});
  }
  Intent step() {
    Observation o;
    o.now = now;
    o.base = &base;
    o.sonar = &sonar;
    o.sonar_part = &part;
    now += 100ms;
    return task->step(o);
  }
};

TEST(Wander, DrivesAheadInTheOpenAndTurnsFromAWall) {
  Roam roam;
  EXPECT_GT(roam.step().twist.linear, 0.2);
  roam.sonar.discs[3] = roam.sonar.discs[4] = {0.4f, 0, true};
  auto const first = roam.step().twist;
  EXPECT_EQ(first.linear, 0);
  EXPECT_NE(first.angular, 0);
  // It keeps to the side that it chose.
  roam.sonar.discs[1] = {first.angular > 0 ? 0.3f : 5.0f, 0, first.angular > 0};
  EXPECT_EQ(roam.step().twist.angular, first.angular);
}

TEST(Wander, BendsAwayFromTheNearerSide) {
  Roam roam;
  roam.sonar.discs[0] = roam.sonar.discs[1] = {0.5f, 0, true};
  EXPECT_LT(roam.step().twist.angular, 0);
}

TEST(Wander, BacksOffAndTurnsAfterAStallOrWhenStuck) {
  Roam stalled;
  stalled.step();
  stalled.base.stall_left = true;
  EXPECT_LT(stalled.step().twist.linear, 0);
  stalled.base.stall_left = false;
  stalled.now += 1600ms;
  auto const turning = stalled.step().twist;
  EXPECT_EQ(turning.linear, 0);
  EXPECT_NE(turning.angular, 0);
  stalled.base.pose.yaw = 1.0;
  stalled.now += 2500ms;
  EXPECT_GT(stalled.step().twist.linear, 0);

  Roam stuck;
  auto backed = false;
  for (auto i = 0; i < 50; ++i) backed = backed || stuck.step().twist.linear < 0;
  EXPECT_TRUE(backed);
}

TEST(Wander, DeafItStands) {
  Roam roam;
  roam.sonar.silent = true;
  EXPECT_EQ(roam.step().twist, Twist{});
}

}  // namespace
}  // namespace cy
