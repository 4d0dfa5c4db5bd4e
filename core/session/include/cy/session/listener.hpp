// The side that is called: answers hellos of trusted keys and keeps a link for each session.
//
// A hello proves nothing yet (it can be a replay): the session it makes is pending, and becomes
// one only by its first authentic datagram. Until then it can neither move anything nor disturb
// a session that stands. Pending ones are few, and the oldest gives way.
//
// What a key is trusted with is asked at the hello, at the confirmation, and every `trust_period`
// while the session stands. A session is only ever what its key is trusted with now: when the
// answer changes it ends, and the peer may call again.
//
// Thread: none of its own. `own` and `entropy` must outlive it.
#pragma once

#include <cy/session/dialer.hpp>

namespace cy::session {

using SessionId = Id<struct SessionTag, std::uint32_t>;

// What a key may do here. `rank` is the owner's own (a role); 0 is the least.
struct Trusted {
  std::string name;
  std::uint8_t rank = 0;
  bool operator==(Trusted const&) const = default;
};

struct ListenerOptions {
  LinkOptions link;
  DoormanOptions doorman;
  bool allow_clear = false;  // from loopback only, unless:
  bool clear_from_anywhere = false;
  Trusted clear_trusted{"clear", 0};  // who calls in clear mode has no key
  std::size_t max_sessions = 64;
  std::size_t max_pending = 16;
  Duration pending_time = 5s;  // so long a hello's session can be confirmed
  Duration trust_period = 1s;
};

class Listener {
 public:
  // What the key is trusted with; else why not, in words for the peer's person.
  using Trust = std::function<tl::expected<Trusted, std::string>(seal::PublicKey const&)>;

  Listener(seal::KeyPair const& own, Identity identity, Trust trust, Entropy entropy,
           ListenerOptions const& options, Random random);

  struct Delivery {
    SessionId session;
    Bytes messages;  // inside the datagram, or the link's own buffer: valid until the next call
  };
  std::optional<Delivery> on_datagram(MutableBytes datagram, Endpoint from, Time now, Outbox& out);
  void on_time(Time now);
  std::optional<Time> deadline() const;
  void flush(Time now, Outbox& out);
  void close(std::string_view why, Time now, Outbox& out);

  struct Opened {
    SessionId session;
    seal::PublicKey key;  // zero in clear mode
    Trusted trusted;
    Hello hello;
  };
  struct Changed {
    SessionId session;
    LinkState state;  // gone: the session is over
    std::string why;
    Time last_heard;  // anything of the peer's
  };
  using Event = std::variant<Opened, Changed>;
  std::vector<Event> take_events();

  Link* find(SessionId session);
  std::size_t sessions() const;
  Drops drops() const;

 private:
  struct Session {
    SessionId id;
    std::unique_ptr<Link> link;
    Opened opened;
    Time born;
    bool confirmed = false;
  };
  using Sessions = std::map<std::uint32_t, Session>;  // by own index
  void on_hello(Bytes datagram, Endpoint from, Time now, Outbox& out);
  void greet(std::uint32_t peer_index, Bytes noise, Endpoint from, Time now, Outbox& out);
  void on_clear_hello(Bytes datagram, Endpoint from, Time now, Outbox& out);
  // An index for one session more; nothing, with the reason in `why`, when there is no room.
  std::optional<std::uint32_t> make_room(Time now, std::string& why);
  void add(Keys keys, std::uint32_t index, std::uint32_t peer_index, Endpoint from, Time now, Opened opened);
  // True when the session stands from now on; else it is gone.
  bool confirm(Sessions::iterator session, Time now, Outbox& out);
  // Why the session may not go on, if so.
  std::optional<std::string> distrusted(Opened const& opened) const;
  void review_trust(Time now);
  void forget(Sessions::iterator session);
  void evict_pending(Time now);
  Welcome make_welcome() const;

  seal::KeyPair const& own_;
  Identity identity_;
  Trust trust_;
  Entropy entropy_;
  ListenerOptions options_;
  Random random_;
  Doorman doorman_;
  Sessions sessions_;
  // Indices of the latest that were over: a goodbye comes three times, and other datagrams may have been
  // under way. They are nobody's fault and not counted.
  std::array<std::uint32_t, 16> ended_{};
  std::size_t next_ended_ = 0;
  std::uint32_t next_id_ = 1;
  std::vector<Event> events_;
  Drops drops_;
  Time next_review_{};
  Outbox farewells_;  // of sessions that ended between two flushes
};

}  // namespace cy::session
