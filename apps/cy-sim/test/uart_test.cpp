#include "uart.hpp"

#include <gtest/gtest.h>

namespace cy::sim {
namespace {

constexpr unsigned rates[] = {9600, 19200, 38400, 57600, 115200};

TEST(Uart, OneRateHearsWhatIsSaid) {
  Buffer all(256);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i);
  for (auto const rate : rates) EXPECT_EQ(as_heard(all, rate, rate), all);
  // Two and a half percent apart is as good as the same: each bit is still met.
  EXPECT_EQ(as_heard(all, 40000, 41000), all);
}

TEST(Uart, AnotherRateHearsSomethingElse) {
  Buffer const sync0{0xfa, 0xfb, 3, 0, 0, 0};
  for (auto const sender : rates)
    for (auto const receiver : rates) {
      auto const heard = as_heard(sync0, sender, receiver);
      if (sender == receiver) continue;
      EXPECT_NE(heard, sync0) << sender << " " << receiver;
      EXPECT_FALSE(heard.empty()) << sender << " " << receiver;
    }
}

// By hand: at half the rate 0x00 is a start bit and three zeros, then the stop bit and the rest of
// the line as ones.
TEST(Uart, EachBitIsReadInItsMiddle) {
  EXPECT_EQ(as_heard(Buffer{0x00}, 19200, 9600), (Buffer{0xf8}));
  // At twice the rate nine low bits are eighteen: a zero without a stop bit, and no edge after it.
  EXPECT_EQ(as_heard(Buffer{0x00}, 9600, 19200), (Buffer{0x00}));
  EXPECT_EQ(as_heard(Buffer{0xff}, 9600, 19200), (Buffer{0xfe}));
}

TEST(Uart, WithoutARateNothingIsHeard) {
  EXPECT_TRUE(as_heard(Buffer{1, 2}, 0, 9600).empty());
  EXPECT_TRUE(as_heard(Buffer{1, 2}, 9600, 0).empty());
}

}  // namespace
}  // namespace cy::sim
