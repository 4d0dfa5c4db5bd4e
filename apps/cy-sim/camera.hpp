// The camera of a simulated robot: draws what it sees into a frame port, on a thread of its own.
// It never touches the controllers' world: it has a world of the same model, and copies poses from
// the board into it, so drawing costs control no time.
#pragma once

#include <cy/base/result.hpp>
#include <cy/port/frame_port.hpp>
#include <cy/world/camera.hpp>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace cy::sim {

// Where all bodies stand, from the loop's thread to the cameras'.
class PoseBoard {
 public:
  void publish(World const& world);
  std::vector<Pose2> read() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Pose2> poses_;
};

struct CameraOptions {
  std::string path;
  double fps{30.0};
  CameraModel model;
};

class CameraThread {
 public:
  // `world` and its bodies are copied; `self` is the body that carries the camera.
  static Result<std::unique_ptr<CameraThread>> start(CameraOptions options, World const& world, Seed seed,
                                                     BodyId self, PoseBoard const& board);
  ~CameraThread();

 private:
  CameraThread(CameraOptions options, World world, Seed seed, std::size_t self, PoseBoard const& board,
               media::FramePortWriter writer);
  void run();

  CameraOptions options_;
  World world_;
  std::vector<BodyId> bodies_;
  std::size_t self_;
  PoseBoard const& board_;
  CameraRenderer renderer_;
  media::FramePortWriter writer_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_{};
  std::thread thread_;
};

}  // namespace cy::sim
