#include "agent_process.hpp"

#include <cy/app/keys.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace cy::bench {
namespace {

template <class T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().what);
  return std::move(*result);
}
void need(Result<void> const& result) {
  if (!result) throw std::runtime_error(result.error().what);
}

}  // namespace

AgentProcess::AgentProcess(std::string const& program) {
  auto pattern = (std::filesystem::temp_directory_path() / "cy-bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder for the agent");
  folder_ = pattern;
  key_ = need(app::write_new_key(file("agent.key"), false)).public_key;
  station_key_ = std::make_shared<seal::KeyPair>(need(app::write_new_key(file("station.key"), false)));
  need(app::append_trust(file("trusted"), {"operator", station_key_->public_key, "bench"}));
  std::ofstream(file("agent.toml")) << "[agent]\n"
                                       "name = \"bench\"\n"
                                       "listen = \"127.0.0.1:0\"\n"
                                       "port_file = \"port\"\n"
                                       "real_time = false\n"
                                       "[[robot]]\n"
                                       "name = \"bench\"\n"
                                       "driver = \"null\"\n";
  start(program);
}

void AgentProcess::start(std::string const& program) {
  auto const config = file("agent.toml");
  auto const log = file("log");
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("no process for the agent");
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    auto const to = open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    dup2(to, STDOUT_FILENO);
    dup2(to, STDERR_FILENO);
    execl(program.c_str(), program.c_str(), "--config", config.c_str(), nullptr);
    _exit(127);
  }
  for (auto i = 0; i < 500; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::uint16_t port = 0;
    if (std::ifstream(file("port")) >> port) {
      endpoint_ = ipv4(127, 0, 0, 1, port);
      return;
    }
  }
  throw std::runtime_error(fmt::format("{} does not listen; its log is {}", program, log));
}

AgentProcess::~AgentProcess() {
  if (pid_ > 0) {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  std::error_code error;
  std::filesystem::remove_all(folder_, error);
}

}  // namespace cy::bench
