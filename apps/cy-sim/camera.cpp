#include "camera.hpp"

#include "clock.hpp"
#include <algorithm>

namespace cy::sim {

void PoseBoard::publish(World const& world) {
  std::vector<Pose2> poses;
  for (auto const body : world.bodies()) poses.push_back(world.pose(body));
  std::lock_guard const lock{mutex_};
  poses_ = std::move(poses);
}

std::vector<Pose2> PoseBoard::read() const {
  std::lock_guard const lock{mutex_};
  return poses_;
}

Result<std::unique_ptr<CameraThread>> CameraThread::start(CameraOptions options, World const& world,
                                                          Seed seed, BodyId self, PoseBoard const& board) {
  auto writer =
      media::FramePortWriter::create(options.path, {options.model.width, options.model.height}, now());
  if (!writer) return fault("camera {}: {}", options.path, writer.error().what);
  World copy{world.model(), world.profile(), seed};
  auto const bodies = world.bodies();
  for (auto const body : bodies) copy.add_body(world.shape(body), world.pose(body));
  auto const index = static_cast<std::size_t>(std::find(bodies.begin(), bodies.end(), self) - bodies.begin());
  return std::unique_ptr<CameraThread>{
      new CameraThread{std::move(options), std::move(copy), seed, index, board, std::move(*writer)}};
}

CameraThread::CameraThread(CameraOptions options, World world, Seed seed, std::size_t self,
                           PoseBoard const& board, media::FramePortWriter writer)
    : options_{std::move(options)},
      world_{std::move(world)},
      bodies_{world_.bodies()},
      self_{self},
      board_{board},
      renderer_{world_.model(), options_.model, world_.profile(), seed},
      writer_{std::move(writer)},
      thread_{[this] { run(); }} {}

CameraThread::~CameraThread() {
  {
    std::lock_guard const lock{mutex_};
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void CameraThread::run() {
  auto const period = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(1.0 / options_.fps));
  auto next = std::chrono::steady_clock::now();
  for (std::uint32_t number = 1;; ++number) {
    auto const captured = now();
    auto const poses = board_.read();
    for (std::size_t i = 0; i < std::min(poses.size(), bodies_.size()); ++i) {
      world_.set_pose(bodies_[i], poses[i]);
    }
    View const view{.self = bodies_[self_], .body = world_.pose(bodies_[self_])};
    renderer_.render(world_, view, writer_.begin(), captured, number);
    writer_.publish(number, captured, now());

    next += period;
    std::unique_lock lock{mutex_};
    // Slow pictures are late ones, not more of them; a slow rate still beats.
    next = std::max(next, std::chrono::steady_clock::now());
    while (!stopping_ && std::chrono::steady_clock::now() < next) {
      wake_.wait_until(lock,
                       std::min(next, std::chrono::steady_clock::now() + std::chrono::milliseconds{200}));
      writer_.beat(now());
    }
    if (stopping_) return;
  }
}

}  // namespace cy::sim
