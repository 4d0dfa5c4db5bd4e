// The envelopes that commands travel in, and what comes back.
//
// A set-point (drive, jog) lives for a set time from the person's input; the newest wins and none
// is retried. An event happens at most once: it is repeated until its report comes or its deadline
// passes. A request is an event with a reply. Each ends exactly once, by one Ending.
#pragma once

#include <cy/wire/codec.hpp>

namespace cy {

// Names one command within its session, counting up from 1 at the sender.
using CommandId = Id<struct CommandTag, std::uint64_t>;
// Whom a command addresses: the value of a RobotId; 0 is the agent itself.
using Resource = Id<struct ResourceTag, std::uint16_t>;
// Grants control of a resource. It rides on every command, so that an old one moves nothing.
using LeaseId = Id<struct LeaseTag, std::uint32_t>;
// A person at a station, as that station introduced them (safety: Introduce).
using PersonId = Id<struct PersonTag, std::uint16_t>;

enum class Ending : std::uint8_t { applied, refused, expired_unsent, expired_maybe_applied, superseded };
constexpr auto names(Ending) {
  return std::array<std::string_view, 5>{"applied", "refused", "expired unsent", "expired, maybe applied",
                                         "superseded"};
}

// Why a command was not carried out.
enum class Refusal : std::uint8_t {
  none,
  not_ready,
  not_armed,
  no_lease,
  role,
  stop_latched,
  limits,
  not_finite,
  stale_data,
  too_old,
  blocked,
  unknown_robot,
  unknown_command,
  bad_value,
  busy,
  link_lost,
  policy,
  full
};
constexpr auto names(Refusal) {
  return std::array<std::string_view, 18>{
      "none",       "not ready",  "not armed", "no lease", "role",          "stop latched",    "limits",
      "not finite", "stale data", "too old",   "blocked",  "unknown robot", "unknown command", "bad value",
      "busy",       "link lost",  "policy",    "full"};
}

struct SetPoint {
  static constexpr wire::Head head{0x0101, wire::Family::command, "set_point"};
  CommandId id;
  Resource resource;
  PersonId person;
  LeaseId lease;
  std::uint32_t echo_us{};      // the newest agent time stamp that the sender had seen at the input
  std::uint32_t picture{};      // number of the picture the person was looking at; 0 none
  std::uint16_t lifetime_ms{};  // what is left of it at sending
  wire::Body what;
  static constexpr auto fields() {
    return std::tuple{wire::field("id", &SetPoint::id),
                      wire::field("resource", &SetPoint::resource),
                      wire::field("person", &SetPoint::person),
                      wire::field("lease", &SetPoint::lease),
                      wire::field("echo_us", &SetPoint::echo_us, "µs"),
                      wire::field("picture", &SetPoint::picture),
                      wire::field("lifetime_ms", &SetPoint::lifetime_ms, "ms"),
                      wire::field("what", &SetPoint::what)};
  }
};

struct Event {
  static constexpr wire::Head head{0x0102, wire::Family::command, "event"};
  CommandId id;
  Resource resource;
  PersonId person;
  LeaseId lease;
  std::uint16_t attempt{};      // 0 first; the rest of the message is the same in every attempt
  std::uint32_t deadline_ms{};  // what is left of it at sending
  wire::Body what;
  CommandId heard;  // reports of all events up to this one have come
  static constexpr auto fields() {
    return std::tuple{
        wire::field("id", &Event::id),           wire::field("resource", &Event::resource),
        wire::field("person", &Event::person),   wire::field("lease", &Event::lease),
        wire::field("attempt", &Event::attempt), wire::field("deadline_ms", &Event::deadline_ms, "ms"),
        wire::field("what", &Event::what),       wire::field("heard", &Event::heard)};
  }
};

// How an event or request ended; repeated like the event itself until it was heard.
struct Report {
  static constexpr wire::Head head{0x0103, wire::Family::report, "report"};
  CommandId id;
  Ending ending{};
  Refusal why{};
  std::optional<wire::Body> reply;
  static constexpr auto fields() {
    return std::tuple{wire::field("id", &Report::id), wire::field("ending", &Report::ending),
                      wire::field("why", &Report::why), wire::field("reply", &Report::reply)};
  }
};

// How far set-points were seen, sent with heartbeats and status: those up to `seen` are over.
struct SetPointReport {
  static constexpr wire::Head head{0x0104, wire::Family::report, "set_point_report"};
  Resource resource;
  CommandId seen;
  Refusal why{};           // of the newest one; none: it was applied
  std::uint32_t age_us{};  // loop age of the newest one
  static constexpr auto fields() {
    return std::tuple{wire::field("resource", &SetPointReport::resource),
                      wire::field("seen", &SetPointReport::seen), wire::field("why", &SetPointReport::why),
                      wire::field("age_us", &SetPointReport::age_us, "µs")};
  }
};

using CommandMessages = wire::Catalogue<SetPoint, Event, Report, SetPointReport>;

}  // namespace cy
