// A helper thread for what may block: files, names, logs. Work is done in order; the destructor
// finishes what is queued.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace cy::net {

class Worker {
 public:
  explicit Worker(std::size_t limit = 4096) : limit_(limit), thread_([this] { run(); }) {}
  ~Worker();
  // False when `limit` pieces of work wait already; the new one is dropped.
  [[nodiscard]] bool post(std::function<void()> work);

 private:
  void run();
  std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace cy::net
