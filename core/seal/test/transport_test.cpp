#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "seal_fixture.hpp"
#include <set>

namespace cy::seal {
namespace {

constexpr std::uint64_t epoch_size = std::uint64_t{1} << epoch_bits;

class Transport : public testing::Test {
 protected:
  Sealer sealer{test_key<CipherKey>(1)};
  Opener opener{test_key<CipherKey>(1)};

  Buffer next(std::string_view text = "drive") { return sealed_datagram(sealer, text); }
  void expect_opens(Buffer const& datagram, std::string_view text = "drive") {
    auto const opened = open_datagram(opener, datagram);
    ASSERT_TRUE(opened) << name(opened.error());
    EXPECT_EQ(*opened, text);
  }
  void expect_refuses(Buffer const& datagram, SealFault why) {
    auto const opened = open_datagram(opener, datagram);
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error(), why) << name(opened.error());
  }
  // Seals and loses datagrams up to the sequence number.
  void lose_up_to(std::uint64_t sequence) {
    Buffer scratch(tag_size);
    while (sealer.next_sequence() < sequence) sealer.seal(scratch, 0, {});
  }
};

TEST_F(Transport, opens_what_was_sealed) {
  for (auto const* const text :
       {"", "a", "a longer one that fills more than one block of the cipher, surely so"}) {
    expect_opens(next(text), text);
  }
  EXPECT_EQ(opener.next_sequence(), 3U);
}

TEST_F(Transport, hides_the_plain_text) {
  auto const datagram = next("drive forward at once");
  EXPECT_EQ(std::string_view(text_of(datagram)).find("forward"), std::string_view::npos);
}

TEST_F(Transport, refuses_a_flipped_bit_anywhere_and_still_takes_the_right_one) {
  auto const datagram = next();
  for (std::size_t i = 0; i < datagram.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      auto changed = datagram;
      changed[i] = static_cast<std::uint8_t>(changed[i] ^ (1 << bit));
      auto const opened = open_datagram(opener, changed);
      ASSERT_FALSE(opened) << "byte " << i << " bit " << bit;
      // A high bit of the sequence number claims an epoch that is too far away.
      if (i < 4 || i >= head_size) {
        EXPECT_EQ(opened.error(), SealFault::bad_tag);
      }
    }
  }
  expect_opens(datagram);
}

TEST_F(Transport, refuses_a_datagram_cut_anywhere) {
  auto const datagram = next();
  for (std::size_t size = head_size; size < datagram.size(); ++size) {
    expect_refuses(Buffer(datagram.begin(), datagram.begin() + static_cast<std::ptrdiff_t>(size)),
                   size < head_size + tag_size ? SealFault::short_ : SealFault::bad_tag);
  }
  auto longer = datagram;
  longer.push_back(0);
  expect_refuses(longer, SealFault::bad_tag);
}

TEST_F(Transport, refuses_another_sessions_key) {
  Opener other(test_key<CipherKey>(2));
  EXPECT_EQ(open_datagram(other, next()).error(), SealFault::bad_tag);
}

TEST_F(Transport, refuses_duplicates_and_what_fell_behind_the_window) {
  auto const first = next();
  auto const second = next();
  expect_opens(first);
  expect_refuses(first, SealFault::replayed);
  lose_up_to(ReplayWindow::width + 1);
  expect_opens(next());  // the window now ends just above `second`
  expect_refuses(first, SealFault::too_old);
  expect_refuses(second, SealFault::too_old);
}

TEST_F(Transport, takes_the_oldest_number_of_the_window) {
  auto const first = next();
  lose_up_to(ReplayWindow::width - 1);
  expect_opens(next());
  expect_opens(first);
  expect_refuses(first, SealFault::replayed);
}

TEST_F(Transport, forged_numbers_do_not_move_the_window) {
  auto const datagram = next();
  auto forged = datagram;
  for (auto const low : {std::uint32_t{5000}, std::uint32_t{3} << epoch_bits, 0xffffffffU, 0x80000000U}) {
    store_le(forged.data() + 4, low);
    ASSERT_FALSE(open_datagram(opener, forged));
  }
  EXPECT_EQ(opener.next_sequence(), 0U);
  EXPECT_EQ(opener.epoch(), 0U);
  expect_opens(datagram);
}

