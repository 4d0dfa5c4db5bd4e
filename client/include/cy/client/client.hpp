// The way to a robot, for every program.
//
//   auto client = cy::Client::open({.agent = *cy::parse_endpoint("10.0.0.7:4747"),
//                                   .agent_key = key, .key = own});
//   auto robot = (*client)->wait_for_robot("ada", 5s);
//   auto control = robot->take_control(5s);  // the lease, given back when `control` goes
//   control->arm(5s);
//   control->drive({0.2, 0.0}, 2s);          // said again and again until then
//
// Thread-safe. Calls return at once unless they are named wait_… or take a time-out. Handlers run
// on the client's own network thread: they may call the client, must not block it, and must not
// destroy it. Robot and Control speak through their Client and must not outlive it.
//
// A message may have session::max_message bytes (256 KiB), head and all; a longer one is not sent,
// and counted among the link's drops. What was told last stays readable when the link breaks: look
// at link() for how the link is, and at a status' number and age.
#pragma once

#include <cy/client/core.hpp>
#include <cy/net/udp.hpp>

#include <future>

namespace cy {

struct ClientOptions {
  Endpoint agent;
  seal::PublicKey agent_key;
  std::shared_ptr<seal::KeyPair const> key;
  std::string name = "client";  // what this station calls itself
  std::string person;           // who commands, for take_control; empty: the name
  Role role = Role::operator_;  // bounded by what the agent trusts this key with
  // `core.agent` is set from `agent`. `core.dialer.clear`: nothing is sealed and no key is needed; for
  // teaching and measuring, where the agent allows it.
  client::CoreOptions core;
  net::UdpOptions udp;
};

struct ClientHandlers {
  std::function<void(session::LinkState, std::string const& why)> on_link;
  std::function<void(AgentPulse const&)> on_agent;
  std::function<void(Inventory const&)> on_inventory;
  std::function<void(DeviceState const&)> on_device;
  std::function<void(RobotStatus const&)> on_status;
  std::function<void(ControlState const&)> on_control;
  std::function<void(TaskState const&)> on_task;
  std::function<void(media::StreamInfo const&)> on_stream;
  std::function<void(media::Picture const&)> on_picture;
  std::function<void(wire::Body const&)> on_message;  // every other type
};

// The link as a person wants to see it.
struct LinkView {
  session::LinkState state{};
  std::string why;  // of the last change
  bool sealed = true;
  session::LinkStatistics statistics;
  session::Drops drops;
  std::optional<std::uint32_t> agent_stamp;  // newest that came
  std::optional<std::uint32_t> agent_clock;  // now, as estimated
};

class Robot;

class Client {
 public:
  using OnEnded = std::function<void(command::Ended const&)>;

  static Result<std::unique_ptr<Client>> open(ClientOptions options, ClientHandlers handlers = {});
  // Says goodbye to the agent; futures that are still open end as expired.
  ~Client();
  Client(Client const&) = delete;
  Client& operator=(Client const&) = delete;

  PersonId introduce(std::string name, Role role);
  // The same person under another name or role; what they hold stays theirs.
  void rename(PersonId person, std::string name, Role role);
  void dismiss(PersonId person);
  PersonId person() const;  // the one from the options

  std::future<command::Ended> event(Target target, wire::Body what, Duration deadline = 2s);
  // The same without a future, for those who live on the network thread: no wait, no allocation
  // beyond the message.
  void event(Target target, wire::Body what, Duration deadline, OnEnded on_ended);
  void set_point(Target target, wire::Body what, Time input, std::uint32_t echo_us = 0,
                 std::uint32_t picture = 0);
  // Says it again and again until then, and `then` at the end (client::Core::hold).
  void hold(Target target, wire::Body what, Time until, std::optional<wire::Body> then = {});
  void release(Resource resource);

  void subscribe(media::StreamId stream, bool on);
  void want_keyframe(media::StreamId stream);
  void post(wire::Body message);

  LinkView link() const;
  std::optional<AgentPulse> agent() const;  // the newest
  Inventory inventory() const;
  std::optional<RobotStatus> status(RobotId robot) const;  // the newest; perhaps of an earlier link
  std::optional<ControlState> control(RobotId robot) const;
  std::optional<TaskState> task(RobotId robot) const;  // what runs or ran last, and which there are
  // Faults say which robots there are, or why the agent is not reached.
  Result<Robot> wait_for_robot(std::string_view name, Duration longest);

  // Runs `work` on the network thread.
  void run(std::function<void()> work);

 private:
  struct Impl;
  explicit Client(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

// Control of a robot: the lease, which is given back when this goes. Move-only.
class Control {
 public:
  Control(Control&&) noexcept;
  Control& operator=(Control&&) noexcept;
  ~Control();

  // Arms and waits for its motors: after this set-points move it. Faults say why not.
  Result<void> arm(Duration longest);
  // Drives until `for_` has passed, then stands, still armed; a new call replaces it. Needs no
  // repeating by the caller.
  void drive(Twist twist, Duration for_);
  // Lets a task drive in place of the person, on an armed robot. Client::task tells how it gets on; it
  // ends with this lease. Faults say why it was not begun.
  Result<void> start_task(StartTask const& task, Duration longest);
  // Rolls to a stand; the lease stays.
  void rest();
  LeaseId lease() const { return target_.lease; }
  Target const& target() const { return target_; }

 private:
  friend class Robot;
  Control(Client& client, Target target) : client_(&client), target_(target) {}
  Client* client_;
  Target target_;
};

class Robot {
 public:
  RobotInfo const& info() const { return info_; }
  std::optional<RobotStatus> status() const { return client_->status(info_.id); }
  // Asks for the lease; `takeover` needs a manager. Faults say who holds it.
  Result<Control> take_control(Duration longest, bool takeover = false);
  // Stops and latches, whoever drives. Said again until the agent confirms it; the future tells when
  // that has not come within 5 s.
  std::future<command::Ended> stop(StopKind kind = StopKind::category_2);
  Resource resource() const { return Resource{info_.id.value}; }

 private:
  friend class Client;
  Robot(Client& client, RobotInfo info) : client_(&client), info_(std::move(info)) {}
  Client* client_;
  RobotInfo info_;
};

}  // namespace cy
