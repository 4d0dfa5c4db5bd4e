// One world with its controllers on their lines: the loop that pumps them. Everything happens in
// the thread of run(), except the cameras' drawing.
#pragma once

#include <cy/base/result.hpp>
#include <cy/controllers/arcos_options.hpp>
#include <cy/world/camera.hpp>

#include "robot_spec.hpp"
#include <memory>
#include <string>
#include <vector>

namespace cy::sim {

struct SimulatorOptions {
  WorldModel world;
  Profile profile{Profile::real};
  Seed seed{1};
  std::vector<RobotSpec> robots;
  ArcosOptions arcos;  // for all robots; generation and faults are set for each
  std::vector<FaultSpec> faults;
  std::vector<CameraSpec> cameras;
  CameraModel camera;
  double fps{30.0};
  std::vector<std::vector<Vec2>> walks;  // pedestrians
  std::string bind{"127.0.0.1"};
  std::string trace;      // path; empty: none
  std::string port_file;  // path; empty: none
  bool orders_on_stdin{};
};

class Simulator {
 public:
  static Result<std::unique_ptr<Simulator>> start(SimulatorOptions options);
  ~Simulator();
  // Until SIGTERM or SIGINT.
  void run();

 private:
  struct Parts;
  explicit Simulator(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace cy::sim
