// What the two ends of a link say to each other about the link itself.
#pragma once

#include <cy/wire/codec.hpp>

namespace cy::session {

// First message of the handshake. It can be replayed by anybody: nothing in it moves anything.
struct Hello {
  static constexpr wire::Head head{0x0001, wire::Family::hello, "hello"};
  std::string software;                   // "cylib 0.1.0"
  std::string name;                       // what the dialing side calls itself
  std::vector<std::string> capabilities;  // what it can do beyond version 1; unknown ones are ignored
  static constexpr auto fields() {
    return std::tuple{wire::field("software", &Hello::software), wire::field("name", &Hello::name),
                      wire::field("capabilities", &Hello::capabilities)};
  }
};

struct Welcome {
  static constexpr wire::Head head{0x0002, wire::Family::hello, "welcome"};
  bool accepted{};
  std::string why;        // when it is refused: for the person who must mend it
  std::uint32_t index{};  // where the listener receives this session; 24 bits
  std::string software;
  std::string name;
  std::vector<std::string> capabilities;
  static constexpr auto fields() {
    return std::tuple{
        wire::field("accepted", &Welcome::accepted), wire::field("why", &Welcome::why),
        wire::field("index", &Welcome::index),       wire::field("software", &Welcome::software),
        wire::field("name", &Welcome::name),         wire::field("capabilities", &Welcome::capabilities)};
  }
};

// Sent by each side every period. The sender's own time stamp stands in the datagram.
struct Heartbeat {
  static constexpr wire::Head head{0x0003, wire::Family::heartbeat, "heartbeat"};
  std::uint32_t echo_us{};   // newest time stamp that came from the other side
  std::uint32_t held_us{};   // how long ago that was
  std::uint32_t received{};  // datagrams accepted so far
  std::uint32_t missing{};   // numbers skipped so far and not seen since
  static constexpr auto fields() {
    return std::tuple{
        wire::field("echo_us", &Heartbeat::echo_us, "µs"), wire::field("held_us", &Heartbeat::held_us, "µs"),
        wire::field("received", &Heartbeat::received), wire::field("missing", &Heartbeat::missing)};
  }
};

// The sender ends the session. Sent three times, as nobody answers it.
struct Goodbye {
  static constexpr wire::Head head{0x0004, wire::Family::hello, "goodbye"};
  std::string why;
  static constexpr auto fields() { return std::tuple{wire::field("why", &Goodbye::why)}; }
};

// A piece of a message that no single datagram can hold. Pieces are not resent; whoever asked
// for the message asks again.
struct Fragment {
  static constexpr wire::Head head{0x0005, wire::Family::bulk, "fragment"};
  std::uint32_t number{};  // of the whole, counting up
  std::uint16_t index{};
  std::uint16_t count{};
  Buffer data;
  static constexpr auto fields() {
    return std::tuple{wire::field("number", &Fragment::number), wire::field("index", &Fragment::index),
                      wire::field("count", &Fragment::count), wire::field("data", &Fragment::data)};
  }
};

using SessionMessages = wire::Catalogue<Hello, Welcome, Heartbeat, Goodbye, Fragment>;

constexpr bool is_session_type(wire::Type type) {
  return type < 0x0100;
}

}  // namespace cy::session
