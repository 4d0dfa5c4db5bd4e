// Cameras that say anything, viewers that come, go and wish, and clock jumps, against a relay with
// small limits. Each record is a kind, one byte for who and which stream, and what the kind needs:
// most are well-formed messages about living streams, some are bytes as they come.
#include <cy/base/check.hpp>
#include <cy/media/relay.hpp>

namespace {

using namespace cy;
using namespace cy::media;

struct Input {
  Bytes bytes;
  std::uint8_t next() {
    if (bytes.empty()) return 0;
    auto const b = bytes[0];
    bytes = bytes.subspan(1);
    return b;
  }
  Bytes take(std::size_t n) {
    auto const some = bytes.first(std::min(n, bytes.size()));
    bytes = bytes.subspan(some.size());
    return some;
  }
};

// Numbers near each other and near the quarters of the circle: what comes around meets what is queued.
std::uint32_t number_of(std::uint8_t b) {
  return (static_cast<std::uint32_t>(b >> 5) << 29) + (b & 31u);
}

RelayOptions small() {
  RelayOptions options;
  options.block_bytes = 256;
  options.most_streams = 3;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Input input{{data, std::min<std::size_t>(size, 1000)}};
  auto const options = small();
  Relay relay(options);
  Time now = Time{} + 1h;
  std::vector<CameraOrder> orders;

  while (!input.bytes.empty()) {
    auto const kind = input.next();
    auto const who = input.next();
    StreamId const stream{static_cast<std::uint16_t>(who & 7)};
    CameraId const camera{1u + (who >> 3 & 1u)};
    ViewerId const viewer{1u + (who >> 4 & 3u)};
    switch (kind % 10) {
      case 0: {
        StreamInfo info;
        info.stream = stream;
        relay.on_camera_message(camera, wire::view(wire::body_of(info)), now);
        break;
      }
      case 1:
      case 2:
      case 3: {
        CodedFrame frame;
        frame.stream = stream;
        frame.number = number_of(input.next());
        frame.captured = Duration{input.next() * 1'000'000'000LL};
        frame.key = kind % 10 == 1;
        frame.data.assign(input.next() * 40u, 7);
        relay.on_camera_message(camera, wire::view(wire::body_of(frame)), now);
        break;
      }
      case 4:
        CY_CHECK(relay.on_subscribe(viewer, {stream, false}));
        break;
      case 5:
        relay.on_subscribe(viewer, {stream, true});
        break;
      case 6:
        (who & 128) != 0 ? relay.on_camera_gone(camera) : relay.on_viewer_gone(viewer);
        break;
      case 7: {
        KeyframeWanted const wanted{stream, number_of(input.next()), (who & 128) != 0};
        relay.on_viewer_message(viewer, wire::view(wire::body_of(wanted)), now);
        break;
      }
      case 8: {
        auto const type = (who & 128) != 0 ? CodedFrame::head.type : StreamInfo::head.type;
        relay.on_camera_message(camera, {type, input.take(input.next() % 64u)}, now);
        break;
      }
      case 9:
        now += std::chrono::microseconds(100) * input.next();
        break;
    }
    std::uint16_t block = 0;
    auto const post = [&](ViewerId, VideoBlock const& b) {
      CY_CHECK(place_of(b).has_value());
      CY_CHECK(b.blocks > 0 && b.data.size() <= options.block_bytes);
      block = b.block;
    };
    if (kind >= 128) relay.send(now, post);
    CY_CHECK(block < max_blocks);
    CY_CHECK(relay.streams().size() <= options.most_streams);
    orders.clear();
    relay.drain(orders);
    for (auto const& order : orders) CY_CHECK(order.camera == CameraId{1} || order.camera == CameraId{2});
  }
  // Whatever was said, the queue runs empty and nothing stays due.
  for (auto turns = 0; relay.deadline(); ++turns) {
    CY_CHECK(turns < 10'000);
    now = std::max(now, *relay.deadline());
    relay.send(now, [](ViewerId, VideoBlock const&) {});
  }
  return 0;
}
