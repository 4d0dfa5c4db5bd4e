#include <cy/media/messages.hpp>
#include <cy/wire/audit.hpp>

#include <gtest/gtest.h>

namespace cy::media {
namespace {

TEST(MediaMessages, AreSound) {
  EXPECT_EQ(wire::audit(MediaMessages{}, 0x1000, 0x1fff), std::vector<std::string>{});
}

}  // namespace
}  // namespace cy::media
