// What every task of the table must hold to.
#include <cy/base/random.hpp>
#include <cy/safety/gate.hpp>

#include "walk.hpp"
#include <limits>
#include <sstream>

namespace cy::test {
namespace {

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

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

// The settings that a task has, as it tells whoever misspells one.
std::vector<std::string> settings_of(std::string_view task) {
  auto const odd = make_task(task, {{{"colour", "red"}}});
  if (odd) return {};
  std::string_view constexpr introduction = ": it has ";
  auto const at = odd.error().what.find(introduction);
  if (at == std::string::npos) return {};
  std::istringstream list(odd.error().what.substr(at + introduction.size()));
  std::vector<std::string> keys;
  for (std::string key; std::getline(list >> std::ws, key, ',');) keys.push_back(key);
  return keys;
}

TEST(TaskContract, UnknownSettingsAreRefusedByName) {
  for (auto const& entry : tasks()) {
    auto const odd = make_task(entry.name, {{{"colour", "red"}}});
    ASSERT_FALSE(odd) << entry.name;
    EXPECT_NE(odd.error().what.find("colour"), std::string::npos) << odd.error().what;
    EXPECT_NE(odd.error().what.find(": it has "), std::string::npos) << odd.error().what;
  }
  EXPECT_EQ(settings_of("retrace"), (std::vector<std::string>{"distance", "speed"}));
}

TEST(TaskContract, BadSettingsAreRefusedByName) {
  for (auto const& entry : tasks())
    for (auto const& key : settings_of(entry.name))
      for (auto const* bad : {"", "x", "nan", "inf", "0.2x", "1e9"}) {
        auto const made = make_task(entry.name, {{{key, bad}}});
        ASSERT_FALSE(made) << entry.name << " takes " << key << " = \"" << bad << '"';
        EXPECT_NE(made.error().what.find(key), std::string::npos) << made.error().what;
      }
}

TEST(MakeTask, NamesTheTasksThatThereAre) {
  auto const made = make_task("dance", {});
  ASSERT_FALSE(made);
  for (auto const& name : task_names()) EXPECT_NE(made.error().what.find(name), std::string::npos) << name;
}

}  // namespace
}  // namespace cy::test
