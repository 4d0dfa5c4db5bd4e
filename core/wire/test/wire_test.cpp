#include <cy/wire/codec.hpp>
#include <cy/wire/print.hpp>
#include <cy/wire/sample.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cy::wire {
namespace {

enum class Colour : std::uint8_t { red, green };
constexpr auto names(Colour) {
  return std::array<std::string_view, 2>{"red", "green"};
}

struct Inner {
  std::uint16_t a{};
  std::string text;
  friend bool operator==(Inner const&, Inner const&) = default;
  static constexpr auto fields() { return std::tuple{field("a", &Inner::a), field("text", &Inner::text)}; }
};

// Yesterday's Inner, before `text` was appended.
struct OldInner {
  std::uint16_t a{};
  static constexpr auto fields() { return std::tuple{field("a", &OldInner::a)}; }
};

struct All {
  static constexpr Head head{0xc001, Family::status, "all"};
  bool flag{};
  std::int32_t number{};
  double real{};
  Colour colour{};
  Id<struct SomeTag> id;
  Duration span{};
  std::string text;
  Buffer blob;
  std::vector<Inner> list;
  std::optional<float> maybe;
  std::array<std::uint8_t, 3> three{};
  Inner inner;
  Body body;
  Twist twist;
  friend bool operator==(All const&, All const&) = default;
  static constexpr auto fields() {
    return std::tuple{
        field("flag", &All::flag),     field("number", &All::number), field("real", &All::real, "m"),
        field("colour", &All::colour), field("id", &All::id),         field("span", &All::span),
        field("text", &All::text),     field("blob", &All::blob),     field("list", &All::list),
        field("maybe", &All::maybe),   field("three", &All::three),   field("inner", &All::inner),
        field("body", &All::body),     field("twist", &All::twist)};
  }
};

template <class Part>
struct Holder {
  static constexpr Head head{0xc002, Family::status, "holder"};
  Part part;
  std::uint8_t after{7};
  static constexpr auto fields() {
    return std::tuple{field("part", &Holder::part), field("after", &Holder::after)};
  }
};

Bytes payload_of(Bytes message) {
  Walk walk(message);
  return walk.next()->payload;
}

RC_GTEST_PROP(Wire, RoundTrip, (std::uint64_t seed)) {
  Random random{Seed{seed}};
  auto const m = sample<All>(random);
  auto const bytes = encoded(m);
  RC_ASSERT(bytes.size() == size_of(m));
  auto const again = decode<All>(payload_of(bytes));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == m);
}

// Cut anywhere, a message is an older one, or malformed: never a crash, never half a field.
RC_GTEST_PROP(Wire, CutAnywhere, (std::uint64_t seed)) {
  Random random{Seed{seed}};
  auto const bytes = encoded(sample<All>(random));
  auto const payload = payload_of(bytes);
  for (std::size_t cut = 0; cut < payload.size(); ++cut) {
    auto const m = decode<All>(payload.first(cut));
    if (m) RC_ASSERT(size_of_fields(*m) >= cut);
  }
}

RC_GTEST_PROP(Wire, AnyBytesAreBounded, (std::vector<std::uint8_t> const& bytes)) {
  if (auto const m = decode<All>(bytes)) RC_ASSERT(size_of_fields(*m) < bytes.size() * 64 + 512);
  Walk walk(bytes);
  auto count = std::size_t{0};
  while (walk.next()) ++count;
  RC_ASSERT(count <= bytes.size());
}

TEST(Wire, AnOlderReaderSkipsWhatItDoesNotKnow) {
  auto const bytes = encoded(Holder<Inner>{{3, "new"}, 9});
  auto const old = decode<Holder<OldInner>>(payload_of(bytes));
  ASSERT_TRUE(old);
  EXPECT_EQ(old->part.a, 3);
  EXPECT_EQ(old->after, 9);
}

TEST(Wire, AnOlderWriterLeavesDefaults) {
  auto const bytes = encoded(Holder<OldInner>{{3}, 9});
  auto const now = decode<Holder<Inner>>(payload_of(bytes));
  ASSERT_TRUE(now);
  EXPECT_EQ(now->part, (Inner{3, ""}));
  EXPECT_EQ(now->after, 9);
}

TEST(Wire, UnknownMessagesAreSkippedWhole) {
  auto bytes = encoded(Holder<Inner>{});
  auto const known = encoded(All{});
  bytes.insert(bytes.end(), known.begin(), known.end());
  Walk walk(bytes);
  EXPECT_FALSE(as<All>(*walk.next()));
  EXPECT_TRUE(as<All>(*walk.next()));
  EXPECT_FALSE(walk.next());
  EXPECT_FALSE(walk.fault());
}

TEST(Wire, GoldenBytes) {
  auto const m = Holder<Inner>{{0x0102, "ab"}, 9};
  EXPECT_EQ(encoded(m), (Buffer{0x02, 0xc0, 7, 5, 0x02, 0x01, 2, 'a', 'b', 9}));
}

TEST(Wire, FaultsAreNamed) {
  EXPECT_EQ(decode<All>(Buffer{2}).error(), Malformed::bad_flag);
  EXPECT_EQ(decode<All>(Buffer{1, 0, 0}).error(), Malformed::truncated);
  struct List {
    std::vector<std::uint32_t> items;
    static constexpr auto fields() { return std::tuple{field("items", &List::items)}; }
  };
  EXPECT_EQ(decode<List>(Buffer{0xff, 0xff, 0x03}).error(), Malformed::bad_count);
  EXPECT_EQ(decode<List>(Buffer{0xff, 0xff, 0xff, 0xff, 0x01}).error(), Malformed::bad_varint);
}

TEST(Wire, DoesNotWriteWhereItDoesNotFit) {
  auto const m = Holder<Inner>{{1, "abc"}, 2};
  Buffer out(size_of(m) - 1, 0xee);
  EXPECT_EQ(encode(m, out), 0u);
  EXPECT_EQ(out, Buffer(out.size(), 0xee));
}

TEST(Wire, Prints) {
  EXPECT_EQ(print(Holder<Inner>{{1, "x"}, 2}), "holder{part: {a: 1, text: \"x\"}, after: 2}");
  EXPECT_NE(print(All{}).find("colour: red"), std::string::npos);
}

}  // namespace
}  // namespace cy::wire
