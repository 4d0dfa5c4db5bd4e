// What the page and its station say to each other, in binary WebSocket messages at /ws.
//
// One WebSocket message is one or more wire messages, as in a datagram. Besides those below the
// station passes on, unchanged, what comes from the agent: inventory, device_state, robot_status,
// control_state, stream_info and picture. web/README.md has the order and the rates.
#pragma once

#include <cy/command/messages.hpp>
#include <cy/model/describe.hpp>

namespace cy::station {

// Raised when an old page can no longer talk to a new station; appended fields do not raise it.
inline constexpr std::uint16_t page_version = 1;

// ---- page to station ---------------------------------------------------------------------

// The first message of a page; nothing else is heard before it.
struct PageHello {
  static constexpr wire::Head head{0x3000, wire::Family::hello, "page_hello"};
  std::uint16_t version{page_version};
  std::string person;    // who sits there, as others shall see it
  std::string language;  // BCP 47: "en"; nobody reads it
  std::string resume;    // of the station_hello before a reconnect: keeps the viewer, never the lease
  static constexpr auto fields() {
    return std::tuple{wire::field("version", &PageHello::version), wire::field("person", &PageHello::person),
                      wire::field("language", &PageHello::language),
                      wire::field("resume", &PageHello::resume)};
  }
};

// A set-point, sent again while the person holds on. Its lifetime began `age_ms` before it was sent.
struct PageDrive {
  static constexpr wire::Head head{0x3001, wire::Family::command, "page_drive"};
  RobotId robot;
  Twist twist;
  float age_ms{};                 // since the input was sampled
  std::uint32_t echo_us{};        // the newest agent clock the page had been told by then; 0 none
  std::uint32_t picture{};        // number of the picture that was on the screen; 0 none
  std::uint32_t picture_stamp{};  // nobody reads it
  std::uint32_t number{};         // counts up; a smaller one than the last is dropped
  static constexpr auto fields() {
    return std::tuple{wire::field("robot", &PageDrive::robot),
                      wire::field("twist", &PageDrive::twist),
                      wire::field("age_ms", &PageDrive::age_ms, "ms"),
                      wire::field("echo_us", &PageDrive::echo_us, "µs"),
                      wire::field("picture", &PageDrive::picture),
                      wire::field("picture_stamp", &PageDrive::picture_stamp, "µs"),
                      wire::field("number", &PageDrive::number)};
  }
};

// An event for a robot (request_lease, arm, stop, motors …). Answered by one page_ended.
struct PageCommand {
  static constexpr wire::Head head{0x3002, wire::Family::command, "page_command"};
  std::uint32_t token{};  // the page's own, counting up from 1
  RobotId robot;          // 0: the agent
  wire::Body what;
  static constexpr auto fields() {
    return std::tuple{wire::field("token", &PageCommand::token), wire::field("robot", &PageCommand::robot),
                      wire::field("what", &PageCommand::what)};
  }
};

// Which pictures the page wants. A hidden page gets none.
struct PageView {
  static constexpr wire::Head head{0x3003, wire::Family::command, "page_view"};
  std::vector<std::uint16_t> streams;  // media's stream ids
  bool hidden{};
  std::vector<std::uint16_t> keyframes;  // of these, a keyframe is needed: the decoder began or broke
  static constexpr auto fields() {
    return std::tuple{wire::field("streams", &PageView::streams), wire::field("hidden", &PageView::hidden),
                      wire::field("keyframes", &PageView::keyframes)};
  }
};

struct PagePing {
  static constexpr wire::Head head{0x3004, wire::Family::heartbeat, "page_ping"};
  double stamp{};  // the page's own clock
  static constexpr auto fields() { return std::tuple{wire::field("stamp", &PagePing::stamp, "ms")}; }
};

// One for each picture that was painted.
struct PageShown {
  static constexpr wire::Head head{0x3005, wire::Family::report, "page_shown"};
  std::uint16_t stream{};
  std::uint32_t number{};
  float age_ms{};     // from capture to paint, by the estimated agent clock
  float decode_ms{};  // from arrival at the page to paint
  static constexpr auto fields() {
    return std::tuple{wire::field("stream", &PageShown::stream), wire::field("number", &PageShown::number),
                      wire::field("age_ms", &PageShown::age_ms, "ms"),
                      wire::field("decode_ms", &PageShown::decode_ms, "ms")};
  }
};

// ---- station to page ---------------------------------------------------------------------

// The answer to page_hello.
struct StationHello {
  static constexpr wire::Head head{0x3020, wire::Family::hello, "station_hello"};
  std::uint16_t version{page_version};
  std::uint32_t viewer{};     // this page's number
  PersonId person;            // under which the agent knows it
  std::string name;           // of the station
  std::string software;       // "CyLib 0.1.0"
  std::string resume;         // for the next page_hello
  float drive_lifetime_ms{};  // how long a page_drive moves the robot
  float drive_period_ms{};    // how often the page shall repeat it
  static constexpr auto fields() {
    return std::tuple{wire::field("version", &StationHello::version),
                      wire::field("viewer", &StationHello::viewer),
                      wire::field("person", &StationHello::person),
                      wire::field("name", &StationHello::name),
                      wire::field("software", &StationHello::software),
                      wire::field("resume", &StationHello::resume),
                      wire::field("drive_lifetime_ms", &StationHello::drive_lifetime_ms, "ms"),
                      wire::field("drive_period_ms", &StationHello::drive_period_ms, "ms")};
  }
};

// The station's link to the agent; searching: there has been none yet.
enum class AgentLink : std::uint8_t { searching, up, late, lost, gone };
constexpr auto names(AgentLink) {
  return std::array<std::string_view, 5>{"searching", "up", "late", "lost", "gone"};
}

struct LinkReport {
  static constexpr wire::Head head{0x3021, wire::Family::status, "link_report"};
  AgentLink state{};
  std::string why;      // the reason of the last change of state
  std::string address;  // of the agent
  float rtt_ms{};
  float jitter_ms{};
  float loss{};                    // 0 to 1, of what the agent sent
  std::optional<float> loop_ms;    // loop age of the newest set-point; none while nobody drives
  std::uint32_t agent_clock_us{};  // the agent's clock now, as estimated; 0 unknown
  float in_rate{}, out_rate{};
  std::vector<Counter> counters;  // drops by reason
  // Counts the sessions with an agent up from 1; 0 none yet. What an older one said of robots and of
  // its clock does not hold in a newer one: an agent that began anew counts and stamps anew.
  std::uint32_t session{};
  static constexpr auto fields() {
    return std::tuple{wire::field("state", &LinkReport::state),
                      wire::field("why", &LinkReport::why),
                      wire::field("address", &LinkReport::address),
                      wire::field("rtt_ms", &LinkReport::rtt_ms, "ms"),
                      wire::field("jitter_ms", &LinkReport::jitter_ms, "ms"),
                      wire::field("loss", &LinkReport::loss),
                      wire::field("loop_ms", &LinkReport::loop_ms, "ms"),
                      wire::field("agent_clock_us", &LinkReport::agent_clock_us, "µs"),
                      wire::field("in_rate", &LinkReport::in_rate, "B/s"),
                      wire::field("out_rate", &LinkReport::out_rate, "B/s"),
                      wire::field("counters", &LinkReport::counters),
                      wire::field("session", &LinkReport::session)};
  }
};

// How a page_command ended.
struct PageEnded {
  static constexpr wire::Head head{0x3022, wire::Family::report, "page_ended"};
  std::uint32_t token{};
  Ending ending{};
  Refusal refusal{};
  std::string text;  // for the person: what was refused, and what to do
  static constexpr auto fields() {
    return std::tuple{wire::field("token", &PageEnded::token), wire::field("ending", &PageEnded::ending),
                      wire::field("refusal", &PageEnded::refusal), wire::field("text", &PageEnded::text)};
  }
};

struct PagePong {
  static constexpr wire::Head head{0x3023, wire::Family::heartbeat, "page_pong"};
  double stamp{};                  // of the ping
  std::uint32_t agent_clock_us{};  // the agent's clock now, as estimated; 0 unknown
  std::uint32_t echo_us{};         // the newest agent time stamp received: what page_drive echoes
  static constexpr auto fields() {
    return std::tuple{wire::field("stamp", &PagePong::stamp, "ms"),
                      wire::field("agent_clock_us", &PagePong::agent_clock_us, "µs"),
                      wire::field("echo_us", &PagePong::echo_us, "µs")};
  }
};

struct Viewer {
  std::uint32_t viewer{};
  std::string person;
  bool hidden{};
  static constexpr auto fields() {
    return std::tuple{wire::field("viewer", &Viewer::viewer), wire::field("person", &Viewer::person),
                      wire::field("hidden", &Viewer::hidden)};
  }
};

// Who looks on at this station; sent on every change.
struct Viewers {
  static constexpr wire::Head head{0x3024, wire::Family::status, "viewers"};
  std::vector<Viewer> viewers;
  std::string driver;  // who holds the first robot that somebody holds, from whichever station
  static constexpr auto fields() {
    return std::tuple{wire::field("viewers", &Viewers::viewers), wire::field("driver", &Viewers::driver)};
  }
};

// Whether this page's person holds the lease of a robot; after the hello, and on every change.
struct Holding {
  static constexpr wire::Head head{0x3026, wire::Family::status, "holding"};
  RobotId robot;
  bool holds{};
  static constexpr auto fields() {
    return std::tuple{wire::field("robot", &Holding::robot), wire::field("holds", &Holding::holds)};
  }
};

enum class NoticeLevel : std::uint8_t { info, warning, error };
constexpr auto names(NoticeLevel) {
  return std::array<std::string_view, 3>{"info", "warning", "error"};
}

// Something the person should read.
struct Notice {
  static constexpr wire::Head head{0x3025, wire::Family::report, "notice"};
  NoticeLevel level{};
  std::string text;
  static constexpr auto fields() {
    return std::tuple{wire::field("level", &Notice::level), wire::field("text", &Notice::text)};
  }
};

using StationMessages =
    wire::Catalogue<PageHello, PageDrive, PageCommand, PageView, PagePing, PageShown, StationHello,
                    LinkReport, PageEnded, PagePong, Viewers, Holding, Notice>;

}  // namespace cy::station
