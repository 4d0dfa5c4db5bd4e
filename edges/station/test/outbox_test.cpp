#include <cy/station/outbox.hpp>

#include <gtest/gtest.h>

namespace cy::station {
namespace {

std::shared_ptr<Passing const> picture(std::uint32_t number, bool key, Time came, std::size_t size = 10) {
  auto passing = std::make_shared<Passing>();
  passing->head.stream = media::StreamId{3};
  passing->head.number = number;
  passing->head.key = key;
  passing->head.age_us = 1000;
  passing->head.codec_string = "avc1.42C01F";
  passing->data = std::make_shared<Buffer const>(size, std::uint8_t{7});
  passing->came = came;
  return passing;
}

Buffer joined(std::vector<Shared> const& pieces) {
  Buffer all;
  for (auto const& piece : pieces) all.insert(all.end(), piece->begin(), piece->end());
  return all;
}

std::vector<media::Picture> pictures(Bytes bytes) {
  std::vector<media::Picture> all;
  wire::Walk walk(bytes);
  while (auto const raw = walk.next())
    if (auto m = wire::as<media::Picture>(*raw)) all.push_back(*m);
  EXPECT_FALSE(walk.fault());
  return all;
}

// The head is written apart from the data; together they must be what the codec writes.
TEST(Outbox, APictureInTwoPiecesIsTheCodecsOwn) {
  for (std::size_t const size : {0U, 1U, 90U, 100U, 127U, 128U, 16'300U, 16'384U, 40'000U}) {
    Outbox outbox;
    auto const p = picture(5, true, Time{1s}, size);
    ASSERT_EQ(outbox.picture(p), Outbox::Fate::queued);
    auto whole = p->head;
    whole.age_us += 2500;
    whole.data = *p->data;
    EXPECT_EQ(joined(outbox.take(Time{1s} + 2500us)), wire::encoded(whole)) << size;
    EXPECT_TRUE(outbox.empty());
  }
}

TEST(Outbox, WaitsForAKeyFrameThenKeepsTheChainWhole) {
  Outbox outbox({.most_answers = 8, .most_pictures = 2, .batch = 1 << 20});
  Time const t{};
  EXPECT_EQ(outbox.picture(picture(1, false, t)), Outbox::Fate::waits_for_key);
  EXPECT_EQ(outbox.picture(picture(2, true, t)), Outbox::Fate::queued);
  EXPECT_EQ(outbox.picture(picture(3, false, t)), Outbox::Fate::queued);
  EXPECT_EQ(outbox.picture(picture(4, false, t)), Outbox::Fate::dropped);
  EXPECT_EQ(outbox.picture(picture(5, false, t)), Outbox::Fate::waits_for_key);
  EXPECT_TRUE(outbox.empty());
  EXPECT_EQ(outbox.picture(picture(6, true, t)), Outbox::Fate::queued);
  EXPECT_EQ(outbox.picture(picture(7, true, t)), Outbox::Fate::queued);
  auto const sent = pictures(joined(outbox.take(t)));
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].number, 7U);
  EXPECT_EQ(outbox.dropped(), 6U);
}

// A state never overtakes what was told before it, even when it replaces one that waited longer.
TEST(Outbox, AnswersFirstAndInOrderStatesOnceEachInTheOrderTold) {
  Outbox outbox;
  auto const bytes = [](std::uint8_t b) { return std::make_shared<Buffer const>(Buffer{b}); };
  outbox.state(1, 1, bytes(10));
  outbox.answer(bytes(1));
  outbox.state(1, 2, bytes(20));
  outbox.state(1, 1, bytes(11));
  outbox.answer(bytes(2));
  EXPECT_EQ(joined(outbox.take({})), (Buffer{1, 2, 20, 11}));
}

TEST(Outbox, ABatchIsBounded) {
  Outbox outbox({.most_answers = 2, .most_pictures = 3, .batch = 100});
  for (auto i = 0; i < 3; ++i) outbox.answer(std::make_shared<Buffer const>(60));
  EXPECT_TRUE(outbox.overfull());
  EXPECT_EQ(outbox.take({}).size(), 2U);
  EXPECT_EQ(outbox.take({}).size(), 1U);
  EXPECT_TRUE(outbox.empty());
}

}  // namespace
}  // namespace cy::station
