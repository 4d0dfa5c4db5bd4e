// Who looks on, who holds which lease, and what each page is told: the station without its sockets.
//
//   page ──message──► desk ──Introduce, SendEvent, SendSetPoint, Subscribe──► the agent
//   page ◄──Write──── desk ◄──status, control, pictures, endings───────────── the agent
//
// Each page is a person at the agent. The lease that a person was granted stays here and rides on
// their commands; it is given back the moment their page goes, or says nothing while it holds one.
// A stop is kept until the agent has acknowledged it, across losses of the link.
//
// Pure machine, one thread. After each call: drain() and carry out; call on_time at deadline().
#pragma once

#include <cy/client/client.hpp>
#include <cy/media/keyframe_budget.hpp>
#include <cy/station/messages.hpp>
#include <cy/station/outbox.hpp>

#include <set>

namespace cy::station {

using ConnectionId = Id<struct ConnectionTag, std::uint32_t>;
// Names an event on its way to the agent.
using Ticket = Id<struct TicketTag, std::uint64_t>;

struct DeskOptions {
  std::string name = "station";
  std::string software = "CyLib 0.1.0";
  std::string agent;  // its address, for the screen
  Role role = Role::operator_;
  // A page pings every 50 to 500 ms; hidden ones once a second, as browsers slow their timers.
  Duration silence = 1500ms;
  Duration report_period = 200ms;
  Duration event_deadline = 3s;  // the page waits for 6 s
  Duration stop_deadline = 60s;  // then it is sent anew
  Duration stop_patience = 4s;   // a page is told "not confirmed yet" after so long
  Duration write_patience = 5s;  // a page that takes nothing for so long is given up
  Duration greeting = 5s;        // from connecting to page_hello
  Duration resume = 10min;       // how long a page that has left keeps its number
  Duration drive_lifetime = 300ms, drive_period = 50ms;
  std::size_t most_viewers = 24;  // the agent takes 32 persons of a station
  std::size_t most_events = 32;   // of one page under way
  // The lane to the agent is everybody's: however often a page changes its mind about its name or
  // about what it watches, it costs no more than one event in so long.
  Duration rename_gap = 1s;
  Duration linger = 500ms;  // a stream that nobody watches any more is still kept
  OutboxOptions outbox;
  media::KeyframeBudgetOptions keyframes;
};

namespace desk {

struct Introduce {
  ConnectionId viewer;
  std::string name;
  Role role;
};
struct Rename {
  PersonId person;
  std::string name;
  Role role;
};
struct Dismiss {
  PersonId person;
};
struct SendEvent {
  Ticket ticket;
  Target target;
  wire::Body what;
  Duration deadline;
};
struct SendSetPoint {
  Target target;
  wire::Body what;
  Time input;
  std::uint32_t echo_us;
  std::uint32_t picture;
};
struct Subscribe {
  media::StreamId stream;
  bool on;
};
struct WantKeyframe {
  media::StreamId stream;
};
// Ask the client for its view of the link; answer with on_measured.
struct Measure {
  ConnectionId viewer;  // none: for the regular report
  double stamp{};       // of the ping
};
// The page has something to take().
struct Write {
  ConnectionId viewer;
};
struct Close {
  ConnectionId viewer;
  std::string why;
};
using Effect = std::variant<Introduce, Rename, Dismiss, SendEvent, SendSetPoint, Subscribe, WantKeyframe,
                            Measure, Write, Close>;

}  // namespace desk

class ViewerDesk {
 public:
  ViewerDesk(DeskOptions options, Random random);

  // ---- pages -----------------------------------------------------------------------------
  void on_opened(ConnectionId viewer, Time now);
  void on_data(ConnectionId viewer, Bytes messages, Time now);
  void on_closed(ConnectionId viewer, std::string_view why, Time now);
  // What to write after a Write, and that it is written.
  std::vector<Shared> take(ConnectionId viewer, Time now);
  void on_written(ConnectionId viewer, Time now);

  // ---- the agent -------------------------------------------------------------------------
  void on_introduced(ConnectionId viewer, PersonId person, Time now);
  void on_ended(Ticket ticket, command::Ended const& ended, Time now);
  void on_link(session::LinkState state, std::string_view why, Time now);
  // `extra`: counters of the shell's own.
  void on_measured(desk::Measure const& asked, LinkView const& link, std::vector<Counter> extra, Time now);
  void on_agent(AgentPulse const& pulse);
  void on_inventory(Inventory const& inventory);
  void on_device(DeviceState const& device);
  void on_status(RobotStatus const& status);
  void on_control(ControlState const& control, Time now);
  void on_task(TaskState const& task);
  void on_stream(media::StreamInfo const& stream, Time now);
  void on_picture(media::Picture picture, Time now);

  void on_time(Time now);
  std::optional<Time> deadline() const;
  // The station ends: every lease is given back.
  void on_ending();
  std::vector<desk::Effect> drain() { return std::exchange(effects_, {}); }

  std::size_t viewers() const;
  AgentLink link() const { return link_; }
  // Pictures that pages have painted, and how old the newest was.
  struct Shown {
    std::uint64_t pictures{};
    float age_ms{};
  };
  Shown shown() const { return shown_; }
  std::vector<Counter> counters() const;

