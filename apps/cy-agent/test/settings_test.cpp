#include "settings.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace cy::agent {
namespace {

// What is wrong with a robot that has these lines; empty: nothing.
std::string wrong_with(std::string_view lines) {
  auto const path =
      std::filesystem::temp_directory_path() /
      (std::string("settings-") + testing::UnitTest::GetInstance()->current_test_info()->name());
  std::ofstream(path) << "[[robot]]\nname = \"ada\"\ndriver = \"null\"\n" << lines << "\n";
  auto const read = read_settings(path.string());
  std::filesystem::remove(path);
  return read ? std::string() : read.error().what;
}

TEST(Settings, APolicyThatCouldNotStartIsSaidAtTheStart) {
  struct Row {
    char const* policy;
    std::vector<std::string> says;  // nothing: it is good
  };
  for (auto const& row : std::vector<Row>{
           {R"({})", {}},
           {R"({do = "go_on"})", {}},
           {R"({do = "retrace", distance_m = 3, settings = {speed = 0.2}})", {}},
           {R"({do = "task", task = "wander", settings = {speed = 0.2}})", {}},
           {R"({do = "go on"})", {":4:", "do", "go_on"}},
           {R"({do = "retrace", settings = {speed = 9}})", {":4:", "settings", "speed"}},
           {R"({do = "retrace", settings = {colour = "red"}})", {":4:", "settings", "colour"}},
           {R"({do = "task", task = "wander", settings = {speed = "fast"}})", {":4:", "settings", "speed"}},
           {R"({do = "task", task = "dance"})", {":4:", "task", "dance", "wander"}},
           {R"({do = "task"})", {":4:", "task"}},
           {R"({task = "wander"})", {":4:", "task"}},
           {R"({do = "hold", settings = {speed = 0.2}})", {":4:", "settings"}},
       })
    for (auto const* key : {"on_lost", "on_gone"}) {
      auto const wrong = wrong_with(std::string(key) + " = " + row.policy);
      EXPECT_EQ(wrong.empty(), row.says.empty()) << row.policy << ": " << wrong;
      if (row.says.empty()) continue;
      EXPECT_NE(wrong.find(key), std::string::npos) << wrong;
      for (auto const& word : row.says) EXPECT_NE(wrong.find(word), std::string::npos) << wrong;
    }
}

}  // namespace
}  // namespace cy::agent
