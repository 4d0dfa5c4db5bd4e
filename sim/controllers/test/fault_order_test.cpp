// The texts of fault orders.
#include <cy/controllers/fault_order.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cy::sim {
namespace {

using ::testing::HasSubstr;

std::string error_of(std::string_view text) {
  auto const order = parse_fault_order(text);
  return order ? "accepted" : order.error().what;
}

TEST(FaultOrder, ReadsAWindow) {
  auto const order = parse_fault_order("silent@10s+1500ms");
  ASSERT_TRUE(order) << order.error().what;
  EXPECT_EQ(order->kind, FaultKind::silent);
  EXPECT_FALSE(order->holds(9999ms));
  EXPECT_TRUE(order->holds(10s));
  EXPECT_TRUE(order->holds(11499ms));
  EXPECT_FALSE(order->holds(11500ms));
}

TEST(FaultOrder, WithoutTimesHoldsForEver) {
  auto const order = parse_fault_order("deaf");
  ASSERT_TRUE(order);
  EXPECT_TRUE(order->holds(0s));
  EXPECT_TRUE(order->holds(1000h));
}

TEST(FaultOrder, ReadsValues) {
  auto const bad = parse_fault_order("badsum=12.5%@1min");
  ASSERT_TRUE(bad) << bad.error().what;
  EXPECT_DOUBLE_EQ(bad->chance, 0.125);
  EXPECT_EQ(bad->from, 60s);
  auto const late = parse_fault_order("late=250ms");
  ASSERT_TRUE(late);
  EXPECT_EQ(late->delay, 250ms);
}

TEST(FaultOrder, ReadsLists) {
  auto const orders = parse_fault_orders("stale_session,stray=2%,reset@3s");
  ASSERT_TRUE(orders) << orders.error().what;
  EXPECT_EQ(orders->size(), 3U);
  EXPECT_FALSE(parse_fault_orders("stale_session,,reset@3s"));
}

TEST(FaultOrder, ErrorsNameTheOrderAndWhatIsAllowed) {
  EXPECT_THAT(error_of("silnt@3s"), AllOf(HasSubstr("silnt"), HasSubstr("stale_session")));
  EXPECT_THAT(error_of("reset"), HasSubstr("the form is reset@T"));
  EXPECT_THAT(error_of("reset@1s+1s"), HasSubstr("the form is reset@T"));
  EXPECT_THAT(error_of("stale_session@1s"), HasSubstr("the form is stale_session"));
  EXPECT_THAT(error_of("badsum"), HasSubstr("badsum=P%"));
  EXPECT_THAT(error_of("deaf=3%"), HasSubstr("the form is deaf"));
  EXPECT_THAT(error_of("badsum=5"), HasSubstr("per cent"));
  EXPECT_THAT(error_of("badsum=101%"), HasSubstr("per cent"));
  EXPECT_THAT(error_of("silent@3"), HasSubstr("150ms"));
  EXPECT_THAT(error_of("late=-1s"), HasSubstr("no time"));
  EXPECT_THAT(error_of("late=nans"), HasSubstr("no time"));
  EXPECT_THAT(error_of("silent@1e99s"), HasSubstr("no time"));
  EXPECT_THAT(error_of(""), HasSubstr("there are silent"));
}

TEST(FaultOrder, HelpListsEveryName) {
  auto const help = fault_order_help();
  for (auto const* name : {"silent", "deaf", "badsum", "late", "stray", "reset", "stale_session", "estop",
                           "nomotors", "oldfw", "noconfig", "charger"}) {
    EXPECT_THAT(help, HasSubstr(name));
  }
}

}  // namespace
}  // namespace cy::sim
