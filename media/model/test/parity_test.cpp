// Parity: any `blocks` of a frame's data and parity blocks give it back.
#include <cy/base/random.hpp>
#include <cy/media/parity.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

namespace cy::media {
namespace {

Buffer frame_of(std::size_t bytes, std::uint32_t seed) {
  Buffer frame(bytes);
  for (std::size_t i = 0; i < bytes; ++i) frame[i] = static_cast<std::uint8_t>((i * 2654435761U + seed) >> 7);
  return frame;
}

// ISA-L's matrix, by the definition of GF(2^8) over x⁸+x⁴+x³+x²+1 and of Cauchy's.
std::uint8_t slow_multiply(unsigned a, unsigned b) {
  unsigned product = 0;
  for (; b; b >>= 1, a = a & 0x80 ? (a << 1) ^ 0x11d : a << 1)
    if (b & 1) product ^= a;
  return static_cast<std::uint8_t>(product);
}
std::uint8_t slow_inverse(std::uint8_t a) {
  for (unsigned b = 1; b < 256; ++b)
    if (slow_multiply(a, b) == 1) return static_cast<std::uint8_t>(b);
  return 0;
}

TEST(Parity, IsWhatItsDefinitionSays) {
  auto const frame = frame_of(1000, 3);
  std::size_t const blocks = 7, share = 143;
  auto const rows = parity_rows(frame, blocks, 0, 3);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t byte = 0; byte < share; ++byte) {
      std::uint8_t sum = 0;
      for (std::size_t i = 0; i < blocks; ++i) {
        auto const at = i * share + byte;
        auto const coefficient = slow_inverse(static_cast<std::uint8_t>((blocks + r) ^ i));
        sum ^= slow_multiply(coefficient, at < frame.size() ? frame[at] : 0);
      }
      ASSERT_EQ(rows[r][byte], sum) << r << " " << byte;
    }
}

TEST(Parity, RowsDoNotDependOnHowManyAreMade) {
  auto const frame = frame_of(5000, 1);
  auto const all = parity_rows(frame, 5, 0, 8);
  EXPECT_EQ(parity_rows(frame, 5, 6, 1).front(), all[6]);
  EXPECT_TRUE(parity_rows(frame, 5, 0, 0).empty());
}

RC_GTEST_PROP(ParityProperty, AnyEnoughGiveTheFrameBack, ()) {
  auto const bytes = *rc::gen::inRange<std::size_t>(1, 60'000);
  auto const block_bytes = *rc::gen::inRange<std::size_t>(1 + bytes / 200, 1200 + bytes / 200);
  auto const frame = frame_of(bytes, 7);
  auto const data = cut({StreamId{1}, 1, 0, true}, frame, block_bytes);
  auto const blocks = data.size();
  RC_PRE(blocks + 20 <= max_coded);
  auto const lost = *rc::gen::inRange<std::size_t>(0, std::min<std::size_t>(blocks, 20) + 1);
  auto const first = *rc::gen::inRange<std::size_t>(0, max_coded - blocks - lost + 1);

  std::vector<std::size_t> order(blocks);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Random random{Seed{*rc::gen::arbitrary<std::uint64_t>()}};
  for (std::size_t i = blocks; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  std::vector<bool> have(blocks, true);
  Buffer broken = frame;
  for (std::size_t i = 0; i < lost; ++i) {
    have[order[i]] = false;
    auto const place = *place_of(data[order[i]]);
    std::fill_n(broken.begin() + static_cast<std::ptrdiff_t>(place), data[order[i]].data.size(), 0xee);
  }
  std::vector<ParityRow> rows;
  auto made = parity_rows(frame, blocks, first, lost);
  for (std::size_t r = 0; r < lost; ++r) rows.push_back({first + r, std::move(made[r])});

  if (lost > 0) {
    auto const before = broken;
    RC_ASSERT(!restore(broken, have, std::span(rows).first(lost - 1)));
    RC_ASSERT(broken == before);
  }
  RC_ASSERT(restore(broken, have, rows));
  RC_ASSERT(broken == frame);
}

}  // namespace
}  // namespace cy::media
