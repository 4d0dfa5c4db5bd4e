#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "seal_fixture.hpp"

namespace cy::seal {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Key, makes_the_public_key_of_rfc_7748) {
  // Section 5.2, the first round of the iterated vector: scalar 9 on the base point 9.
  Buffer scalar(32);
  scalar[0] = 9;
  EXPECT_EQ(copy_of(public_key_of(key_from(scalar)).bytes),
            from_hex("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"));
}

TEST(Key, survives_its_text_form) {
  auto const pair = make_key_pair(test_key(5));
  auto const secret = to_text(pair.secret_key);
  auto const open = to_text(pair.public_key);
  EXPECT_EQ(secret.size(), 10U + 44U);
  EXPECT_THAT(secret, testing::StartsWith("cy-secret:"));
  EXPECT_THAT(open, testing::StartsWith("cy-public:"));
  auto const parsed = parse_secret_key("  " + secret + "\r\n");
  ASSERT_TRUE(parsed);
  EXPECT_TRUE(std::ranges::equal(parsed->bytes(), pair.secret_key.bytes()));
  EXPECT_EQ(parse_public_key(open + "\n").value(), pair.public_key);
}

TEST(Key, names_what_is_wrong_and_never_repeats_a_secret) {
  auto const pair = make_key_pair(test_key(5));
  auto const secret = to_text(pair.secret_key);
  auto const mistaken = parse_public_key(secret);
  ASSERT_FALSE(mistaken);
  EXPECT_THAT(mistaken.error().what, HasSubstr("\"cy-public:\" belongs here"));
  EXPECT_THAT(mistaken.error().what, Not(HasSubstr(secret.substr(10))));
  EXPECT_THAT(parse_secret_key(to_text(pair.public_key)).error().what,
              HasSubstr("\"cy-secret:\" belongs here"));
  EXPECT_THAT(parse_secret_key("").error().what, HasSubstr("no key here"));
  EXPECT_THAT(parse_secret_key(" \n").error().what, HasSubstr("no key here"));
  EXPECT_THAT(parse_secret_key("hello").error().what, HasSubstr("not a key"));
  for (std::size_t size = 10; size < secret.size(); ++size) {
    EXPECT_THAT(parse_secret_key(secret.substr(0, size)).error().what, HasSubstr("damaged key")) << size;
  }
  EXPECT_FALSE(parse_secret_key(secret + "A"));
  EXPECT_FALSE(parse_secret_key(secret + " " + secret));
  auto odd = secret;
  odd[20] = '!';
  EXPECT_THAT(parse_secret_key(odd).error().what, HasSubstr("damaged key"));
}

TEST(Key, fingerprints_tell_keys_apart) {
  auto const a = make_key_pair(test_key(1)).public_key;
  auto b = a;
  b.bytes[31] ^= 1;
  EXPECT_EQ(fingerprint(a), fingerprint(a));
  EXPECT_NE(fingerprint(a), fingerprint(b));
  EXPECT_THAT(fingerprint(a), testing::MatchesRegex("[0-9a-f]{4}(-[0-9a-f]{4}){4}"));
}

TEST(Secret, is_wiped_where_it_was_moved_from) {
  auto secret = test_key(1);
  auto const copy = secret.clone();
  auto const moved = std::move(secret);
  EXPECT_TRUE(std::ranges::equal(moved.bytes(), copy.bytes()));
  // NOLINTNEXTLINE(bugprone-use-after-move): that it is empty is what is tested.
  for (auto const byte : secret.bytes()) EXPECT_EQ(byte, 0);
}

TEST(Secret, is_wiped_at_its_end) {
  alignas(SecretKey) std::uint8_t memory[sizeof(SecretKey)];
  auto* const secret = new (memory) SecretKey(test_key(1));
  EXPECT_NE(memory[0] | memory[1] | memory[2], 0);
  secret->~SecretKey();
  for (auto const byte : memory) EXPECT_EQ(byte, 0);
}

}  // namespace
}  // namespace cy::seal
