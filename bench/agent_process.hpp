// The agent as a process of its own, with fresh keys in a temporary folder: what is measured is the
// program that is shipped.
#pragma once

#include <cy/base/endpoint.hpp>
#include <cy/seal/key.hpp>

#include <sys/types.h>

#include <memory>
#include <string>

namespace cy::bench {

class AgentProcess {
 public:
  // One robot, "bench", on the null driver. Throws std::runtime_error when it does not listen
  // within seconds. No real-time priority: the systems beside it have none either.
  explicit AgentProcess(std::string const& program);
  ~AgentProcess();
  AgentProcess(AgentProcess const&) = delete;
  AgentProcess& operator=(AgentProcess const&) = delete;

  pid_t pid() const { return pid_; }
  Endpoint endpoint() const { return endpoint_; }
  seal::PublicKey const& key() const { return key_; }
  // Of the one station that it trusts.
  std::shared_ptr<seal::KeyPair const> station_key() const { return station_key_; }

 private:
  std::string file(std::string const& name) const { return folder_ + "/" + name; }
  void start(std::string const& program);

  std::string folder_;
  pid_t pid_ = -1;
  Endpoint endpoint_;
  seal::PublicKey key_;
  std::shared_ptr<seal::KeyPair const> station_key_;
};

}  // namespace cy::bench
