#include <cy/app/config.hpp>
#include <cy/app/keys.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace cy::app {
namespace {

TEST(Config, ReadsAndDefaults) {
  auto config =
      parse_config("[agent]\nname = \"lab\"\nlate_ms = 200\n[[robot]]\nname='a'\n[[robot]]\n", "x.toml");
  ASSERT_TRUE(config);
  auto agent = config->table("agent");
  EXPECT_EQ(agent.text("name"), "lab");
  EXPECT_EQ(agent.milliseconds("late_ms", 150ms, 1ms, 1s), 200ms);
  EXPECT_EQ(agent.milliseconds("lost_ms", 500ms, 1ms, 1s), 500ms);
  auto robots = config->root().tables("robot");
  ASSERT_EQ(robots.size(), 2u);
  EXPECT_EQ(robots[0].text("name"), "a");
  EXPECT_EQ(robots[1].text("name", "none"), "none");
  EXPECT_TRUE(config->finish());
}

TEST(Config, EveryFaultNamesFileLineKeyAndWhatIsAllowed) {
  auto config =
      parse_config("[agent]\nname = 3\nspeed = 9.0\nmode = \"fast\"\nnoise = 1\n[other]\n", "x.toml");
  ASSERT_TRUE(config);
  auto agent = config->table("agent");
  agent.text("name", "a");
  agent.number("speed", 1.0, 0.0, 2.0);
  agent.choice("mode", 0, {"slow", "safe"});
  auto const done = config->finish();
  ASSERT_FALSE(done);
  auto const& text = done.error().what;
  for (auto const* part :
       {"x.toml:2: agent.name: must be a text", "x.toml:3: agent.speed: must be a number from 0 to 2",
        "x.toml:4: agent.mode: must be one of: slow, safe",
        "x.toml:5: agent.noise: is not known here; allowed are: mode, name, speed",
        "x.toml:6: other: is not known here"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

TEST(Config, BrokenTomlNamesTheLine) {
  auto const config = parse_config("[agent]\nname = \n", "x.toml");
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().what.find("x.toml:2"), std::string::npos) << config.error().what;
}

// What makes the library assert, or worse, must be a fault in words here.
TEST(Config, NonsenseIsAFaultAndNoMore) {
  for (auto const* text : {"[[=1]]", "[=]", "a = \xc6\xa4", "= 1", "[a\n", "a.=1", "\x01"})
    EXPECT_FALSE(parse_config(text, "x.toml")) << text;
}

class Files : public testing::Test {
 protected:
  void SetUp() override {
    dir = std::filesystem::temp_directory_path() / ("cy_keys_" + std::to_string(::getpid()));
    std::filesystem::create_directories(dir);
  }
  void TearDown() override { std::filesystem::remove_all(dir); }
  std::filesystem::path dir;
};

TEST_F(Files, KeysAreWrittenOnceAndReadBack) {
  auto const path = (dir / "agent.key").string();
  auto const made = write_new_key(path, false);
  ASSERT_TRUE(made);
  EXPECT_FALSE(write_new_key(path, false));
  EXPECT_EQ(read_key(path)->public_key, made->public_key);
  EXPECT_EQ(*read_public_key(path + ".pub"), made->public_key);
  std::filesystem::permissions(path, std::filesystem::perms(0644));
  auto const open = read_key(path);
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().what.find("chmod 600"), std::string::npos);
}

TEST_F(Files, TrustFileFaultsNameTheLine) {
  auto const path = (dir / "trusted").string();
  EXPECT_TRUE(read_trust(path, {"operator"})->empty());
  auto const key = write_new_key((dir / "k").string(), false);
  ASSERT_TRUE(append_trust(path, {"operator", key->public_key, "the station"}));
  ASSERT_EQ(read_trust(path, {"operator"})->size(), 1u);
  EXPECT_EQ(read_trust(path, {"operator"})->front().name, "the station");
  std::ofstream(path, std::ios::app) << "# a remark\nking cy-public:x\n";
  auto const bad = read_trust(path, {"operator"});
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().what.find(":3: 'king' is no role; allowed are: operator"), std::string::npos);
}

TEST_F(Files, AnEntryIsALineOfItsOwn) {
  auto const path = (dir / "trusted").string();
  auto const first = write_new_key((dir / "a").string(), false);
  auto const second = write_new_key((dir / "b").string(), false);
  std::ofstream(path) << "operator " << seal::to_text(first->public_key) << " first";  // no line end
  std::filesystem::permissions(path, std::filesystem::perms(0640));
  ASSERT_TRUE(append_trust(path, {"operator", second->public_key, "second"}));
  auto const list = read_trust(path, {"operator"});
  ASSERT_TRUE(list);
  ASSERT_EQ(list->size(), 2u);
  EXPECT_EQ((*list)[0].name, "first");
  EXPECT_EQ((*list)[1].key, second->public_key);
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0640));
  for (auto const* name : {"x\noperator cy-public:AAAA y", "x\ry", "\x1b[2J"})
    EXPECT_FALSE(append_trust(path, {"operator", first->public_key, name})) << name;
  EXPECT_EQ(read_trust(path, {"operator"})->size(), 2u);
  // Nothing but the list and the keys is left behind.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir), {}), 5);
}

TEST_F(Files, ALinkToAListStaysALink) {
  auto const path = (dir / "trusted").string(), link = (dir / "link").string();
  std::ofstream(path).flush();
  std::filesystem::create_symlink(path, link);
  auto const key = write_new_key((dir / "a").string(), false);
  ASSERT_TRUE(append_trust(link, {"operator", key->public_key, "a"}));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_trust(path, {"operator"})->size(), 1u);
}

TEST_F(Files, AReplacedKeyWasNeverOpenToOthers) {
  auto const path = (dir / "agent.key").string();
  ASSERT_TRUE(write_new_key(path, false));
  std::filesystem::permissions(path, std::filesystem::perms(0644));
  std::ifstream opened_before(path);  // by somebody who may read the old one
  auto const made = write_new_key(path, true);
  ASSERT_TRUE(made);
  EXPECT_EQ(read_key(path)->public_key, made->public_key);
  std::string line;
  ASSERT_TRUE(std::getline(opened_before, line));
  EXPECT_NE(seal::make_key_pair(*seal::parse_secret_key(line)).public_key, made->public_key);
}

// What a driver or a task gets of its own settings is text, as it would be written here.
TEST(Config, PairsAreTextAsWritten) {
  auto file = parse_config("[own]\non = true\noff = false\nname = \"a b\"\nspeed = 0.25\ncount = 3\n", "own");
  ASSERT_TRUE(file);
  auto pairs = file->table("own").pairs();
  std::sort(pairs.begin(), pairs.end());
  EXPECT_EQ(pairs,
            (std::vector<std::pair<std::string, std::string>>{
                {"count", "3"}, {"name", "a b"}, {"off", "false"}, {"on", "true"}, {"speed", "0.25"}}));
}

}  // namespace
}  // namespace cy::app
