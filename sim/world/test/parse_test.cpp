#include <cy/world/parse.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace cy::sim {
namespace {

using testing::HasSubstr;

std::string read(std::string const& path) {
  std::ifstream in(std::string(CY_SOURCE_DIR) + "/sim/world/" + path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Map, LinesAndPlacesInMetresAndRadians) {
  auto const map = parse_map(read("test/data/two_rooms.map"), "two_rooms.map");
  ASSERT_TRUE(map) << map.error().what;
  auto const& world = map->world;
  ASSERT_EQ(world.walls.size(), 6U);  // the line without length is dropped
  EXPECT_EQ(world.walls[5].b, (Vec2{1.0, -1.0005}));
  ASSERT_EQ(world.starts.size(), 2U);
  EXPECT_EQ(world.starts[0].name, "RobotHome");
  EXPECT_NEAR(world.starts[0].pose.yaw, pi / 2.0, 1e-12);
  EXPECT_NEAR(world.starts[1].pose.x, 0.0, 1e-12);  // the area's middle, turned by 90 degrees
  EXPECT_NEAR(world.starts[1].pose.y, 1.5, 1e-12);
  ASSERT_EQ(world.goals.size(), 2U);
  EXPECT_EQ(world.goals[0].name, "by the window");
  EXPECT_NEAR(world.goals[0].pose.yaw, pi, 1e-12);
  EXPECT_EQ(map->points, 2U);
  EXPECT_EQ(map->skipped, 2U);  // the unknown header and the teapot
}

TEST(Map, CarriageReturnsAndExtendedHeads) {
  auto const map = parse_map("2D-Map-Ex2\r\nLINES\r\n0 0 1000 0\r\n", "dos.map");
  ASSERT_TRUE(map) << map.error().what;
  EXPECT_EQ(map->world.walls.size(), 1U);
}

TEST(Map, FaultsNameTheLine) {
  auto const what = [](std::string_view text) { return parse_map(text, "m.map").error().what; };
  EXPECT_THAT(what(""), HasSubstr("m.map:1:"));
  EXPECT_THAT(what("3D-Map\n"), HasSubstr("must be '2D-Map'"));
  EXPECT_THAT(what("2D-Map\nLINES\n0 0 1 0\n0 0 1\n"), HasSubstr("m.map:4:"));
  EXPECT_THAT(what("2D-Map\nLINES\n0 0 1e99 1\n"), HasSubstr("m.map:3:"));
  EXPECT_THAT(what("2D-Map\nLINES\n0 0 1x 1\n"), HasSubstr("m.map:3:"));
  EXPECT_THAT(what("2D-Map\nCairn: Goal 1 2\n"), HasSubstr("m.map:2:"));
  EXPECT_THAT(what("2D-Map\nDATA\n5\n"), HasSubstr("m.map:3:"));
}

TEST(WorldToml, TheLaboratoryIsComplete) {
  auto const world = parse_world_toml(read("worlds/lab.toml"), "lab.toml");
  ASSERT_TRUE(world) << world.error().what;
  EXPECT_EQ(world->name, "lab");
  EXPECT_EQ(world->seed.value, 7U);
  EXPECT_EQ(world->walls.size(), 10U);
  EXPECT_EQ(world->cylinders.size(), 4U);
  EXPECT_EQ(world->boxes.size(), 3U);
  EXPECT_EQ(world->boxes[2].colour, (Colour{0x7f, 0x8f, 0xa6}));
  ASSERT_EQ(world->tags.size(), 2U);
  EXPECT_NEAR(world->tags[1].facing, -pi / 2.0, 1e-12);
  ASSERT_EQ(world->starts.size(), 3U);
  EXPECT_EQ(world->starts[0].name, "pioneer");
  EXPECT_EQ(world->goals.size(), 3U);
}

TEST(WorldToml, FaultsSayWhereAndWhatIsAllowed) {
  auto const what = [](std::string_view text) {
    auto const r = parse_world_toml(text, "w.toml");
    return r ? "accepted" : r.error().what;
  };
  EXPECT_THAT(what("seed = \n"), HasSubstr("w.toml:1: not TOML"));
  EXPECT_THAT(what("seed = -1\n"), HasSubstr("w.toml:1: seed: not allowed; give a whole number from 0"));
  EXPECT_THAT(what("\n[[box]]\ncentre_m=[0,0]\nlength_m=0\nwidth_m=1\nheight_m=1"),
              HasSubstr("w.toml:4: box.length_m: not allowed; give a number from 0.01 to 100"));
  EXPECT_THAT(what("[[box]]\nlength_m=1\nwidth_m=1\nheight_m=1"),
              HasSubstr("w.toml:1: box.centre_m: missing; give a point [x, y] in m"));
  EXPECT_THAT(what("[[cylinder]]\ncentre_m=[0,0]\nradius_m=1\nheight_m=1\ncolor=\"red\""),
              HasSubstr("w.toml:5: cylinder.color: unknown key; known here: centre_m, radius_m"));
  EXPECT_THAT(what("[[cylinder]]\ncentre_m=[0,0]\nradius_m=1\nheight_m=1\ncolour=\"pink\""),
              HasSubstr("\"turquoise\", or \"#rrggbb\""));
  EXPECT_THAT(what("[[wall]]\npoints_m=[[0,0],[1,nan]]"), HasSubstr("w.toml:2: wall.points_m"));
  EXPECT_THAT(what("[[wall]]\npoints_m=[[0,0]]"), HasSubstr("at least two points"));
  EXPECT_THAT(what("[[tag]]\nid=587\nsize_m=0.3\nposition_m=[0,0]\nheight_m=1\nfacing_deg=0"),
              HasSubstr("w.toml:2: tag.id"));
  EXPECT_THAT(what("wall = 3"), HasSubstr("[[wall]]"));
  EXPECT_THAT(what("[lighting]\nlevel = \"bright\""), HasSubstr("w.toml:2: lighting.level"));
}

TEST(World, TextIsRecognised) {
  EXPECT_EQ(parse_world("2D-Map\nLINES\n0 0 1 1\n", "a")->walls.size(), 1U);
  EXPECT_EQ(parse_world("[[wall]]\npoints_m=[[0,0],[1,0],[1,1]]\nclosed=true", "b")->walls.size(), 3U);
}

}  // namespace
}  // namespace cy::sim
