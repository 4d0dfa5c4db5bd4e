// Foreign datagrams and jumps of the clock at every state of both ends. The first byte picks the
// state; then, again and again, a byte says what happens:
//
//   0x00–0x3f  so many bytes follow: a datagram for the listener
//   0x40–0x7f  the same (less 0x40) for the dialer
//   0x80–0xbf  a bit of a right datagram is flipped: the next two bytes say which; then the right one
//   0xc0–0xff  time passes: 2^(n/4) ms, n the lower six bits less 0x30 at most
//
// Invariants: an established session hands on nothing that its peer did not send, its address
// stays, each foreign datagram is counted once, what the ends hold is bounded, deadlines advance.
#include <cy/base/check.hpp>
#include <cy/session/listener.hpp>

using namespace cy;
using namespace cy::session;

namespace {

seal::KeyPair key_pair(std::uint8_t fill) {
  std::array<std::uint8_t, 32> bytes;
  bytes.fill(fill);
  return seal::make_key_pair(seal::SecretKey(bytes));
}
seal::KeyPair const station = key_pair(1), agent = key_pair(2);

Entropy entropy(std::uint8_t from) {
  return [from]() mutable {
    std::array<std::uint8_t, 32> bytes;
    bytes.fill(++from);
    return seal::SecretKey(bytes);
  };
}

ListenerOptions listener_options(bool clear) {
  ListenerOptions o;
  o.allow_clear = o.clear_from_anywhere = clear;
  return o;
}
DialerOptions dialer_options(bool clear) {
  DialerOptions o;
  o.clear = clear;
  return o;
}

Endpoint const home = ipv4(10, 0, 0, 2, 5000), door = ipv4(10, 0, 0, 1, 4747), stranger = ipv4(6, 6, 6, 6, 6);

struct Both {
  explicit Both(bool clear)
      : listener(
            agent, {"s", "agent", {}},
            [](auto const&) {
              return tl::expected<Trusted, std::string>({"lab", 1});
            },
            entropy(100), listener_options(clear), Random{Seed{1}}),
        dialer(station, agent.public_key, door, {"s", "station", {}}, entropy(10), dialer_options(clear),
               Random{Seed{2}}) {}

  void to_listener(Bytes datagram, Endpoint from) {
    auto copy = copy_of(datagram);
    auto const before = listener.drops().total();
    out.clear();
    auto const delivery = listener.on_datagram(copy, from, now, out);
    handed_on += delivery ? 1 : 0;
    dropped_there = listener.drops().total() - before;
    answers.clear();
    for (std::size_t i = 0; i < out.size(); ++i) answers.push_back(copy_of(std::as_const(out).bytes(i)));
    listener.take_events();
  }
  void to_dialer(Bytes datagram) {
    auto copy = copy_of(datagram);
    auto const before = dialer.drops().total();
    out.clear();
    handed_on += dialer.on_datagram(copy, door, now, out) ? 1 : 0;
    dropped_here = dialer.drops().total() - before;
  }
  // One turn of both, over a perfect line; false: the line is cut.
  void turn(bool connected) {
    out.clear();
    dialer.on_time(now, out);
    if (auto* link = dialer.link()) link->flush(now, out);
    dialer.take_changes();
    std::vector<Buffer> there;
    for (std::size_t i = 0; i < out.size(); ++i) there.push_back(copy_of(std::as_const(out).bytes(i)));
    std::vector<Buffer> back;
    if (connected)
      for (auto const& d : there) {
        to_listener(d, home);
        back.insert(back.end(), answers.begin(), answers.end());
      }
    listener.on_time(now);
    out.clear();
    listener.flush(now, out);
    for (std::size_t i = 0; i < out.size(); ++i) back.push_back(copy_of(std::as_const(out).bytes(i)));
    listener.take_events();
    if (connected)
      for (auto const& d : back) to_dialer(d);
    // A link that was just made has its first heartbeat due now; once that is said, nothing may be
    // due in the past, or its shell would turn without end.
    if (auto const first = dialer.deadline(); first && *first <= now) dialer.on_time(now, out);
    auto const due = dialer.deadline();
    CY_CHECK(!due || *due > now || *due == Time{} || dialer.state() == LinkState::gone);
  }
  // A datagram that the dialer's link sends now.
  Buffer right() {
    out.clear();
    dialer.link()->post(wire::Raw{0xc001, Bytes{}});
    dialer.link()->flush(now, out);
    return copy_of(std::as_const(out).bytes(out.size() - 1));
  }

