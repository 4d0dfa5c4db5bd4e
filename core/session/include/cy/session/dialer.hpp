// The side that calls: finds the listener, greets it, keeps a link to it, and greets again when
// the link is gone.
//
//   greeting ──welcome──► linked ──gone──► greeting …      refused: greets again, but seldom
//      └─cookie─► the same hello with the cookie, once
//
// Thread: none of its own. `own` and `entropy` must outlive it.
#pragma once

#include <cy/base/random.hpp>
#include <cy/seal/handshake.hpp>
#include <cy/session/doorman.hpp>
#include <cy/session/link.hpp>

#include <memory>

namespace cy::session {

struct Identity {
  std::string software;
  std::string name;
  std::vector<std::string> capabilities;
};

struct DialerOptions {
  LinkOptions link;
  Duration first_retry = 250ms;  // a lost hello costs this, doubled at each try
  Duration last_retry = 2s;
  Duration refused_retry = 10s;
  bool clear = false;  // no secrecy, for teaching and measuring; the listener must allow it
};

class Dialer {
 public:
  Dialer(seal::KeyPair const& own, seal::PublicKey const& peer, Endpoint where, Identity identity,
         Entropy entropy, DialerOptions const& options, Random random);

  void start(Time now, Outbox& out);
  std::optional<Bytes> on_datagram(MutableBytes datagram, Endpoint from, Time now, Outbox& out);
  void on_time(Time now, Outbox& out);
  std::optional<Time> deadline() const;
  // Says goodbye and calls no more; `start` begins anew.
  void close(std::string_view why, Time now, Outbox& out);

  // The link while there is one, else null. A new session is a new object: compare `session()`.
  Link* link() { return link_.get(); }
  Link const* link() const { return link_.get(); }
  std::uint32_t session() const { return session_; }
  LinkState state() const { return link_ ? link_->state() : LinkState::connecting; }
  std::vector<Link::Became> take_changes();
  Drops drops() const;
  // What the listener said of itself when it last welcomed us.
  Welcome const& welcome() const { return welcome_; }
  unsigned attempts() const { return attempts_; }

 private:
  void greet(Time now, Outbox& out);
  void on_cookie(Bytes datagram, Outbox& out);
  void on_welcome(Bytes datagram, Endpoint from, Time now);
  void on_clear_welcome(Bytes datagram, Endpoint from, Time now);
  void accept(Welcome welcome, Keys keys, Endpoint from, Time now);
  void trouble(std::string why, LinkState state = LinkState::connecting);

  seal::KeyPair const& own_;
  seal::PublicKey peer_;
  Endpoint where_;
  Identity identity_;
  Entropy entropy_;
  DialerOptions options_;
  Random random_;

  std::unique_ptr<Link> link_;
  struct Greeting {
    seal::Initiator noise;
    Buffer hello;  // to be said again with a cookie, once; then empty
  };
  std::optional<Greeting> greeting_;  // sealed, and not answered yet
  std::uint32_t index_ = 0;
  std::uint32_t session_ = 0;
  unsigned attempts_ = 0;
  Duration retry_{};
  std::optional<Time> next_greeting_;
  Welcome welcome_;
  std::vector<Link::Became> changes_;
  Drops drops_;
};

}  // namespace cy::session
