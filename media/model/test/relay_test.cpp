#include <cy/base/random.hpp>
#include <cy/media/parity.hpp>
#include <cy/media/relay.hpp>

#include <gtest/gtest.h>

namespace cy::media {
namespace {

constexpr Time start{1s};
constexpr CameraId camera{1};
constexpr StreamId stream{7};

struct Rig {
  Rig() { announce(camera); }
  void announce(CameraId from) {
    StreamInfo info;
    info.stream = stream;
    info.capture = CaptureKind::test;
    info.running = true;
    say(from, wire::body_of(info));
  }
  void say(CameraId from, wire::Body const& message) {
    relay.on_camera_message(from, wire::view(message), now);
  }
  void frame(std::uint32_t number, bool key, std::size_t bytes, CameraId from = camera) {
    CodedFrame frame;
    frame.stream = stream;
    frame.number = number;
    frame.captured = (now - 5ms).time_since_epoch();
    frame.key = key;
    frame.data.assign(bytes, static_cast<std::uint8_t>(number));
    say(from, wire::body_of(frame));
  }
  // Runs until nothing is due within `span`; (viewer, frame, block) in order.
  void run(Duration span) {
    auto const until = now + span;
    for (;;) {
      relay.send(now, [this](ViewerId viewer, VideoBlock const& block) { sent.emplace_back(viewer, block); });
      auto const due = relay.deadline();
      if (!due || *due > until) break;
      now = std::max(*due, now);
    }
    now = until;
  }
  template <wire::Message M>
  std::vector<std::pair<CameraId, M>> orders() {
    std::vector<CameraOrder> all;
    relay.drain(all);
    std::vector<std::pair<CameraId, M>> found;
    for (auto const& order : all)
      if (auto const m = wire::as<M>(wire::view(order.message))) found.emplace_back(order.camera, *m);
    return found;
  }

  Relay relay;
  Time now = start;
  std::vector<std::pair<ViewerId, VideoBlock>> sent;
};

TEST(Relay, AStreamIsSaidOnceChanged) {
  Rig rig;
  EXPECT_TRUE(rig.relay.take_changed());
  EXPECT_FALSE(rig.relay.take_changed());
  ASSERT_EQ(rig.relay.streams().size(), 1u);
  EXPECT_TRUE(rig.relay.streams()[0].running);
}

TEST(Relay, TheFirstViewerStartsTheCameraAndTheLastOneRestsIt) {
  Rig rig;
  rig.relay.on_subscribe(ViewerId{1}, {stream, true});
  rig.relay.on_subscribe(ViewerId{2}, {stream, true});
  auto orders = rig.orders<Subscribe>();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_TRUE(orders[0].second.on);
  rig.relay.on_subscribe(ViewerId{1}, {stream, false});
  EXPECT_TRUE(rig.orders<Subscribe>().empty());
  rig.relay.on_viewer_gone(ViewerId{2});
  orders = rig.orders<Subscribe>();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_FALSE(orders[0].second.on);
}

TEST(Relay, AJoiningViewerGetsAKeyframe) {
  Rig rig;
  rig.relay.on_subscribe(ViewerId{1}, {stream, true});
  rig.run(1ms);
  EXPECT_EQ(rig.orders<KeyframeWanted>().size(), 1u);
}

TEST(Relay, EveryViewerGetsEveryBlockOfAFrame) {
  Rig rig;
  rig.relay.on_subscribe(ViewerId{1}, {stream, true});
  rig.relay.on_subscribe(ViewerId{2}, {stream, true});
  rig.frame(1, true, 5000);
  rig.run(33ms);
  ASSERT_EQ(rig.sent.size(), 10u);
  Buffer whole;
  for (auto const& [viewer, block] : rig.sent) {
    EXPECT_EQ(block.capture_us, stamp_us(start - 5ms));
    if (viewer == ViewerId{1}) whole.insert(whole.end(), block.data.begin(), block.data.end());
  }
  EXPECT_EQ(whole, Buffer(5000, 1));
}

TEST(Relay, NobodyWatchesNothingIsSent) {
  Rig rig;
  rig.frame(1, true, 5000);
  rig.run(33ms);
  EXPECT_TRUE(rig.sent.empty());
}

TEST(Relay, LostReferencesAreAnsweredWithinTheBudget) {
  Rig rig;
  rig.relay.on_subscribe(ViewerId{1}, {stream, true});
  rig.run(1ms);
  rig.frame(1, true, 500);
  rig.run(10s);
  rig.orders<KeyframeWanted>();
  auto count = std::size_t{0};
  KeyframeWanted wanted;
  wanted.stream = stream;
  for (auto i = 0; i < 100; ++i) {
    rig.relay.on_viewer_message(ViewerId{1}, wire::view(wire::body_of(wanted)), rig.now);
    rig.run(10ms);
    count += rig.orders<KeyframeWanted>().size();
  }
  EXPECT_GE(count, 1u);
  EXPECT_LE(count, 5u);  // the burst and one a second
}

TEST(Relay, ACameraThatComesBackIsToldOfItsViewers) {
  Rig rig;
  rig.relay.on_subscribe(ViewerId{1}, {stream, true});
  rig.run(1s);
  rig.orders<Subscribe>();
  rig.relay.on_camera_gone(camera);
  EXPECT_FALSE(rig.relay.streams()[0].running);
  EXPECT_FALSE(rig.relay.streams()[0].trouble.empty());
  rig.announce(CameraId{2});
  auto const orders = rig.orders<Subscribe>();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].first, CameraId{2});
  EXPECT_TRUE(orders[0].second.on);
}