TEST_F(Transport, changes_the_key_by_count_and_takes_stragglers_of_the_old_one) {
  lose_up_to(epoch_size - 2);
  auto const before_last = next();
  auto const last = next();
  auto const first_of_next = next();
  expect_opens(before_last);
  EXPECT_EQ(opener.epoch(), 0U);
  expect_opens(first_of_next);
  EXPECT_EQ(opener.epoch(), 1U);
  expect_opens(last);
  expect_refuses(last, SealFault::replayed);
  expect_refuses(first_of_next, SealFault::replayed);
  EXPECT_EQ(opener.next_sequence(), epoch_size + 1);
}

TEST_F(Transport, changes_the_key_by_time_and_takes_stragglers_of_the_old_one) {
  auto const a = next();
  auto const b = next();
  sealer.advance_epoch();
  EXPECT_EQ(sealer.epoch(), 1U);
  EXPECT_EQ(sealer.next_sequence(), epoch_size);
  auto const c = next();
  expect_opens(a);
  expect_opens(c);
  expect_opens(b);
  expect_refuses(a, SealFault::replayed);
  expect_refuses(b, SealFault::replayed);
}

TEST_F(Transport, the_next_epoch_has_another_key) {
  next();
  sealer.advance_epoch();
  auto datagram = next();
  auto const key = rekeyed(test_key<CipherKey>(1));
  auto const body = MutableBytes(datagram).subspan(head_size);
  auto const text = body.first(body.size() - tag_size);
  auto const head = Bytes(datagram).first(head_size);
  Buffer plain(text.size());
  EXPECT_FALSE(
      aead_decrypt(test_key<CipherKey>(1), epoch_size, head, text, text.data() + text.size(), plain.data()));
  EXPECT_TRUE(aead_decrypt(key, epoch_size, head, text, text.data() + text.size(), plain.data()));
  EXPECT_EQ(text_of(plain), "drive");
}

TEST_F(Transport, an_epoch_that_was_never_used_is_not_skipped) {
  sealer.advance_epoch();
  EXPECT_EQ(sealer.epoch(), 0U);
  next();
  for (int i = 0; i < 100; ++i) sealer.advance_epoch();
  EXPECT_EQ(sealer.epoch(), 1U);
}

TEST_F(Transport, forgets_the_old_key_once_the_new_epoch_is_a_window_old) {
  auto const in_time = next();
  auto const too_late = next();
  sealer.advance_epoch();
  lose_up_to(epoch_size + ReplayWindow::width - 1);
  expect_opens(next());
  expect_opens(in_time);
  expect_opens(next());
  expect_refuses(too_late, SealFault::too_old);
  expect_refuses(in_time, SealFault::too_old);
}

TEST_F(Transport, follows_a_bounded_number_of_lost_epochs) {
  auto const early = next();
  for (std::uint64_t i = 0; i < max_epoch_steps; ++i) {
    sealer.advance_epoch();
    next();
  }
  auto const reachable = next();
  sealer.advance_epoch();
  auto const too_far = next();
  expect_refuses(too_far, SealFault::wrong_epoch);
  expect_opens(reachable);
  EXPECT_EQ(opener.epoch(), max_epoch_steps);
  expect_opens(too_far);
  // Epoch 0 is neither the current one nor the last one now.
  expect_refuses(early, SealFault::too_old);
}

TEST_F(Transport, sequence_numbers_extend_beyond_32_bits) {
  // 4096 epochs fill the lower half.
  for (std::uint64_t i = 0; i < 4100; ++i) {
    expect_opens(next());
    sealer.advance_epoch();
  }
  EXPECT_EQ(opener.epoch(), 4099U);
  EXPECT_GT(opener.next_sequence(), std::uint64_t{1} << 32);
}

TEST(Sequence, extends_to_the_nearest) {
  constexpr std::uint64_t span = std::uint64_t{1} << 32;
  EXPECT_EQ(extend_sequence(0, 0), 0U);
  EXPECT_EQ(extend_sequence(0xffffffffU, 0), 0xffffffffU);  // nothing lies below zero
  EXPECT_EQ(extend_sequence(0xffffffffU, span), span - 1);
  EXPECT_EQ(extend_sequence(3, span - 1), span + 3);
  EXPECT_EQ(extend_sequence(7, 5 * span + 9), 5 * span + 7);
}

