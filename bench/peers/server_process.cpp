#include "server_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <thread>

namespace cy::bench {
namespace {

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() {
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for a server");
  }
};

std::string read_line(int fd) {
  std::string line;
  char c = 0;
  while (read(fd, &c, 1) == 1 && c != '\n') line += c;
  return line;
}

}  // namespace

std::vector<std::string> ServerProcess::start(std::string_view name, PeerOptions const& options,
                                              std::vector<std::string> const& arguments) {
  auto words = options.server_prefix;
  words.insert(words.end(), {"/proc/self/exe", "--serve", std::string(name), options.host});
  words.insert(words.end(), arguments.begin(), arguments.end());
  // Through a prefix, /proc/self is somebody else.
  char self[4096] = {};
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) throw std::runtime_error("no /proc here");
  words[options.server_prefix.size()] = self;
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  Pipe in;
  Pipe out;
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("no process for a server");
  if (pid_ == 0) {
    dup2(in.ends[0], STDIN_FILENO);
    dup2(out.ends[1], STDOUT_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(in.ends[0]);
  close(out.ends[1]);
  stdin_ = in.ends[1];
  auto const line = read_line(out.ends[0]);
  close(out.ends[0]);
  std::istringstream stream(line);
  std::vector<std::string> announced;
  for (std::string word; stream >> word;) announced.push_back(word);
  if (announced.empty()) throw std::runtime_error(std::string(name) + ": its server did not start");
  return announced;
}

ServerProcess::~ServerProcess() {
  if (pid_ <= 0) return;
  close(stdin_);
  waitpid(pid_, nullptr, 0);
}

void announce(std::string const& words) {
  std::printf("%s\n", words.c_str());
  std::fflush(stdout);
}

void end_with_parent() {
  std::thread([] {
    char c = 0;
    while (read(STDIN_FILENO, &c, 1) > 0) continue;
    std::_Exit(0);
  }).detach();
}

}  // namespace cy::bench
