// cy-sim as a process: ports, pty, trace, camera, errors. Loopback only.
#include <cy/port/frame_port.hpp>
#include <cy/world/mark.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.hpp"
#include "plain.hpp"
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace cy::sim {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "cy-sim-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(std::string const& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::string text_of_file(std::string const& path) {
  std::ifstream file{path};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Process {
 public:
  Process(std::vector<std::string> arguments, std::string errors) : errors_{std::move(errors)} {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    input_ = ends[1];
    pid_ = ::fork();
    if (pid_ == 0) {
      auto const log = ::open(errors_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      ::dup2(ends[0], 0);
      ::dup2(log, 1);
      ::dup2(log, 2);
      arguments.insert(arguments.begin(), CY_SIM);
      std::vector<char*> pointers;
      for (auto& argument : arguments) pointers.push_back(argument.data());
      pointers.push_back(nullptr);
      ::execv(CY_SIM, pointers.data());
      ::_exit(127);
    }
    ::close(ends[0]);
  }
  ~Process() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    ::close(input_);
  }
  void type(std::string const& line) {
    EXPECT_EQ(::write(input_, line.data(), line.size()), std::ssize(line));
  }
  int end(int number = SIGTERM) {
    ::kill(pid_, number);
    return wait();
  }
  int wait() {
    int status = 0;
    for (int i = 0; i < 1000; ++i) {
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
      }
      std::this_thread::sleep_for(10ms);
    }
    return -1;
  }
  std::string said() const { return text_of_file(errors_); }

 private:
  pid_t pid_{-1};
  int input_{-1};
  std::string errors_;
};

// The addresses, once they stand in the port file.
std::vector<std::string> addresses(std::string const& port_file) {
  for (int i = 0; i < 1000 && !fs::exists(port_file); ++i) std::this_thread::sleep_for(10ms);
  std::istringstream lines{text_of_file(port_file)};
  std::vector<std::string> found;
  for (std::string number, address; lines >> number >> address;) found.push_back(address);
  return found;
}

std::uint16_t port_of(std::string const& address) {
  return static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

class Client {
 public:
  explicit Client(std::uint16_t port) : file_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)} {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(file_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  explicit Client(std::string const& tty) : file_{::open(tty.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC)} {
    connected_ = file_ >= 0;
  }
  ~Client() { ::close(file_); }
  Client(Client const&) = delete;
  bool connected() const { return connected_; }
  void say(plain::Raw const& bytes) {
    EXPECT_EQ(::send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0
                  ? ::write(file_, bytes.data(), bytes.size())
                  : std::ssize(bytes),
              std::ssize(bytes));
  }
  // The next packets until one has this ID.
  std::optional<plain::Raw> hear(int id, std::chrono::milliseconds patience = 3s) {
    auto const end = std::chrono::steady_clock::now() + patience;
    while (true) {
      for (; taken_ < stream_.payloads.size(); ++taken_) {
        if (stream_.payloads[taken_][0] == id) return stream_.payloads[taken_++];
      }
      auto const left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      pollfd wait{file_, POLLIN, 0};
      if (left <= 0ms || ::poll(&wait, 1, static_cast<int>(left.count())) <= 0) return {};
      plain::Raw chunk(4096);
      auto const n = ::read(file_, chunk.data(), chunk.size());
      if (n <= 0) return {};
      chunk.resize(static_cast<std::size_t>(n));
      stream_.feed(chunk);
    }
  }
  bool open_session() {
    for (int const id : {0, 1, 2}) {
      say(plain::order(id));
      if (!hear(id)) return false;
    }
    say(plain::order(1, 1));
    return hear(0x32).has_value();
  }

 private:
  int file_;
  bool connected_{};
  plain::Stream stream_;
  std::size_t taken_{};
};

TEST(Process, ServesOneTcpClientAtATime) {
  Folder folder;
  Process sim{{"--robot", "p3dx-sh@2,3,0:0", "--port-file", folder / "ports", "--trace", folder / "trace"},
              folder / "log"};
  auto const found = addresses(folder / "ports");
  ASSERT_THAT(found, SizeIs(1)) << sim.said();
  auto const port = port_of(found[0]);
  {
    Client client{port};
    ASSERT_TRUE(client.connected());
    ASSERT_TRUE(client.open_session()) << sim.said();
    Client second{port};
    EXPECT_FALSE(second.connected());
  }
  std::optional<plain::Raw> left_open;
  for (int i = 0; i < 100 && !left_open; ++i) {
    Client again{port};
    if (!again.connected()) {
      std::this_thread::sleep_for(10ms);
      continue;
    }
    left_open = again.hear(0x32, 1s);
  }
  EXPECT_TRUE(left_open) << "the session outlives its connection";
  EXPECT_EQ(sim.end(), 0) << sim.said();
  auto const trace = text_of_file(folder / "trace");
  EXPECT_THAT(trace, HasSubstr(R"("ev":"in","hex":"fafb03000000")"));
  EXPECT_THAT(trace, HasSubstr(R"("ev":"session","to":"open")"));
}

TEST(Process, LenientHangsUpAtClose) {
  Folder folder;
  Process sim{{"--robot", "p3dx@2,3,0:0", "--port-file", folder / "ports", "--lenient"}, folder / "log"};
  auto const found = addresses(folder / "ports");
  ASSERT_THAT(found, SizeIs(1)) << sim.said();
  Client client{port_of(found[0])};
  ASSERT_TRUE(client.open_session());
  client.say(plain::order(2));
  auto const begun = std::chrono::steady_clock::now();
  client.hear(0x7f, 5s);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 4s) << "the connection ends";
}

