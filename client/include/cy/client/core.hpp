// The client as a pure machine: dialer, lane, persons, subscriptions and pools in one. Client runs
// it on a thread; the tests run it in virtual time.
#pragma once

#include <cy/command/lane.hpp>
#include <cy/media/pool.hpp>
#include <cy/model/catalogue.hpp>
#include <cy/model/control.hpp>
#include <cy/session/dialer.hpp>

#include <map>
#include <set>

namespace cy {

// Which robot, on whose behalf, by which lease. Resource 0 is the agent.
using Target = command::Lane::Target;

namespace client {

struct CoreOptions {
  Endpoint agent;
  session::DialerOptions dialer;
  command::LaneOptions lane;
  media::PoolOptions pool;
  Duration set_point_lifetime = 300ms;  // DESIGN: the agent stops a robot this long after the last one
  Duration set_point_period = 50ms;     // how often a held one is said again
  Duration report_period = 200ms;       // receiver reports
};

struct LinkChanged {
  session::LinkState state;
  std::string why;
};
// Any other message of the agent's, for typed channels of a user's own.
struct Other {
  wire::Body message;
};
using Event = std::variant<LinkChanged, AgentPulse, Inventory, DeviceState, RobotStatus, ControlState,
                           TaskState, media::StreamInfo, media::Picture, command::Ended, Other>;

class Core {
 public:
  Core(seal::KeyPair const& own, seal::PublicKey const& agent, session::Identity identity,
       CoreOptions options, session::Entropy entropy, Random random);

  void start(Time now, session::Outbox& out);
  void on_datagram(MutableBytes datagram, Endpoint from, Time now, session::Outbox& out);
  void on_time(Time now, session::Outbox& out);
  std::optional<Time> deadline() const;
  // Sends what the calls since the last flush have queued.
  void flush(Time now, session::Outbox& out);
  void close(std::string_view why, Time now, session::Outbox& out);
  void drain(std::vector<Event>& into);

  // Makes a person known to the agent, now and after every reconnect.
  PersonId introduce(std::string name, Role role, Time now);
  void rename(PersonId person, std::string name, Role role, Time now);
  void dismiss(PersonId person, Time now);

  CommandId event(Target target, wire::Body what, Duration deadline, Time now);
  // One set-point. `input`: when the person acted; its lifetime counts from there. `echo_us` 0:
  // the newest agent stamp that has come.
  CommandId set_point(Target target, wire::Body what, Time input, std::uint32_t echo_us,
                      std::uint32_t picture, Time now);
  // Says a set-point again every period until `until`, then `then` twice, as one may be lost: a
  // set-point that just ran out would disarm. It is in force one period longer at most. A new one for
  // the resource replaces it.
  void hold(Target target, wire::Body what, Time until, Time now, std::optional<wire::Body> then = {});
  void release(Resource resource);

  void subscribe(media::StreamId stream, bool on, Time now);
  void want_keyframe(media::StreamId stream);
  void post(wire::Raw message);

  session::LinkState state() const { return dialer_.state(); }
  session::LinkStatistics statistics() const;
  session::Drops drops() const { return dialer_.drops(); }
  std::optional<std::uint32_t> agent_stamp() const;
  // The agent's clock now, as estimated; for display.
  std::optional<std::uint32_t> agent_clock(Time now) const;
  Endpoint agent() const { return options_.agent; }

 private:
  struct Watched {
    media::Pool pool;
    Time next_report{};
  };
  struct Held {
    Target target;
    wire::Body what;
    Time until;
    Time next;
    std::optional<wire::Body> then;
  };
  struct Known {
    std::string name;
    Role role;
  };
  void on_session(Time now);
  void say_held(Time now);
  void on_message(wire::Raw message, Time now);
  void drain_pools(Time now);
  void after(Time now);

  CoreOptions options_;
  session::Dialer dialer_;
  command::Lane lane_;
  std::uint32_t session_ = 0;
  std::uint32_t inventory_revision_ = 0;
  std::optional<CommandId> describing_;
  std::uint16_t next_person_ = 1;
  std::map<std::uint16_t, Known> persons_;
  std::map<std::uint16_t, Watched> watched_;  // by stream
  std::map<std::uint16_t, media::StreamInfo> streams_;
  std::vector<Held> held_;
  std::vector<Event> events_;
  std::vector<command::Ended> endings_;
  std::vector<media::PoolEffect> pool_effects_;
};

}  // namespace client
}  // namespace cy
