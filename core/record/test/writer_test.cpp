#include <cy/record/writer.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "crc32.hpp"
#include "mcap_reader.hpp"
#include <algorithm>

namespace cy::record {
namespace {

void append(Buffer& file, Buffer const& more) {
  file.insert(file.end(), more.begin(), more.end());
}

// Twenty poses and ten serial frames in chunks of about 200 bytes, with facts in front.
Buffer recording(Options options = {.chunk_size = 200}) {
  Writer writer(std::move(options));
  writer.on_facts("session", {{"robot", "p3dx"}, {"version", "1"}});
  auto const pose = writer.add_channel({"pose", "json", "Pose", "jsonschema", "{}"});
  auto const serial = writer.add_channel({"serial/in", ""});
  Buffer file;
  for (int i = 0; i < 20; ++i) {
    writer.on_record(pose, bytes_of(fmt::format("{{\"x\":{}}}", i)), Time{1s + i * 10ms});
    if (i % 2 == 0) writer.on_record(serial, bytes_of("\xfa\xfb\x03"), Time{1s + i * 10ms + 1ms});
    append(file, writer.take());
  }
  writer.finish();
  append(file, writer.take());
  return file;
}

TEST(Crc32, gives_the_known_answers) {
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xcbf43926U);
  EXPECT_EQ(crc32({}), 0U);
  EXPECT_EQ(crc32(bytes_of("The quick brown fox jumps over the lazy dog")), 0x414fa339U);
  EXPECT_EQ(crc32(bytes_of("fox jumps over the lazy dog"), crc32(bytes_of("The quick brown "))), 0x414fa339U);
}

TEST(Writer, writes_a_complete_file_that_obeys_every_rule) {
  auto const read = read_mcap(recording());
  EXPECT_EQ(read.wrong, "");
  EXPECT_TRUE(read.complete);
  EXPECT_EQ(read.library, "cylib");
  EXPECT_GT(read.chunk_ends.size(), 3U);
  EXPECT_EQ(read.facts.at("session").at("robot"), "p3dx");
  EXPECT_EQ(read.schema_of_topic.at("pose"), "Pose");
  EXPECT_FALSE(read.schema_of_topic.contains("serial/in"));
  ASSERT_EQ(read.messages.size(), 30U);
  EXPECT_EQ(read.messages[0], (McapMessage{"pose", 0, 1'000'000'000, "{\"x\":0}"}));
  EXPECT_EQ(read.messages[1], (McapMessage{"serial/in", 0, 1'001'000'000, "\xfa\xfb\x03"}));
  EXPECT_EQ(read.messages[29], (McapMessage{"pose", 19, 1'190'000'000, "{\"x\":19}"}));
}

TEST(Writer, an_empty_recording_is_a_valid_file) {
  Writer writer;
  writer.add_channel({"never used", "json"});
  writer.finish();
  auto const read = read_mcap(writer.take());
  EXPECT_EQ(read.wrong, "");
  EXPECT_TRUE(read.complete);
  EXPECT_TRUE(read.messages.empty());
}

TEST(Writer, a_file_cut_at_any_byte_gives_every_whole_chunk) {
  auto const file = recording();
  auto const whole = read_mcap(file);
  // How many messages each chunk's end stands for.
  std::vector<std::size_t> messages_at;
  for (auto const end : whole.chunk_ends)
    messages_at.push_back(read_mcap(Bytes(file).first(end)).messages.size());
  EXPECT_EQ(messages_at.back(), 30U);
  for (std::size_t size = 0; size < file.size(); ++size) {
    auto const read = read_mcap(Bytes(file).first(size));
    ASSERT_EQ(read.wrong, "") << "cut at " << size;
    ASSERT_FALSE(read.complete) << "cut at " << size;
    std::size_t expected = 0;
    for (std::size_t i = 0; i < whole.chunk_ends.size(); ++i) {
      if (whole.chunk_ends[i] <= size) expected = messages_at[i];
    }
    ASSERT_EQ(read.messages.size(), expected) << "cut at " << size;
    ASSERT_TRUE(std::equal(read.messages.begin(), read.messages.end(), whole.messages.begin()));
  }
}

TEST(Writer, the_reader_of_these_tests_sees_damage) {
  // Every byte after the header is under a CRC, an index or a length: none can change unseen.
  auto const file = recording();
  for (std::size_t i = 0; i < file.size(); ++i) {
    auto damaged = file;
    damaged[i] ^= 0x20;
    auto const read = read_mcap(damaged);
    EXPECT_TRUE(!read.complete || !read.wrong.empty()) << "byte " << i;
  }
}

TEST(Writer, closes_chunks_by_age) {
  Writer writer({.chunk_age = 500ms});
  auto const channel = writer.add_channel({"pose", "json"});
  writer.take();  // the header
  EXPECT_FALSE(writer.deadline());
  writer.on_record(channel, bytes_of("1"), Time{10s});
  writer.on_record(channel, bytes_of("2"), Time{10s + 400ms});
  EXPECT_EQ(writer.deadline(), Time{10s + 500ms});
  writer.on_time(Time{10s + 499ms});
  EXPECT_TRUE(writer.take().empty());
  writer.on_time(Time{10s + 500ms});
  EXPECT_FALSE(writer.take().empty());
  EXPECT_FALSE(writer.deadline());
}

TEST(Writer, times_may_go_back_and_be_moved_to_unix_time) {
  Writer writer({.unix_offset = 100s});
  auto const channel = writer.add_channel({"pose", "json"});
  writer.on_record(channel, bytes_of("late"), Time{2s});
  writer.on_record(channel, bytes_of("early"), Time{1s});
  writer.finish();
  auto const read = read_mcap(writer.take());
  EXPECT_EQ(read.wrong, "");
  EXPECT_EQ(read.messages[0].ns, 102'000'000'000U);
  EXPECT_EQ(read.messages[1].ns, 101'000'000'000U);
}

TEST(WriterDeathTest, unknown_channels_and_writing_after_the_end_are_broken_invariants) {
  Writer writer;
  EXPECT_DEATH(writer.on_record({1}, {}, Time{}), "");
  auto const channel = writer.add_channel({"pose", "json"});
  EXPECT_DEATH(writer.on_record({}, {}, Time{}), "");
  writer.finish();
  EXPECT_DEATH(writer.on_record(channel, {}, Time{}), "");
}

}  // namespace
}  // namespace cy::record
