#include <cy/base/random.hpp>
#include <cy/codec/arcos.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "second_arcos.hpp"
#include <algorithm>

namespace cy::arcos {
namespace {

Buffer payload_of(Buffer const& whole) {
  return {whole.begin() + 3, whole.end() - 2};
}
void append(Buffer& to, Buffer const& more) {
  to.insert(to.end(), more.begin(), more.end());
}

TEST(ArcosFramer, SeesAFrameInPieces) {
  Framer framer;
  auto const whole = encode(Order::enable, 1);
  for (std::size_t i = 0; i + 1 < whole.size(); ++i)
    EXPECT_TRUE(framer.feed(Bytes(whole).subspan(i, 1)).empty());
  EXPECT_EQ(framer.pending(), whole.size() - 1);
  auto const got = framer.feed(Bytes(whole).last(1));
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0], payload_of(whole));
  EXPECT_EQ(framer.pending(), 0u);
}

TEST(ArcosFramer, AStrayHeaderByteCostsNothing) {
  Framer framer;
  Buffer bytes{0xfa};
  append(bytes, encode(sync0));
  EXPECT_EQ(framer.feed(bytes).size(), 1u);
  EXPECT_EQ(framer.counts().stray, 1u);
}

TEST(ArcosFramer, RescansBehindTheHeaderOfABadFrame) {
  // A header that claims 20 bytes swallows two whole frames; both come out again.
  Framer framer;
  Buffer bytes{0xfa, 0xfb, 15, 0x32};
  append(bytes, encode(sync1));
  append(bytes, encode(Order::vel, 250));
  auto got = framer.feed(bytes);
  if (got.size() < 2) {
    for (auto& one : framer.feed(Buffer(20, 0))) got.push_back(std::move(one));
  }
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[0], payload_of(encode(sync1)));
  EXPECT_EQ(got[1], payload_of(encode(Order::vel, 250)));
  EXPECT_EQ(framer.counts().bad_checksum, 1u);
}

TEST(ArcosFramer, ShortLengthsAreRefused) {
  for (std::uint8_t n = 0; n < 3; ++n) {
    Framer framer;
    Buffer bytes{0xfa, 0xfb, n};
    append(bytes, encode(sync2));
    EXPECT_EQ(framer.feed(bytes).size(), 1u) << int{n};
    EXPECT_EQ(framer.counts().bad_length, 1u);
  }
}

TEST(ArcosFramer, AStalledBodyIsGivenUpWithoutItsNeighbours) {
  Framer framer;
  Buffer bytes{0xfa, 0xfb, 200, 0x32, 1, 2};
  append(bytes, encode(sync1));
  EXPECT_TRUE(framer.feed(bytes).empty());
  EXPECT_EQ(framer.pending(), bytes.size());
  EXPECT_EQ(framer.give_up().size(), 1u);
  EXPECT_EQ(framer.counts().stalled, 1u);
  EXPECT_EQ(framer.pending(), 0u);
  EXPECT_TRUE(framer.give_up().empty());
  EXPECT_EQ(framer.counts().stalled, 1u);
}

// Stray bytes between frames, however they look, cost no frame: what they swallow comes out when
// they fail their own checksum, or when they are given up.
RC_GTEST_PROP(ArcosFramer, StrayBytesCostNoFrame, ()) {
  Framer framer;
  std::vector<Buffer> sent, got;
  Buffer stream;
  auto const count = *rc::gen::inRange(1, 8);
  for (auto i = 0; i < count; ++i) {
    auto noise = *rc::gen::container<Buffer>(
        rc::gen::weightedOneOf<std::uint8_t>({{1, rc::gen::just<std::uint8_t>(0xfa)},
                                              {1, rc::gen::just<std::uint8_t>(0xfb)},
                                              {3, rc::gen::arbitrary<std::uint8_t>()}}));
    append(stream, noise);
    auto payload = *rc::gen::nonEmpty(rc::gen::arbitrary<Buffer>());
    payload.resize(std::min<std::size_t>(payload.size(), 40));
    append(stream, frame(payload));
    sent.push_back(payload);
  }
  auto left = Bytes(stream);
  while (!left.empty()) {
    auto const piece = std::min<std::size_t>(left.size(), *rc::gen::inRange<std::size_t>(1, 50));
    for (auto& one : framer.feed(left.first(piece))) got.push_back(std::move(one));
    left = left.subspan(piece);
  }
  while (framer.pending() > 0)
    for (auto& one : framer.give_up()) got.push_back(std::move(one));
  // Noise that happens to check out (1 in 65536) adds a frame and may eat what it covers.
  RC_PRE(std::all_of(got.begin(), got.end(), [&](Buffer const& one) {
    return std::find(sent.begin(), sent.end(), one) != sent.end();
  }));
  RC_ASSERT(got == sent);
}

