// Our own way as a system beside the others: an event from cy::Client through the agent's process,
// its lease and its driver "null", and the report back.
#pragma once

#include <cy/client/client.hpp>

#include "agent_process.hpp"
#include "peers/peer.hpp"
#include <optional>

namespace cy::bench {

// A client that holds the lease of an agent's robot; `through`: where it sends to instead of the
// agent's own port.
class Station {
 public:
  explicit Station(std::string const& agent_program);
  // Connects and takes the lease. Throws std::runtime_error.
  void connect(std::optional<Endpoint> through = {});

  Client& client() { return *client_; }
  AgentProcess const& agent() const { return agent_; }
  Target target() const { return control_->target(); }
  // A probe whose event message has `size` bytes, as far as that can be: no less than an empty one.
  wire::Body probe(std::size_t size) const;

 private:
  AgentProcess agent_;
  std::unique_ptr<Client> client_;
  std::optional<Control> control_;
};

// By callback on the client's network thread, each event sent from the ending of the one before.
std::unique_ptr<Peer> make_ours(std::shared_ptr<Station> station);
// By Client::event's future, from this thread.
std::unique_ptr<Peer> make_ours_futures(std::shared_ptr<Station> station);

}  // namespace cy::bench