  Time now = Time{} + 1h;
  Listener listener;
  Dialer dialer;
  Outbox out;
  std::vector<Buffer> answers;
  std::uint64_t handed_on = 0, dropped_there = 0, dropped_here = 0;
};

enum Start : std::uint8_t { fresh, greeting, pending, linked, late, lost, gone, closed, starts };

void begin(Both& both, Start start) {
  if (start == fresh) return;
  both.out.clear();
  both.dialer.start(both.now, both.out);
  if (start == greeting) return;
  auto const hello = copy_of(std::as_const(both.out).bytes(0));
  both.to_listener(hello, home);
  if (start == pending) return;
  both.to_dialer(both.answers.at(0));
  both.turn(true);
  both.turn(true);
  CY_CHECK(both.dialer.state() == LinkState::up && both.listener.sessions() == 1);
  if (start == late) both.now += 200ms;
  if (start == lost) both.now += 700ms;
  if (start == gone) both.now += 4s;
  if (start >= late && start <= gone) both.turn(false);
  if (start == closed) {
    both.out.clear();
    both.dialer.close("closed", both.now, both.out);
    both.dialer.take_changes();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  // In clear mode anybody can forge, so only what needs no key is promised.
  auto const clear = (data[0] & 0x80) != 0;
  Both both(clear);
  begin(both, static_cast<Start>(data[0] % starts));
  Bytes input(data + 1, size - 1);
  while (!input.empty()) {
    auto const what = input[0];
    input = input.subspan(1);
    auto const low = static_cast<std::size_t>(what & 0x3f);
    auto const handed_on = both.handed_on;
    auto const sessions = both.listener.sessions();
    if (what < 0x80) {
      auto const datagram = input.first(std::min(low, input.size()));
      input = input.subspan(datagram.size());
      if (what < 0x40) {
        both.to_listener(datagram, stranger);
        // 64 bytes hold no sealed hello, so nobody who holds a key wrote this.
        if (!clear) CY_CHECK(both.dropped_there == 1 && both.answers.empty());
      } else {
        both.to_dialer(datagram);
        // A cookie is not signed: it may have its one further hello.
        auto const cookie = !datagram.empty() && datagram[0] == 0x17;
        if (!clear) CY_CHECK(both.dropped_here == 1 || (cookie && both.out.size() == 1));
      }
      if (!clear) CY_CHECK(both.handed_on == handed_on && both.listener.sessions() == sessions);
    } else if (what < 0xc0) {
      if (!both.dialer.link() || both.dialer.state() == LinkState::gone || input.size() < 2) continue;
      auto const at = load_le<std::uint16_t>(input.data());
      input = input.subspan(2);
      auto const right = both.right();
      auto changed = right;
      changed[at / 8 % changed.size()] ^= static_cast<std::uint8_t>(1u << (at % 8));
      both.to_listener(changed, stranger);
      CY_CHECK(both.handed_on == handed_on && both.answers.empty());
      if (!clear) CY_CHECK(both.dropped_there == 1);
      auto const stands = sessions > 0;
      both.to_listener(right, home);
      if (!clear && stands) CY_CHECK(both.handed_on == handed_on + 1);
    } else {
      both.now += std::chrono::milliseconds(1ull << std::min<std::size_t>(low, 0x30) / 4);
      both.turn((what & 1) != 0);
    }
    CY_CHECK(both.listener.sessions() <= 64);
  }
  // Whatever was said: over a line that works they find each other again.
  if (static_cast<Start>(data[0] % starts) != fresh && static_cast<Start>(data[0] % starts) != closed &&
      !clear) {
    for (auto i = 0; i < 400 && both.dialer.state() != LinkState::up; ++i) {
      both.now += 50ms;
      both.turn(true);
    }
    CY_CHECK(both.dialer.state() == LinkState::up);
  }
  return 0;
}