RC_GTEST_PROP(ArcosFramer, ADamagedFrameCostsOnlyItself, ()) {
  Framer framer;
  std::vector<Buffer> sent;
  Buffer stream;
  auto const count = *rc::gen::inRange<std::size_t>(2, 8);
  auto const hit = *rc::gen::inRange<std::size_t>(0, count);
  for (std::size_t i = 0; i < count; ++i) {
    auto const whole = encode(Order::vel, *rc::gen::inRange(-2000, 2000));
    auto copy = whole;
    if (i == hit)
      copy[*rc::gen::inRange<std::size_t>(0, copy.size())] ^=
          static_cast<std::uint8_t>(*rc::gen::inRange(1, 256));
    append(stream, copy);
    if (i != hit) sent.push_back(payload_of(whole));
  }
  auto got = framer.feed(stream);
  while (framer.pending() > 0)
    for (auto& one : framer.give_up()) got.push_back(std::move(one));
  RC_ASSERT(got == sent);
}

TEST(ArcosCommand, ArgumentKinds) {
  auto const of = [](Buffer const& whole) { return *decode_command(payload_of(whole)); };
  EXPECT_EQ(of(encode(Order::rvel, -10)).value(), -10);
  EXPECT_EQ(second::said(payload_of(encode(Order::rvel, -10))).value, -10);
  EXPECT_EQ(of(encode(Order::vel, 70000)).magnitude, 65535);
  auto const say = of(encode(Order::say, bytes_of("ab")));
  EXPECT_EQ(text_of(say.text), "ab");
  EXPECT_EQ(second::said(payload_of(encode(Order::say, bytes_of("ab")))).text, "ab");
  EXPECT_EQ(of(encode(Order::message, Buffer(400, 'x'))).text.size(), text_max);
  // Player sends SETO as a number and a type with nothing behind it.
  Buffer const bare{7, 0x3b};
  EXPECT_EQ(decode_command(bare)->argument, ClientCommand::Argument::bare);
}

TEST(ArcosCommand, NegativeWheelsFromEitherSender) {
  for (auto const left : {-100, -1, 0, 20, 127}) {
    auto const high = static_cast<std::uint8_t>(left);
    auto const aria = *decode_command(payload_of(encode_pair(Order::vel2, high, 0xfe)));
    EXPECT_EQ(aria.pair().high, high);
    EXPECT_EQ(aria.pair().low, 0xfe);
    Buffer const raw{32, 0x3b, 0xfe, high};  // as Player sends it
    EXPECT_EQ(decode_command(raw)->pair().high, high);
    EXPECT_EQ(decode_command(raw)->pair().low, 0xfe);
  }
}

TEST(ArcosCommand, TwosComplementBehindAPositiveType) {
  Buffer const raw{11, 0x3b, 0x06, 0xff};
  EXPECT_EQ(decode_command(raw)->signed_value(), -250);
}

TEST(ArcosCommand, HalfAnArgumentIsMalformed) {
  EXPECT_EQ(decode_command(Buffer{}).error(), Malformed::empty);
  EXPECT_EQ(decode_command(Buffer{11, 0x3b, 1}).error(), Malformed::truncated);
  EXPECT_EQ(decode_command(Buffer{15, 0x2b, 5, 1}).error(), Malformed::truncated);
  EXPECT_EQ(decode_command(Buffer{11, 0x44, 1, 1}).error(), Malformed::bad_argument);
}

