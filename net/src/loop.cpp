#include <cy/base/check.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <sys/random.h>
#include <time.h>

#include "loop_impl.hpp"

namespace cy::net {

Time now() {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return Time(std::chrono::seconds(t.tv_sec) + std::chrono::nanoseconds(t.tv_nsec));
}

seal::SecretKey system_entropy() {
  seal::SecretKey key;
  CY_CHECK(getrandom(key.data(), key.size(), 0) == static_cast<ssize_t>(key.size()));
  return key;
}

Seed system_seed() {
  Seed seed;
  CY_CHECK(getrandom(&seed.value, sizeof seed.value, 0) == static_cast<ssize_t>(sizeof seed.value));
  return seed;
}

Loop::Loop() : impl_(std::make_unique<Impl>()) {}
Loop::~Loop() = default;
void Loop::run() {
  impl_->context.run();
}
void Loop::stop() {
  impl_->context.stop();
}
void Loop::restart() {
  impl_->context.restart();
}
void Loop::post(std::function<void()> work) {
  asio::post(impl_->context, std::move(work));
}

void Loop::on_signals(std::initializer_list<int> signals, std::function<void(int)> handler) {
  impl_->signals = std::make_unique<asio::signal_set>(impl_->context);
  for (auto const signal : signals) impl_->signals->add(signal);
  auto wait = std::make_shared<std::function<void()>>();
  *wait = [this, handler = std::move(handler), weak = std::weak_ptr(wait)] {
    impl_->signals->async_wait([handler, keep = weak.lock()](auto error, int signal) {
      if (error) return;
      handler(signal);
      (*keep)();
    });
  };
  (*wait)();
}

struct Timer::Impl : std::enable_shared_from_this<Timer::Impl> {
  Impl(Loop& loop, std::function<void()> f) : timer(loop.impl().context), on_due(std::move(f)) {}

  void arm(Time at) {
    armed = at;
    timer.expires_after(std::max<Duration>(at - now(), 0ns));
    timer.async_wait([self = shared_from_this()](auto error) {
      if (!error) self->fired();
    });
  }
  void fired() {
    armed.reset();
    if (!due) return;
    if (now() < *due) {
      arm(*due);
      return;
    }
    due.reset();
    on_due();
  }

  asio::steady_timer timer;
  std::function<void()> on_due;
  std::optional<Time> due;    // when it is wanted
  std::optional<Time> armed;  // when the system's timer fires, never later than `due`
};

Timer::Timer(Loop& loop, std::function<void()> on_due)
    : impl_(std::make_shared<Impl>(loop, std::move(on_due))) {}
Timer::~Timer() {
  impl_->on_due = [] {};
  impl_->due.reset();
  impl_->timer.cancel();
}

void Timer::set(std::optional<Time> due) {
  impl_->due = due;
  if (due && (!impl_->armed || *due < *impl_->armed)) impl_->arm(*due);
}

}  // namespace cy::net
