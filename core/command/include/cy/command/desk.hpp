// The receiving end of one session's commands: admits each event at most once and each set-point
// only when it is the newest, and tells the sender how they ended.
#pragma once

#include <cy/command/messages.hpp>
#include <cy/session/link.hpp>

#include <deque>
#include <map>

namespace cy::command {

struct DeskOptions {
  Duration repeat = 5ms;   // until a report's second copy, unless the sender has heard it
  Duration spacing = 2ms;  // or when a datagram goes anyway, after this long
  Duration set_point_reports = 50ms;
  std::size_t memory = 1024;   // ended events that are remembered
  std::size_t resources = 64;  // that set-points may be for; whoever names more is not listened to
};

class Desk {
 public:
  explicit Desk(DeskOptions const& options = {}) : options_(options) {}

  // What a message is to the desk: a set-point or an event that may be carried out now, once; one
  // that is late, repeated or broken (counted, and ours all the same); or no command at all.
  struct Taken {
    bool ours = false;
    std::optional<SetPoint> set_point;
    std::optional<Event> event;
  };
  Taken on_message(wire::Raw message, Time now);

  // Every admitted event must be ended once, now or later. False: the id names no event that waits
  // for its ending (a set-point, one that has ended, or one that is long forgotten).
  bool end(CommandId id, Ending ending, Refusal why, std::optional<wire::Body> reply, Time now);
  // What became of the newest set-point of a resource, and its loop age.
  void saw(Resource resource, CommandId id, Refusal why, Duration age, Time now);

  std::optional<Time> deadline() const;
  void fill(session::Link& link, Time now);

  struct Counts {
    std::uint64_t events = 0, repeated = 0, forgotten = 0, set_points = 0, overtaken = 0, malformed = 0,
                  beyond = 0;
  };
  Counts const& counts() const { return counts_; }

 private:
  struct Entry {
    bool ended = false;
    unsigned copies = 0;
    Report report;
    Time next{};
    Time last_sent{};
  };
  struct Seen {
    CommandId newest;
    SetPointReport report;
    bool due = false;
    Time next{};
  };
  void send(Entry& entry, session::Link& link, Time now);

  DeskOptions options_;
  std::map<std::uint64_t, Entry> entries_;
  std::uint64_t forgotten_below_ = 1;
  std::vector<std::uint64_t> speaking_;  // ended, and copies of the report still to send
  std::map<std::uint16_t, Seen> seen_;
  Counts counts_;
};

}  // namespace cy::command
