// The side that is called: answers hellos of trusted keys and keeps a link for each session.
//
// A hello proves nothing yet (it can be a replay): the session it makes is pending, and becomes
// one only by its first authentic datagram. Until then it can neither move anything nor disturb
// a session that stands. Pending ones are few, and the oldest gives way.
//
// Thread: none of its own. `own` and `entropy` must outlive it.
#pragma once

#include <cy/session/dialer.hpp>

namespace cy::session {

using SessionId = Id<struct SessionTag, std::uint32_t>;

struct ListenerOptions {
  LinkOptions link;
  bool allow_clear = false;  // from loopback only, unless:
  bool clear_from_anywhere = false;
  std::size_t max_sessions = 64;
  std::size_t max_pending = 16;
  Duration pending_time = 5s;
  double hellos_per_second = 50.0;  // a handshake costs about 0.3 ms of one core
};

class Listener {
 public:
  // The peer's name if its key is trusted; else why not, in words for the peer's person.
  using Trust = std::function<tl::expected<std::string, std::string>(seal::PublicKey const&)>;

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
    std::string trusted_name;
    Hello hello;
  };
  struct Changed {
    SessionId session;
    LinkState state;  // gone: the session is over
    std::string why;
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
  void on_hello(Bytes datagram, Endpoint from, Time now, Outbox& out);
  void on_clear_hello(Bytes datagram, Endpoint from, Time now, Outbox& out);
  // Null with the reason in `why` when there is no room.
  Session* add(Keys keys, std::uint32_t peer_index, Endpoint from, Time now, std::string& why);
  std::uint32_t fresh_index();
  void evict_pending(Time now);
  Welcome make_welcome() const;

  seal::KeyPair const& own_;
  Identity identity_;
  Trust trust_;
  Entropy entropy_;
  ListenerOptions options_;
  Random random_;
  std::map<std::uint32_t, Session> sessions_;  // by own index
  std::uint32_t next_id_ = 1;
  std::vector<Event> events_;
  Drops drops_;
  double hello_tokens_;
  Time hello_tokens_at_{};
};

}  // namespace cy::session
