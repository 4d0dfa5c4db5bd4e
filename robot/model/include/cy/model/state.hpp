// What a robot's parts report. SI units and radians; sonar ranges from the disc's face.
#pragma once

#include <cy/model/ids.hpp>
#include <cy/wire/codec.hpp>

namespace cy {

// Where a value comes from. A state never echoes a command: "commanded" says so when a
// controller can report nothing better.
enum class Origin : std::uint8_t { measured, estimated, commanded };
constexpr auto names(Origin) {
  return std::array<std::string_view, 3>{"measured", "estimated", "commanded"};
}

struct BaseState {
  static constexpr wire::Head head{0x0210, wire::Family::status, "base_state"};
  Pose2 pose;                          // odometry frame, unwrapped
  std::uint32_t odometry_epoch{};      // a new number: pose has jumped (reset, reconnect, gap)
  Twist twist;                         // measured
  double wheel_left{}, wheel_right{};  // m/s
  bool motors{};                       // on
  bool moving{};
  bool stall_left{}, stall_right{};
  bool stop_button{};
  static constexpr auto fields() {
    return std::tuple{wire::field("pose", &BaseState::pose),
                      wire::field("odometry_epoch", &BaseState::odometry_epoch),
                      wire::field("twist", &BaseState::twist),
                      wire::field("wheel_left", &BaseState::wheel_left, "m/s"),
                      wire::field("wheel_right", &BaseState::wheel_right, "m/s"),
                      wire::field("motors", &BaseState::motors),
                      wire::field("moving", &BaseState::moving),
                      wire::field("stall_left", &BaseState::stall_left),
                      wire::field("stall_right", &BaseState::stall_right),
                      wire::field("stop_button", &BaseState::stop_button)};
  }
};

struct SonarDisc {
  float range{};           // m; the part's range_max when nothing was heard
  std::uint32_t age_ms{};  // since this disc last reported; 0xffffffff never
  bool heard{};            // an echo came back
  static constexpr std::uint32_t never = 0xffff'ffff;
  static constexpr auto fields() {
    return std::tuple{wire::field("range", &SonarDisc::range, "m"),
                      wire::field("age_ms", &SonarDisc::age_ms, "ms"),
                      wire::field("heard", &SonarDisc::heard)};
  }
};

struct SonarState {
  static constexpr wire::Head head{0x0211, wire::Family::status, "sonar_state"};
  bool enabled{};
  bool silent{};                 // enabled, yet no disc has reported for a while
  std::vector<SonarDisc> discs;  // one for each of the part's elements, in their order
  static constexpr auto fields() {
    return std::tuple{wire::field("enabled", &SonarState::enabled),
                      wire::field("silent", &SonarState::silent), wire::field("discs", &SonarState::discs)};
  }
};

struct BumperState {
  static constexpr wire::Head head{0x0212, wire::Family::status, "bumper_state"};
  std::uint32_t pressed{};  // bit i: element i of the part
  static constexpr auto fields() { return std::tuple{wire::field("pressed", &BumperState::pressed)}; }
};

struct CompassState {
  static constexpr wire::Head head{0x0213, wire::Family::status, "compass_state"};
  double heading{};  // rad, in the compass's own frame, counter-clockwise
  static constexpr auto fields() { return std::tuple{wire::field("heading", &CompassState::heading, "rad")}; }
};

struct GyroState {
  static constexpr wire::Head head{0x0214, wire::Family::status, "gyro_state"};
  double rate{};                      // rad/s, + counter-clockwise
  std::optional<double> temperature;  // °C
  static constexpr auto fields() {
    return std::tuple{wire::field("rate", &GyroState::rate, "rad/s"),
                      wire::field("temperature", &GyroState::temperature, "°C")};
  }
};

enum class Charge : std::uint8_t { unknown, not_charging, bulk, overcharge, floating, balance };
constexpr auto names(Charge) {
  return std::array<std::string_view, 6>{"unknown", "not charging", "bulk", "overcharge", "float", "balance"};
}

struct PowerState {
  static constexpr wire::Head head{0x0215, wire::Family::status, "power_state"};
  std::optional<double> voltage;   // V
  std::optional<double> fraction;  // 0 to 1, state of charge
  Charge charge{};
  bool low{};                         // below the robot's own limit
  std::optional<double> temperature;  // °C
  static constexpr auto fields() {
    return std::tuple{wire::field("voltage", &PowerState::voltage, "V"),
                      wire::field("fraction", &PowerState::fraction),
                      wire::field("charge", &PowerState::charge), wire::field("low", &PowerState::low),
                      wire::field("temperature", &PowerState::temperature, "°C")};
  }
};

struct IoState {
  static constexpr wire::Head head{0x0216, wire::Family::status, "io_state"};
  std::vector<std::uint8_t> inputs;   // banks of 8
  std::vector<std::uint8_t> outputs;  // banks of 8
  std::vector<float> analog;          // V
  static constexpr auto fields() {
    return std::tuple{wire::field("inputs", &IoState::inputs), wire::field("outputs", &IoState::outputs),
                      wire::field("analog", &IoState::analog, "V")};
  }
};

struct EncoderState {
  static constexpr wire::Head head{0x0217, wire::Family::status, "encoder_state"};
  std::int64_t left{}, right{};  // ticks, unwrapped
  static constexpr auto fields() {
    return std::tuple{wire::field("left", &EncoderState::left), wire::field("right", &EncoderState::right)};
  }
};

struct ArmState {
  static constexpr wire::Head head{0x0218, wire::Family::status, "arm_state"};
  std::vector<double> joints;  // rad
  bool powered{}, moving{};
  static constexpr auto fields() {
    return std::tuple{wire::field("joints", &ArmState::joints, "rad"),
                      wire::field("powered", &ArmState::powered), wire::field("moving", &ArmState::moving)};
  }
};

struct GripperState {
  static constexpr wire::Head head{0x0219, wire::Family::status, "gripper_state"};
  std::optional<double> opening;  // 0 closed to 1 open
  bool moving{}, holding{}, fault{};
  static constexpr auto fields() {
    return std::tuple{
        wire::field("opening", &GripperState::opening), wire::field("moving", &GripperState::moving),
        wire::field("holding", &GripperState::holding), wire::field("fault", &GripperState::fault)};
  }
};

struct HeadState {
  static constexpr wire::Head head{0x021a, wire::Family::status, "head_state"};
  double pan{}, tilt{};  // rad, + left, + up
  double zoom{1.0};      // magnification
  static constexpr auto fields() {
    return std::tuple{wire::field("pan", &HeadState::pan, "rad"),
                      wire::field("tilt", &HeadState::tilt, "rad"), wire::field("zoom", &HeadState::zoom)};
  }
};

// Which way a value reads at which age: one part in a status.
struct PartReading {
  PartId part;
  Origin origin{};
  std::uint32_t age_ms{};  // at the status's own stamp
  wire::Body state;
  static constexpr auto fields() {
    return std::tuple{wire::field("part", &PartReading::part), wire::field("origin", &PartReading::origin),
                      wire::field("age_ms", &PartReading::age_ms, "ms"),
                      wire::field("state", &PartReading::state)};
  }
};

// Everything that is known of a robot now. Sent after each report of its controller.
struct RobotStatus {
  static constexpr wire::Head head{0x0220, wire::Family::status, "robot_status"};
  RobotId robot;
  std::uint32_t number{};    // counts up; a gap is a loss
  std::uint32_t stamp_us{};  // agent's clock when it was put together
  std::vector<PartReading> parts;
  static constexpr auto fields() {
    return std::tuple{wire::field("robot", &RobotStatus::robot), wire::field("number", &RobotStatus::number),
                      wire::field("stamp_us", &RobotStatus::stamp_us, "µs"),
                      wire::field("parts", &RobotStatus::parts)};
  }

  // The first part's state of this type, if there is one.
  template <wire::Message S>
  std::optional<S> find() const {
    for (auto const& reading : parts)
      if (reading.state.type == S::head.type) return wire::as<S>(wire::view(reading.state));
    return std::nullopt;
  }
};

}  // namespace cy
