// The sending end of commands: every command that enters leaves by exactly one Ending.
//
//   set-point: newest wins, sent once, ends by a later report, a newer one, or its lifetime.
//   event:     copies at 0, 5, 15, 35 ms … and in datagrams that go anyway, until its report
//              comes (applied or refused, perhaps with a reply) or its deadline passes.
//
// One loss costs 5 ms and no round trip. Ids count up within a session; after the link is gone
// everything under way ends and the ids go on.
#pragma once

#include <cy/command/messages.hpp>
#include <cy/session/link.hpp>

#include <deque>
#include <map>

namespace cy::command {

struct LaneOptions {
  Duration repeat = 5ms;  // until the second copy; doubled for each further one
  Duration repeat_max = 200ms;
  Duration spacing = 2ms;         // copies in datagrams that go anyway are at least this far apart
  std::size_t max_events = 1024;  // under way at once; more are refused here
  std::size_t reserve = 64;       // of these, the places that only urgent events may take
};

// An urgent event (a stop) finds a place however many others are under way.
enum class Urgency : std::uint8_t { normal, urgent };

struct Ended {
  CommandId id;
  Ending ending{};
  Refusal why{};
  std::optional<wire::Body> reply;
};

class Lane {
 public:
  explicit Lane(LaneOptions const& options = {}) : options_(options) {}

  struct Target {
    Resource resource;
    PersonId person;
    LeaseId lease;
  };
  // `until`: the person's input plus its lifetime. `echo_us`: the newest agent stamp at the input.
  CommandId set_point(Target target, wire::Body what, Time until, std::uint32_t echo_us,
                      std::uint32_t picture, Time now);
  CommandId event(Target target, wire::Body what, Duration deadline, Time now,
                  Urgency urgency = Urgency::normal);

  // Reports and set-point reports; false when the message is none of these.
  bool on_message(wire::Raw message, Time now);
  void on_time(Time now);
  // The session is over: what was under way ends, sent or not.
  void on_gone();
  // When something must be sent, or ends. Time{} when something is to be sent at once.
  std::optional<Time> deadline() const;
  // When the next one ends by itself, with or without a link.
  std::optional<Time> expiry() const;
  // Ends what is over, then posts what is due, and copies of what is still unanswered when a datagram goes
  // anyway.
  void fill(session::Link& link, Time now);

  // Moves the endings so far into `into` (appended).
  void take_endings(std::vector<Ended>& into);

 private:
  struct PendingEvent {
    Event message;
    Time deadline;
    Time next;  // copy
    Time last_sent{};
    Duration interval{};
  };
  struct PendingSetPoint {
    SetPoint message;
    Time until;
    bool sent = false;
  };
  static Time over_at(PendingSetPoint const& p);
  void end(CommandId id, Ending ending, Refusal why = Refusal::none, std::optional<wire::Body> reply = {});
  void send(PendingEvent& event, session::Link& link, Time now);

  LaneOptions options_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, PendingEvent> events_;
  std::deque<PendingSetPoint> set_points_;
  std::vector<Ended> endings_;
};

}  // namespace cy::command