TEST(Process, ServesAPty) {
  Folder folder;
  Process sim{{"--robot", "p3dx@2,3,0:pty:" + (folder / "tty"), "--port-file", folder / "ports"},
              folder / "log"};
  auto const found = addresses(folder / "ports");
  ASSERT_THAT(found, SizeIs(1)) << sim.said();
  EXPECT_EQ(found[0], "serial:" + (folder / "tty"));
  {
    Client client{folder / "tty"};
    ASSERT_TRUE(client.connected());
    EXPECT_TRUE(client.open_session());
    client.say(plain::order(2));
  }
  Client next{folder / "tty"};
  EXPECT_TRUE(next.open_session());
  EXPECT_EQ(sim.end(SIGINT), 0);
  EXPECT_FALSE(fs::exists(fs::symlink_status(folder / "tty"))) << "the link is gone";
}

TEST(Process, TakesOrdersWhileItRuns) {
  Folder folder;
  Process sim{{"--robot", "p3dx-sh@2,3,0:0", "--port-file", folder / "ports", "--orders"}, folder / "log"};
  auto const found = addresses(folder / "ports");
  ASSERT_THAT(found, SizeIs(1)) << sim.said();
  Client client{port_of(found[0])};
  ASSERT_TRUE(client.open_session());
  sim.type("nonsense\n1:estop\n");
  int flags = 0;
  for (int i = 0; i < 20 && (flags & 0x20) == 0; ++i) {
    auto const payload = client.hear(0x32);
    ASSERT_TRUE(payload);
    flags = plain::sip(*payload)->flags;
  }
  EXPECT_EQ(flags & 0x20, 0x20);
  EXPECT_THAT(sim.said(), HasSubstr("no fault is called \"nonsense\""));
}

TEST(Process, DrawsWhatTheRobotSees) {
  Folder folder;
  Process sim{{"--robot", "p3dx-sh@2,3,0:0", "--camera", folder / "eye", "--fps", "20", "--mark"},
              folder / "log"};
  media::FramePortReader reader{folder / "eye"};
  Buffer picture;
  std::optional<Mark> first, last;
  auto const end = now() + 20s;
  while (now() < end && !(last && last->frame_number > first->frame_number)) {
    auto const info = reader.next(picture, 100ms, now());
    if (!info) std::this_thread::sleep_for(5ms);  // there may be no file yet
    if (!info) continue;
    auto const mark = read_mark(picture, info->format.width, info->format.height, info->format.width);
    ASSERT_TRUE(mark);
    EXPECT_EQ(mark->frame_number, info->number);
    EXPECT_LT(now() - info->captured, 5s);
    if (!first) first = mark;
    last = mark;
  }
  ASSERT_TRUE(first && last) << sim.said();
  EXPECT_GT(last->captured_us, first->captured_us);
  EXPECT_EQ(sim.end(), 0);
}

TEST(Process, SaysWhatIsWrongAndEndsWithOne) {
  Folder folder;
  auto const error_of = [&](std::vector<std::string> arguments) {
    Process sim{std::move(arguments), folder / "log"};
    EXPECT_EQ(sim.wait(), 1);
    return sim.said();
  };
  Process first{{"--robot", "p3dx-sh@2,3,0:0", "--port-file", folder / "ports"}, folder / "first"};
  auto const found = addresses(folder / "ports");
  ASSERT_THAT(found, SizeIs(1));
  auto const port = std::to_string(port_of(found[0]));
  EXPECT_THAT(error_of({"--robot", "p3dx-sh@2,3,0:" + port}), HasSubstr("port " + port));
  EXPECT_THAT(error_of({"--robot", "p3dx-sh"}), HasSubstr("the form is"));
  EXPECT_THAT(error_of({"--robot", "p3dx-sh@0,0,0:0"}), HasSubstr("cannot stand"));
  EXPECT_THAT(error_of({"--world", "/nowhere.toml"}), HasSubstr("/nowhere.toml"));
  EXPECT_THAT(error_of({"--fault", "sleepy"}), HasSubstr("stale_session"));
  EXPECT_THAT(error_of({"--robot", "p3dx:0", "--fault", "2:deaf"}), HasSubstr("robot 2"));
  EXPECT_THAT(error_of({"--size", "641x480"}), HasSubstr("even"));
  EXPECT_THAT(error_of({"--profle", "ideal"}), HasSubstr("profle"));
  EXPECT_THAT(error_of({"--bind", "localhost", "--robot", "p3dx:0"}), HasSubstr("numeric"));
}

TEST(Process, HelpsItself) {
  Folder folder;
  Process help{{"--help"}, folder / "log"};
  EXPECT_EQ(help.wait(), 0);
  EXPECT_THAT(help.said(),
              ::testing::AllOf(HasSubstr("--robot"), HasSubstr("stale_session"), HasSubstr("Example")));
}

}  // namespace
}  // namespace cy::sim
