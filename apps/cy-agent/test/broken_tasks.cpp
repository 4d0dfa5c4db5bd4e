// The table of tasks of `cy-agent-broken`, which is cy-agent in everything else: tasks with mistakes
// in them, as a user's may have. Each drives for a second first.
#include <cy/base/check.hpp>
#include <cy/tasks/task.hpp>

#include <stdexcept>

namespace cy {
namespace {

class Broken : public Task {
 public:
  Intent step(Observation const& seen) final {
    if (!since_) since_ = seen.now;
    if (seen.now - *since_ > std::chrono::seconds(1)) fail();
    return {{0.3, 0.0}, std::nullopt, "driving into its mistake"};
  }
  virtual void fail() = 0;

 private:
  std::optional<Time> since_;
};

class Throws final : public Broken {
  void fail() override { throw std::runtime_error("a task with a mistake in it"); }
};

class BreaksInvariant final : public Broken {
  void fail() override { CY_CHECK(2 + 2 == 5); }
};

template <class T>
Result<std::unique_ptr<Task>> make(TaskConfig const&) {
  return std::make_unique<T>();
}

}  // namespace

std::vector<TaskEntry> const& tasks() {
  static std::vector<TaskEntry> const table{{"throws", make<Throws>},
                                            {"breaks_invariant", make<BreaksInvariant>}};
  return table;
}

}  // namespace cy
