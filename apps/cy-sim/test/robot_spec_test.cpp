// The texts on cy-sim's command line.
#include "robot_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cy::sim {
namespace {

using ::testing::HasSubstr;

template <class T>
std::string error_of(Result<T> const& result) {
  return result ? "accepted" : result.error().what;
}

TEST(RobotSpec, PoseAndPort) {
  auto const spec = parse_robot_spec("p3dx-sh@1.5,-2,90:8101");
  ASSERT_TRUE(spec) << spec.error().what;
  EXPECT_EQ(spec->generation, Generation::sh2);
  ASSERT_TRUE(spec->pose);
  EXPECT_DOUBLE_EQ(spec->pose->x, 1.5);
  EXPECT_DOUBLE_EQ(spec->pose->y, -2.0);
  EXPECT_DOUBLE_EQ(spec->pose->yaw, radians(90));
  EXPECT_EQ(spec->port, 8101);
}

TEST(RobotSpec, AnyPortAndPty) {
  auto const any = parse_robot_spec("p3dx:0");
  ASSERT_TRUE(any);
  EXPECT_EQ(any->generation, Generation::h8);
  EXPECT_FALSE(any->pose);
  auto const pty = parse_robot_spec("p3dx@0,0,0:pty:/tmp/a:b");
  ASSERT_TRUE(pty);
  EXPECT_EQ(pty->pty, "/tmp/a:b");
}

TEST(RobotSpec, Errors) {
  EXPECT_THAT(error_of(parse_robot_spec("p3dx")), HasSubstr("the form is"));
  EXPECT_THAT(error_of(parse_robot_spec("p4dx:1")), HasSubstr("p3dx-sh"));
  EXPECT_THAT(error_of(parse_robot_spec("p3dx@1,2:1")), HasSubstr("no pose"));
  EXPECT_THAT(error_of(parse_robot_spec("p3dx@nan,2,0:1")), HasSubstr("no pose"));
  EXPECT_THAT(error_of(parse_robot_spec("p3dx:70000")), HasSubstr("no port"));
  EXPECT_THAT(error_of(parse_robot_spec("p3dx:pty:")), HasSubstr("path"));
}

TEST(FaultSpec, NamesItsRobot) {
  auto const all = parse_fault_spec("silent@1s");
  ASSERT_TRUE(all);
  EXPECT_EQ(all->robot, 0U);
  auto const second = parse_fault_spec("2:silent@1s,deaf");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->robot, 2U);
  EXPECT_EQ(second->orders.size(), 2U);
  EXPECT_THAT(error_of(parse_fault_spec("x:deaf")), HasSubstr("count from 1"));
  EXPECT_THAT(error_of(parse_fault_spec("1:blind")), HasSubstr("blind"));
}

TEST(CameraSpec, NamesItsRobot) {
  EXPECT_EQ(parse_camera_spec("/dev/shm/eye")->robot, 1U);
  EXPECT_EQ(parse_camera_spec("2=/dev/shm/eye")->robot, 2U);
  EXPECT_EQ(parse_camera_spec("2=/dev/shm/eye")->path, "/dev/shm/eye");
  EXPECT_EQ(parse_camera_spec("/tmp/a=b")->path, "/tmp/a=b");
  EXPECT_THAT(error_of(parse_camera_spec("2=")), HasSubstr("PATH"));
}

TEST(Walk, Corners) {
  EXPECT_EQ(parse_walk("1,2;3,4")->size(), 2U);
  EXPECT_THAT(error_of(parse_walk("1,2")), HasSubstr("two corners"));
  EXPECT_THAT(error_of(parse_walk("1,2;3")), HasSubstr("no corner"));
}

}  // namespace
}  // namespace cy::sim