 private:
  struct Hold {
    LeaseId lease;
    bool seen{};  // the agent's own state has shown it
    Time since{};
  };
  struct Seat {
    ConnectionId connection;
    std::uint32_t number{};
    std::string name;
    std::string resume;
    PersonId person;
    bool greeted{};   // page_hello has come
    bool welcomed{};  // station_hello was queued
    bool closing{};
    Time opened{}, heard{};
    std::optional<std::string> wished;  // a new name, until it is time
    Time renamed{};
    bool hidden{};
    std::optional<PageView> view;  // said, until all that came with it is read
    std::set<std::uint16_t> streams;
    std::map<std::uint16_t, Hold> holds;  // by robot
    std::set<std::uint16_t> wishes;       // robots that it asked for and did not get
    std::map<std::uint16_t, std::uint32_t> drives;
    std::size_t events{};
    bool measuring{};              // a pong is being made
    std::optional<double> pinged;  // again meanwhile
    Outbox outbox;
    bool write_due{};
    std::optional<Time> writing;
  };
  struct UnderWay {
    ConnectionId viewer;  // none: the station's own
    std::uint32_t token{};
    Resource robot;
    wire::Type type{};
    std::optional<std::pair<std::uint16_t, std::uint8_t>> stop{};  // StopKey
  };
  // A stop until the agent has acknowledged it, whoever pressed.
  struct Asker {
    ConnectionId viewer;
    std::uint32_t token{};
    Time since{};
  };
  struct Stopping {
    Target target;
    wire::Body what;
    bool under_way{};
    std::vector<Asker> askers;
  };
  using StopKey = std::pair<std::uint16_t, std::uint8_t>;  // robot and kind
  struct Left {
    std::uint32_t number{};
    Time until{};
  };
  struct Stream {
    media::KeyframeBudget budget;
    std::optional<Time> unwatched;  // since when
  };
  struct Kept {  // the newest of a kind, for those who join
    wire::Type type{};
    std::uint16_t about{};
    Shared message;
  };

  Seat* find(ConnectionId viewer);
  void close(Seat& seat, std::string why);
  void leave(Seat& seat, std::string_view why, Time now);
  void give_back(Seat& seat, std::string_view why);
  void lose(Seat& seat, std::uint16_t robot);
  void welcome(Seat& seat, Time now);
  std::string name_for(Seat const& seat, std::string_view wished) const;

  void on_message(Seat& seat, wire::Raw message, Time now);
  void on_hello(Seat& seat, PageHello const& hello, Time now);
  void on_drive(Seat& seat, PageDrive const& drive, Time now);
  void on_command(Seat& seat, PageCommand command, Time now);
  void on_stop(Seat& seat, PageCommand command, Time now);
  void on_view(Seat& seat, PageView view);
  void see(Seat& seat, PageView const& view, Time now);
  void rename(Seat& seat, Time now);

  Ticket send(Target target, wire::Body what, Duration deadline, UnderWay under_way);
  void send_stop(StopKey key, Stopping& stopping);
  void on_stop_ended(StopKey key, command::Ended const& ended);
  void resend_stops();
  void new_session(std::string_view why);
  void tell_link();
  void answer(ConnectionId viewer, std::uint32_t token, command::Ended const& ended, std::string text);
  void on_granted(Seat& seat, std::uint16_t robot, LeaseId lease, Time now);
  void keep(wire::Type type, std::uint16_t about, Shared const& message);
  void tell(Seat& seat, wire::Type type, std::uint16_t about, Shared message);
  void tell_all(wire::Type type, std::uint16_t about, Shared const& message);
  void tell_viewers();
  void notify(Seat& seat, NoticeLevel level, std::string text);
  void say(Seat& seat, Shared answer);
  void write(Seat& seat);
  void follow_streams(Time now);
  void order_keyframes(Time now);
  bool linked() const { return link_ == AgentLink::up || link_ == AgentLink::late; }
  void count(std::string_view what) { ++counts_[std::string(what)]; }

  DeskOptions options_;
  Random random_;
  std::map<std::uint32_t, Seat> seats_;  // by connection
  std::map<std::string, Left> left_;     // by resume
  std::uint32_t next_number_ = 1;
  std::map<std::uint64_t, UnderWay> under_way_;
  std::uint64_t next_ticket_ = 1;
  std::map<StopKey, Stopping> stopping_;
  std::set<std::uint16_t> announced_;        // streams that the agent has
  std::map<std::uint16_t, Stream> streams_;  // subscribed
  std::vector<Kept> kept_;
  std::set<std::uint16_t> robots_;                  // that the agent has
  std::map<std::uint16_t, ControlState> controls_;  // by robot
  StationId self_;  // this station's number at the agent; learnt with the first lease

  AgentLink link_ = AgentLink::searching;
  LinkReport report_;  // the newest
  std::optional<Time> measured_at_;
  std::vector<Counter> agent_drops_;
  std::uint64_t bytes_in_ = 0, bytes_out_ = 0;
  std::optional<Time> next_report_;
  std::map<std::string, std::uint64_t> counts_;
  std::uint64_t pictures_dropped_ = 0;  // for pages that have left
  Shown shown_;
  std::vector<desk::Effect> effects_;
};

}  // namespace cy::station
