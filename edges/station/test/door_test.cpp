#include <cy/station/door.hpp>
#include <cy/station/site.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace cy::station {
namespace {

TEST(Door, ListensOnLoopbackAndNothingElse) {
  for (auto const* good : {"127.0.0.1:0", "127.0.0.1", "localhost:8081", "localhost", "[::1]:8080"})
    EXPECT_TRUE(parse_listen(good)) << good;
  EXPECT_EQ(parse_listen("localhost:8081")->port, 8081);
  EXPECT_EQ(parse_listen("127.0.0.1")->port, 8080);
  for (auto const* bad : {"0.0.0.0:8080", "[::]:8080", "192.168.1.2:8080", "10.0.0.1", "[fe80::1]:80"}) {
    auto const refused = parse_listen(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_NE(refused.error().what.find("loopback only"), std::string::npos) << refused.error().what;
  }
  for (auto const* nonsense : {"", "robot:8080", "localhostile:1", "127.0.0.1:99999"})
    EXPECT_FALSE(parse_listen(nonsense)) << nonsense;
}

TEST(Door, KnowsItsOwnNamesWithTheirPortOnly) {
  Door const door(8080);
  for (auto const* good : {"127.0.0.1:8080", "localhost:8080", "LocalHost:8080", "[::1]:8080"}) {
    EXPECT_TRUE(door.host_allowed(good)) << good;
    EXPECT_TRUE(door.origin_allowed(std::string("http://") + good)) << good;
  }
  for (auto const* bad : {"", "localhost", "localhost:8081", "127.0.0.1", "evil.example:8080",
                          "127.0.0.1:8080.evil.example", "127.0.0.2:8080", "localhost:8080 "})
    EXPECT_FALSE(door.host_allowed(bad)) << bad;
  for (auto const* bad : {"", "null", "https://localhost:8080", "http://localhost", "http://localhost:8080/",
                          "http://evil.example"})
    EXPECT_FALSE(door.origin_allowed(bad)) << bad;
}

TEST(Site, KnowsWhatWasThereAndNothingElse) {
  auto const folder = std::filesystem::temp_directory_path() / "cy_station_site_test";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder / "page" / "deep");
  std::ofstream(folder / "secret.txt") << "secret";
  std::filesystem::create_symlink(folder / "secret.txt", folder / "page" / "link.txt");
  EXPECT_FALSE(Site::read((folder / "page").string()));
  EXPECT_FALSE(Site::read((folder / "nowhere").string()));
  std::ofstream(folder / "page" / "index.html") << "<!doctype html>";
  std::ofstream(folder / "page" / "deep" / "app.js") << "1";
  auto const site = Site::read((folder / "page").string());
  ASSERT_TRUE(site);
  EXPECT_EQ(site->find("/"), site->find("/index.html"));
  ASSERT_TRUE(site->find("/deep/app.js?v=1"));
  EXPECT_EQ(site->find("/deep/app.js")->type, "text/javascript; charset=utf-8");
  for (auto const* bad : {"", "index.html", "/../secret.txt", "/deep/../index.html", "/%2e%2e/secret.txt",
                          "//index.html", "/link.txt", "/deep", "/deep/", "http://localhost/index.html"})
    EXPECT_FALSE(site->find(bad)) << bad;
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace cy::station