RC_GTEST_PROP(Sequence, extends_every_number_within_half_the_span, ()) {
  auto const expected = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 62);
  auto const distance = *rc::gen::inRange<std::int64_t>(-(1LL << 31) + 1, 1LL << 31);
  RC_PRE(distance >= 0 || expected >= static_cast<std::uint64_t>(-distance));
  auto const sequence = expected + static_cast<std::uint64_t>(distance);
  RC_ASSERT(extend_sequence(static_cast<std::uint32_t>(sequence), expected) == sequence);
}

TEST(Window, takes_every_number_once_round_and_round_the_ring) {
  ReplayWindow window;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    auto const sequence = i ^ 1;  // 1, 0, 3, 2, …: each pair the wrong way round
    ASSERT_EQ(window.check(sequence), ReplayWindow::Verdict::fresh) << sequence;
    window.accept(sequence);
    ASSERT_EQ(window.check(sequence), ReplayWindow::Verdict::replayed) << sequence;
  }
}

RC_GTEST_PROP(WindowProperty, agrees_with_a_set_of_numbers, ()) {
  ReplayWindow window;
  std::set<std::uint64_t> seen;
  auto front = *rc::gen::inRange<std::uint64_t>(0, 10000);
  auto const steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(-2500, 2500));
  for (auto const step : steps) {
    auto const sequence = step < 0 && front < static_cast<std::uint64_t>(-step)
                              ? 0
                              : front + static_cast<std::uint64_t>(static_cast<std::int64_t>(step));
    auto const too_old = !seen.empty() && *seen.rbegin() >= sequence + ReplayWindow::width;
    auto const expected = too_old                   ? ReplayWindow::Verdict::too_old
                          : seen.contains(sequence) ? ReplayWindow::Verdict::replayed
                                                    : ReplayWindow::Verdict::fresh;
    RC_ASSERT(window.check(sequence) == expected);
    if (expected == ReplayWindow::Verdict::fresh) {
      window.accept(sequence);
      seen.insert(sequence);
      RC_ASSERT(window.check(sequence) == ReplayWindow::Verdict::replayed);
    }
    front = std::max(front, sequence);
  }
}

RC_GTEST_PROP(TransportProperty, every_datagram_opens_once_in_any_order_across_epochs, ()) {
  Sealer sealer(test_key<CipherKey>(1));
  Opener opener(test_key<CipherKey>(1));
  auto const count = *rc::gen::inRange<std::size_t>(1, 60);
  auto const turn = *rc::gen::inRange<std::size_t>(0, 60);
  std::vector<Buffer> datagrams;
  for (std::size_t i = 0; i < count; ++i) {
    if (i == turn) sealer.advance_epoch();
    datagrams.push_back(
        sealed_datagram(sealer, *rc::gen::container<std::string>(rc::gen::character<char>())));
  }
  auto const seed = *rc::gen::arbitrary<std::uint64_t>();
  Random random{Seed{seed}};
  for (auto i = datagrams.size(); i > 1; --i) std::swap(datagrams[i - 1], datagrams[random.below(i)]);
  for (auto const& datagram : datagrams) {
    auto const opened = open_datagram(opener, datagram);
    RC_ASSERT(opened.has_value());
    RC_ASSERT(open_datagram(opener, datagram).error() == SealFault::replayed);
  }
  RC_ASSERT(opener.next_sequence() == sealer.next_sequence());
}

RC_GTEST_PROP(TransportProperty, noise_never_opens, ()) {
  Opener opener(test_key<CipherKey>(1));
  auto datagram = *rc::gen::container<Buffer>(rc::gen::arbitrary<std::uint8_t>());
  datagram.resize(datagram.size() + head_size);
  RC_ASSERT(!open_datagram(opener, datagram).has_value());
  RC_ASSERT(opener.next_sequence() == 0U);
}

}  // namespace
}  // namespace cy::seal
