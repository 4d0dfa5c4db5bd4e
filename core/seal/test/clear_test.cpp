#include <cy/seal/clear.hpp>
#include <cy/seal/crc32c.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "seal_fixture.hpp"

namespace cy::seal {
namespace {

TEST(Crc32c, gives_the_known_answers) {
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283U);
  EXPECT_EQ(crc32c({}), 0U);
  // RFC 3720, appendix B.4.
  Buffer bytes(32, 0x00);
  EXPECT_EQ(crc32c(bytes), 0x8a9136aaU);
  bytes.assign(32, 0xff);
  EXPECT_EQ(crc32c(bytes), 0x62a8ab43U);
  for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(crc32c(bytes), 0x46dd794eU);
  for (std::size_t i = 0; i < 32; ++i) bytes[i] = static_cast<std::uint8_t>(31 - i);
  EXPECT_EQ(crc32c(bytes), 0x113fdb5cU);
  EXPECT_EQ(crc32c_portable(bytes), 0x113fdb5cU);
}

RC_GTEST_PROP(Crc32cProperty, is_the_same_by_instruction_by_table_and_in_pieces, ()) {
  auto const bytes = *rc::gen::container<Buffer>(rc::gen::arbitrary<std::uint8_t>());
  auto const cut = *rc::gen::inRange<std::size_t>(0, bytes.size() + 1);
  auto const whole = Bytes(bytes);
  RC_ASSERT(crc32c(whole) == crc32c_portable(whole));
  RC_ASSERT(crc32c(whole) == crc32c(whole.subspan(cut), crc32c(whole.first(cut))));
  RC_ASSERT(crc32c(whole) == crc32c_portable(whole.subspan(cut), crc32c_portable(whole.first(cut))));
}

TEST(Clear, opens_once_and_refuses_changes) {
  ClearSealer sealer;
  ClearOpener opener;
  Buffer const head{1, 2, 3, 4, 0, 0, 0, 0};
  Buffer datagram = copy_of(bytes_of("drive"));
  datagram.resize(5 + check_size);
  EXPECT_EQ(sealer.seal(datagram, 5, head), datagram.size());
  EXPECT_EQ(sealer.next_sequence(), 1U);
  for (std::size_t i = 0; i < datagram.size(); ++i) {
    auto changed = datagram;
    changed[i] ^= 4;
    EXPECT_EQ(opener.open(changed, head, 0).error(), SealFault::bad_tag);
    EXPECT_FALSE(opener.open(MutableBytes(changed).first(i), head, 0));
  }
  auto other_head = head;
  other_head[0] ^= 1;
  EXPECT_EQ(opener.open(datagram, other_head, 0).error(), SealFault::bad_tag);
  EXPECT_EQ(opener.open(MutableBytes(datagram).first(3), head, 0).error(), SealFault::short_);
  auto const opened = opener.open(datagram, head, 0);
  ASSERT_TRUE(opened);
  EXPECT_EQ(text_of(opened->plain()), "drive");
  EXPECT_EQ(opener.open(datagram, head, 0).error(), SealFault::replayed);
  ASSERT_TRUE(opener.open(datagram, head, 5000));
  EXPECT_EQ(opener.open(datagram, head, 0).error(), SealFault::too_old);
}

}  // namespace
}  // namespace cy::seal
