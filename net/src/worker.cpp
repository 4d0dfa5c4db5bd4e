#include <cy/net/worker.hpp>

namespace cy::net {

Worker::~Worker() {
  {
    std::lock_guard const lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

bool Worker::post(std::function<void()> work) {
  {
    std::lock_guard const lock(mutex_);
    if (queue_.size() >= limit_) return false;
    queue_.push_back(std::move(work));
  }
  wake_.notify_one();
  return true;
}

void Worker::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    auto const work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace cy::net