TEST(Relay, AWishBeforeTheCameraIsKept) {
  Relay relay;
  relay.on_subscribe(ViewerId{1}, {stream, true});
  StreamInfo info;
  info.stream = stream;
  relay.on_camera_message(camera, wire::view(wire::body_of(info)), start);
  std::vector<CameraOrder> orders;
  relay.drain(orders);
  ASSERT_FALSE(orders.empty());
  EXPECT_EQ(orders[0].message.type, Subscribe::head.type);
}

TEST(Relay, AFrameNumberThatIsNotNewerIsDroppedAndCounted) {
  for (auto const second : {5u, 4u, 0x8000'0005u}) {
    Rig rig;
    rig.relay.on_subscribe(ViewerId{1}, {stream, true});
    rig.frame(5, true, 5000);
    rig.frame(second, false, 300);
    rig.frame(second, true, 300);
    rig.run(33ms);
    EXPECT_EQ(rig.sent.size(), 5u) << second;
    EXPECT_EQ(rig.relay.drops().old, 2u) << second;
    rig.frame(6, false, 300);
    rig.run(33ms);
    EXPECT_EQ(rig.sent.size(), 6u) << second;
  }
}

TEST(Relay, ANumberThatComesAroundTheCircleWhileItIsStillSentIsHarmless) {
  Rig rig;
  rig.relay.on_subscribe(ViewerId{1}, {stream, true});
  rig.frame(7, true, 100'000);
  rig.run(1ms);  // begun, and far from its end
  for (auto const number : {0x7fff'fff0u, 0xf000'0000u, 7u}) rig.frame(number, true, 300);
  rig.run(1s);
  EXPECT_EQ(rig.sent.size(), 92u);
  EXPECT_EQ(rig.relay.drops(), RelayDrops{});
}

TEST(Relay, OnlyTheCameraThatAnnouncedAStreamFillsIt) {
  Rig rig;
  rig.relay.on_subscribe(ViewerId{1}, {stream, true});
  rig.frame(1, true, 300, CameraId{9});
  rig.run(33ms);
  EXPECT_TRUE(rig.sent.empty());
  rig.relay.on_camera_gone(camera);
  rig.frame(2, true, 300);
  rig.run(33ms);
  EXPECT_TRUE(rig.sent.empty());
  EXPECT_EQ(rig.relay.drops().foreign, 2u);
  // The next camera's numbers are its own.
  rig.announce(CameraId{9});
  rig.frame(1, true, 300, CameraId{9});
  rig.run(33ms);
  EXPECT_EQ(rig.sent.size(), 1u);
}

TEST(Relay, WishesAndAnnouncementsFillNoMemory) {
  Rig rig;
  auto taken = 0;
  for (auto id = 0; id < 0x1'0000; ++id)
    taken += rig.relay.on_subscribe(ViewerId{1}, {StreamId{static_cast<std::uint16_t>(id)}, true}) ? 1 : 0;
  EXPECT_EQ(taken, 64);
  EXPECT_TRUE(rig.relay.on_subscribe(ViewerId{1}, {stream, true})) << "the same again costs nothing";
  EXPECT_TRUE(rig.relay.on_subscribe(ViewerId{2}, {stream, true})) << "another's are not his";
  EXPECT_EQ(rig.relay.streams().size(), 1u) << "a wish makes no stream";
  rig.relay.on_viewer_gone(ViewerId{1});
  EXPECT_TRUE(rig.relay.on_subscribe(ViewerId{1}, {StreamId{999}, true}));

  StreamInfo info;
  for (auto id = 100; id < 300; ++id) {
    info.stream = StreamId{static_cast<std::uint16_t>(id)};
    rig.say(CameraId{9}, wire::body_of(info));
  }
  EXPECT_EQ(rig.relay.streams().size(), 64u);
  EXPECT_EQ(rig.relay.drops().too_many, 137u);
}

TEST(Relay, WhoDoesNotWatchOrdersNothing) {
  Rig rig;
  QualityOrder order;
  order.stream = stream;
  order.bitrate = 50'000;
  KeyframeWanted wanted;
  wanted.stream = stream;
  EXPECT_FALSE(rig.relay.on_quality_order(ViewerId{1}, order));
  rig.relay.on_subscribe(ViewerId{2}, {stream, true});
  rig.frame(1, true, 300);
  rig.run(10s);
  rig.orders<KeyframeWanted>();
  EXPECT_FALSE(rig.relay.on_quality_order(ViewerId{1}, order));
  rig.relay.on_viewer_message(ViewerId{1}, wire::view(wire::body_of(wanted)), rig.now);
  EXPECT_TRUE(rig.orders<KeyframeWanted>().empty());
  EXPECT_TRUE(rig.relay.on_quality_order(ViewerId{2}, order));
  auto const orders = rig.orders<QualityOrder>();
  ASSERT_EQ(orders.size(), 1u);
  EXPECT_EQ(orders[0].first, camera);
  EXPECT_EQ(orders[0].second.bitrate, 50'000u);
  rig.relay.on_camera_gone(camera);
  EXPECT_FALSE(rig.relay.on_quality_order(ViewerId{2}, order));
}

TEST(Relay, AnyCameraBytesAreHarmless) {
  Rig rig;
  rig.relay.on_subscribe(ViewerId{1}, {stream, true});
  Random random{Seed{5}};
  for (auto i = 0; i < 2000; ++i) {
    Buffer bytes(random.below(64));
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random.next());
    // Half of them name the stream that is watched.
    if (bytes.size() >= 2 && i % 2 == 0) store_le(bytes.data(), stream.value);
    rig.relay.on_camera_message(camera, {CodedFrame::head.type, bytes}, rig.now);
    rig.relay.on_camera_message(camera, {StreamInfo::head.type, bytes}, rig.now);
    rig.relay.on_viewer_message(ViewerId{1}, {KeyframeWanted::head.type, bytes}, rig.now);
    rig.run(1ms);
  }
}

TEST(Relay, KnowsWhenAPictureWasTaken) {
  Rig rig;
  EXPECT_FALSE(rig.relay.captured_at(1, 1));
  for (std::uint32_t n = 1; n <= 300; ++n) {
    rig.now += 10ms;
    rig.frame(n, false, 100);
  }
  EXPECT_EQ(rig.relay.captured_at(1, 300), rig.now - 5ms);  // mounted on none: anybody's
  EXPECT_EQ(rig.relay.captured_at(1, 200), rig.now - 1005ms);
  EXPECT_FALSE(rig.relay.captured_at(1, 301));
  EXPECT_FALSE(rig.relay.captured_at(1, 1));  // long ago
  StreamInfo others;
  others.stream = StreamId{8};
  others.robot = 2;
  rig.say(camera, wire::body_of(others));
  CodedFrame frame;
  frame.stream = others.stream;
  frame.number = 1000;
  frame.captured = rig.now.time_since_epoch();
  frame.data.assign(10, 0);
  rig.say(camera, wire::body_of(frame));
  EXPECT_EQ(rig.relay.captured_at(2, 1000), rig.now);
  EXPECT_FALSE(rig.relay.captured_at(1, 1000));
  // Another camera counts anew.
  rig.announce(CameraId{2});
  EXPECT_FALSE(rig.relay.captured_at(1, 300));
}

ReceiverReport lossy(double loss) {
  ReceiverReport report;
  report.stream = stream;
  report.span = 10s;
  report.blocks_received = static_cast<std::uint32_t>(1000 * (1 - loss));
  report.blocks_lost = report.loss_bursts = static_cast<std::uint32_t>(1000 * loss);
  return report;
}

std::size_t parity_of(Rig const& rig, ViewerId viewer) {
  return static_cast<std::size_t>(std::count_if(rig.sent.begin(), rig.sent.end(), [&](auto const& s) {
    return s.first == viewer && s.second.block >= s.second.blocks;
  }));
}

TEST(Relay, ParityFollowsTheWorstLinkOfThoseWhoWatch) {
  Rig rig;
  rig.relay.on_subscribe(ViewerId{1}, {stream, true});
  rig.relay.on_subscribe(ViewerId{2}, {stream, true});
  auto const frame_to = [&](std::uint32_t number) {
    rig.sent.clear();
    rig.frame(number, number == 1, 6000);
    rig.run(30ms);
    return parity_of(rig, ViewerId{1});
  };
  EXPECT_EQ(frame_to(1), 0u);
  rig.relay.on_viewer_message(ViewerId{2}, wire::view(wire::body_of(lossy(0.02))), rig.now);
  auto const some = frame_to(2);
  EXPECT_GE(some, 1u);
  rig.relay.on_viewer_message(ViewerId{2}, wire::view(wire::body_of(lossy(0.10))), rig.now);
  auto const more = frame_to(3);
  EXPECT_GT(more, some);
  EXPECT_LE(more, 3u);  // half of its six blocks
  rig.relay.on_viewer_message(ViewerId{3}, wire::view(wire::body_of(lossy(0.5))), rig.now);  // does not watch
  EXPECT_EQ(frame_to(4), more);
  rig.relay.on_viewer_gone(ViewerId{2});
  EXPECT_EQ(frame_to(5), 0u);
}

TEST(Relay, WhatIsAskedForIsAnsweredOnceAndToWhoAsked) {
  Rig rig;
  rig.relay.on_subscribe(ViewerId{1}, {stream, true});
  rig.relay.on_subscribe(ViewerId{2}, {stream, true});
  rig.frame(1, true, 6000);
  rig.run(30ms);
  auto const ask = [&](std::uint32_t frame, std::uint16_t missing, std::uint8_t number) {
    rig.sent.clear();
    rig.relay.on_viewer_message(
        ViewerId{1}, wire::view(wire::body_of(BlocksWanted{stream, frame, missing, number})), rig.now);
    rig.run(0ms);
    EXPECT_EQ(parity_of(rig, ViewerId{2}), 0u);
    return parity_of(rig, ViewerId{1});
  };
  EXPECT_EQ(ask(1, 2, 1), 3u);  // and one to spare
  auto const first = rig.sent.front().second.block;
  EXPECT_EQ(ask(1, 2, 1), 0u);  // the ask's second copy
  EXPECT_EQ(ask(1, 1, 2), 2u);
  EXPECT_GT(rig.sent.front().second.block, first + 2);  // rows that nobody has had
  EXPECT_EQ(ask(9, 1, 1), 0u);                          // never sent
  std::size_t all = 0;
  for (std::uint8_t n = 3; n < 255; ++n) all += ask(1, 0xffff, n);
  EXPECT_LE(all + 5, 128u);  // an onlooker fills no link
  EXPECT_GT(all + 5, 120u);
  rig.frame(2, false, 6000);
  rig.run(30ms);
  EXPECT_EQ(ask(2, 6, 1), 3u);  // half of what was sent meanwhile
}

}  // namespace
}  // namespace cy::media
