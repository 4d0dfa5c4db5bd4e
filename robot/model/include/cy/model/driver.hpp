// A driver: a pure machine between one controller's bytes and the robot model.
//
// No port, no thread, no clock. The host opens the channels that a driver asks for, hands it
// what arrives, calls on_time at its deadline and carries out what drain() yields, in order.
// All calls come from one thread; none may block, throw or call back.
//
// Motion: a driver holds the last Drive only until its `until`; then it sends a stop by itself.
// After any gap (reconnect, silence either way) the first bytes to a controller are a stop, and
// motion stays off until the next command. After a reconnect motors are off, too, until Motors
// switches them on, and BaseState has a higher odometry_epoch.
#pragma once

#include <cy/base/result.hpp>
#include <cy/base/time.hpp>
#include <cy/command/messages.hpp>
#include <cy/model/commands.hpp>
#include <cy/model/describe.hpp>
#include <cy/model/state.hpp>

#include <memory>
#include <variant>

namespace cy {

// A line to the controller: drivers number their own, most have one.
using Channel = Id<struct ChannelTag, std::uint8_t>;

// Stop categories after IEC 60204-1: 0 removes power at once, 1 brakes and then removes power,
// 2 brakes and keeps power. What each does on a device stands in docs/safety.md.
enum class StopKind : std::uint8_t { category_0, category_1, category_2 };
constexpr auto names(StopKind) {
  return std::array<std::string_view, 3>{"category 0", "category 1", "category 2"};
}

struct Command {
  CommandId id;
  RobotId robot;
  wire::Raw what;  // borrowed for the call
  Time until{};    // set-points only: when it must have ended

  template <wire::Message M>
  std::optional<M> as() const {
    return wire::as<M>(what);
  }
};

namespace driver {

// A controller that has said nothing for so long is lost: its driver is not ready any more.
inline constexpr Duration silence_most = 10s;
// From close() to closed(): the agent's end does not hang on a controller that does not answer.
inline constexpr Duration close_most = 900ms;

struct Open {
  Channel channel;
  std::string address;  // tcp:HOST:PORT, serial:/dev/ttyS0, null:
  unsigned baud{};      // serial only
};
struct Close {
  Channel channel;
};
struct SetBaud {
  Channel channel;
  unsigned baud{};
};
struct Transmit {
  Channel channel;
  Buffer bytes;
};
// The robot behind the device is known, or has changed. The host holds one for each driver,
// DriverConfig::first_robot; what is said of others is left out, with a warning.
struct Described {
  std::vector<RobotInfo> robots;
};
struct DeviceChanged {
  DeviceState state;
};
// A part's new state.
struct Observed {
  RobotId robot;
  PartId part;
  Origin origin{};
  wire::Body state;
};
// The controller's report is complete: a status may go out.
struct Reported {
  RobotId robot;
};
// A command's ending as far as the driver knows it: given to the controller, or refused.
struct Applied {
  CommandId id;
};
struct Refused {
  CommandId id;
  Refusal why{};
};
// Something a person should read: logged and recorded, as every change of phase and trouble is by itself.
struct Note {
  std::string text;
};

using Effect = std::variant<Open, Close, SetBaud, Transmit, Described, DeviceChanged, Observed, Reported,
                            Applied, Refused, Note>;

}  // namespace driver

class Driver {
 public:
  virtual ~Driver() = default;

  // Asks for its channels and begins; called once.
  virtual void start(Time now) = 0;
  virtual void on_opened(Channel channel, Time now) = 0;
  // The channel could not be opened, or has ended. The driver reopens it when and as it likes.
  virtual void on_closed(Channel channel, std::string_view why, Time now) = 0;
  virtual void on_bytes(Channel channel, Bytes bytes, Time now) = 0;
  virtual void on_command(Command const& command, Time now) = 0;
  virtual void on_time(Time now) = 0;
  virtual std::optional<Time> deadline() const = 0;
  // Stops all motion of the device now; never refused. Until the next command nothing moves.
  virtual void on_stop(StopKind kind, Time now) noexcept = 0;
  // Ends in order: stop, motors off, session closed. Done when closed() holds, within close_most.
  virtual void close(Time now) = 0;
  virtual bool closed() const = 0;

  // Appends what is to be done, in order.
  virtual void drain(std::vector<driver::Effect>& into) = 0;
};

// What a driver is built from. `options` are what stands under [robot.settings] in the agent's
// configuration; a factory refuses unknown ones by name.
struct DriverConfig {
  DeviceId device;
  RobotId first_robot;
  std::string name;     // of the robot, as configured
  std::string address;  // as in driver::Open
  unsigned baud{};
  std::vector<std::pair<std::string, std::string>> options;
};

using MakeDriver = Result<std::unique_ptr<Driver>> (*)(DriverConfig const&);

}  // namespace cy