TEST(ArcosReport, SmallPacketsFromTheTables) {
  Buffer const encoder{0x90, 0xff, 0xff, 0xff, 0xff, 0x02, 0x01, 0, 0};
  EXPECT_EQ(decode_encoder(encoder)->left, -1);
  EXPECT_EQ(decode_encoder(encoder)->right, 258);
  EXPECT_EQ(payload_of(encode(Encoder{-1, 258})), encoder);

  Buffer const io{0xf0, 2, 0x0f, 0xf0, 1, 0x55, 2, 0xff, 0x03, 0x00, 0x02, 0x7b, 0x00};
  auto const read = *decode_io(io);
  EXPECT_EQ(read.inputs, (Buffer{0x0f, 0xf0}));
  EXPECT_EQ(read.outputs, (Buffer{0x55}));
  EXPECT_EQ(read.analog, (std::vector<std::uint16_t>{1023, 512}));
  EXPECT_EQ(read.battery, 123);
  EXPECT_EQ(payload_of(encode(read)), io);

  Buffer const gyro{0x98, 2, 0x00, 0x02, 30, 0x01, 0x02, 31};
  EXPECT_EQ(decode_gyro(gyro)->samples, (std::vector<Gyro::Sample>{{512, 30}, {513, 31}}));
  EXPECT_EQ(payload_of(encode(*decode_gyro(gyro))), gyro);

  Buffer const battery{0xfa, 2, 5, 1, 2, 3, 80, 79, 4, 5, 6, 70, 69};
  EXPECT_EQ(decode_battery(battery)->batteries.at(1), (Buffer{4, 5, 6, 70, 69}));
  EXPECT_EQ(payload_of(encode(*decode_battery(battery))), battery);

  Buffer const aux{0xb8, 0xfe, 0x30, 0x30, 0x30, 0xef};
  EXPECT_EQ(decode_aux(aux)->port, 2);
  EXPECT_EQ(decode_aux(aux)->bytes.size(), 5u);
  EXPECT_EQ(payload_of(encode(*decode_aux(aux))), aux);

  Buffer const gripper{0xe0, 1, Gripper::paddles_open | Gripper::lift_up, 7};
  EXPECT_EQ(decode_gripper(gripper)->state, 0x11);
  EXPECT_EQ(payload_of(encode(*decode_gripper(gripper))), gripper);

  Buffer const joystick{0xf8, 1, 0, 0, 2, 0xff, 3, 1, 0};
  EXPECT_EQ(decode_joystick(joystick)->y, 1023);
  EXPECT_EQ(payload_of(encode(*decode_joystick(joystick))), joystick);
}

TEST(ArcosReport, OtherPacketsAndHalvesAreNamed) {
  EXPECT_EQ(decode_sip(Buffer{0x90}).error(), Malformed::other_packet);
  EXPECT_EQ(decode_sip(Buffer{}).error(), Malformed::empty);
  EXPECT_EQ(decode_sip(Buffer{0x32, 1, 2, 3}).error(), Malformed::truncated);
  Sip sip;
  sip.sonars = {{0, 1000}, {1, 2000}};
  auto bytes = payload_of(encode(sip));
  bytes.pop_back();
  EXPECT_EQ(decode_sip(bytes).error(), Malformed::truncated);
  EXPECT_EQ(decode_io(Buffer{0xf0, 200}).error(), Malformed::truncated);
  EXPECT_EQ(decode_gyro(Buffer{0x98, 3, 0}).error(), Malformed::truncated);
  EXPECT_EQ(decode_battery(Buffer{0xfa, 9, 9}).error(), Malformed::truncated);
  EXPECT_EQ(decode_identity(Buffer{2, 'a', 0}).error(), Malformed::truncated);
}

TEST(ArcosReport, NamesThatAreTooLongAreCut) {
  Identity const identity{std::string(200, 'n'), std::string(200, 't'), std::string(200, 's')};
  auto const read = decode_identity(payload_of(encode(identity)));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sub_type.substr(0, 3), "sss");
}

TEST(ArcosReport, AFullSipStaysInsideAFrame) {
  Sip sip;
  for (auto i = 0; i < 300; ++i) sip.sonars.push_back({static_cast<std::uint8_t>(i), 5000});
  sip.grip_or_port = sip.port_or_grip = sip.analog = sip.digital_in = sip.digital_out = std::uint8_t{1};
  auto const read = decode_sip(payload_of(encode(sip)));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->digital_out, 1);
  EXPECT_GT(read->sonars.size(), 70u);
}

}  // namespace
}  // namespace cy::arcos
