#include <cy/base/random.hpp>
#include <cy/record/black_box.hpp>

#include <gtest/gtest.h>

#include "mcap_reader.hpp"
#include <deque>

namespace cy::record {
namespace {

TEST(BlackBox, gives_a_complete_file_with_the_reason) {
  BlackBox box(1000, {.unix_offset = 50s});
  auto const serial = box.add_channel({"serial/in", ""});
  auto const events = box.add_channel({"events", "json", "Event", "jsonschema", "{}"});
  box.on_record(serial, bytes_of("\xfa\xfb"), Time{1s});
  box.on_record(events, bytes_of("{\"stop\":true}"), Time{2s});
  auto const read = read_mcap(box.snapshot(Time{3s}, "sonar silent"));
  EXPECT_EQ(read.wrong, "");
  EXPECT_TRUE(read.complete);
  ASSERT_EQ(read.messages.size(), 2U);
  EXPECT_EQ(read.messages[0], (McapMessage{"serial/in", 0, 51'000'000'000, "\xfa\xfb"}));
  EXPECT_EQ(read.messages[1], (McapMessage{"events", 0, 52'000'000'000, "{\"stop\":true}"}));
  auto const& facts = read.facts.at("black box");
  EXPECT_EQ(facts.at("reason"), "sonar silent");
  EXPECT_EQ(facts.at("time_ns"), "53000000000");
  EXPECT_EQ(facts.at("recorded"), "2");
}

TEST(BlackBox, is_a_valid_file_when_nothing_was_recorded) {
  BlackBox box(0);
  auto const channel = box.add_channel({"events", "json"});
  box.on_record(channel, bytes_of("x"), Time{1s});
  EXPECT_EQ(box.counters().too_big, 1U);
  auto const read = read_mcap(box.snapshot(Time{1s}, "none"));
  EXPECT_EQ(read.wrong, "");
  EXPECT_TRUE(read.complete);
  EXPECT_TRUE(read.messages.empty());
}

TEST(BlackBox, keeps_the_newest_and_shows_the_gap) {
  BlackBox box(100);  // four records of 20 + 5 bytes
  auto const channel = box.add_channel({"events", ""});
  for (int i = 0; i < 10; ++i) box.on_record(channel, bytes_of("event"), Time{i * 1s});
  EXPECT_EQ(box.held(), 4U);
  EXPECT_EQ(box.counters().overwritten, 6U);
  auto const read = read_mcap(box.snapshot(Time{10s}, "test"));
  ASSERT_EQ(read.messages.size(), 4U);
  EXPECT_EQ(read.messages.front().sequence, 6U);
  EXPECT_EQ(read.messages.back().sequence, 9U);
}

TEST(BlackBox, leaves_out_what_is_bigger_than_the_ring_and_keeps_the_rest) {
  BlackBox box(100);
  auto const channel = box.add_channel({"events", ""});
  box.on_record(channel, bytes_of("small"), Time{1s});
  box.on_record(channel, Buffer(81), Time{2s});
  EXPECT_EQ(box.counters().too_big, 1U);
  EXPECT_EQ(box.held(), 1U);
  box.on_record(channel, Buffer(80), Time{3s});  // fits exactly, alone
  EXPECT_EQ(box.held(), 1U);
  auto const read = read_mcap(box.snapshot(Time{4s}, "test"));
  ASSERT_EQ(read.messages.size(), 1U);
  EXPECT_EQ(read.messages[0].sequence, 2U);
  EXPECT_EQ(read.messages[0].bytes.size(), 80U);
}

TEST(BlackBox, agrees_with_a_queue_over_any_sizes) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Random random{Seed{seed}};
    auto const capacity = 200 + random.below(400);
    BlackBox box(capacity);
    auto const channel = box.add_channel({"a", ""});
    std::deque<std::string> expected;
    std::size_t used = 0;
    for (int i = 0; i < 300; ++i) {
      std::string const bytes(random.below(120), static_cast<char>('a' + i % 26));
      box.on_record(channel, bytes_of(bytes), Time{i * 1ms});
      expected.push_back(bytes);
      used += 20 + bytes.size();
      while (used > capacity) {
        used -= 20 + expected.front().size();
        expected.pop_front();
      }
      ASSERT_EQ(box.held(), expected.size());
    }
    auto const read = read_mcap(box.snapshot(Time{1s}, "test"));
    ASSERT_EQ(read.wrong, "");
    ASSERT_EQ(read.messages.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(read.messages[i].bytes, expected[i]);
  }
}

}  // namespace
}  // namespace cy::record
