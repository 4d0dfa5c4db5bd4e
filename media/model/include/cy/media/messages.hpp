// What cameras, agent, station and page say to each other about pictures.
//
//   camera ──CodedFrame──► agent ──VideoBlock…──► station (Pool) ──Picture──► page
//     ▲ KeyframeWanted, QualityOrder, Subscribe ◄───────────┘   ReceiverReport, StreamInfo beside them
//
// A stream is one camera's coded pictures. Streams get their ids from the agent's configuration;
// frame numbers count up by one and wrap; a camera that was started again goes on with higher ones.
#pragma once

#include <cy/wire/codec.hpp>

namespace cy::media {

using StreamId = Id<struct StreamTag, std::uint16_t>;

// Where a camera's pictures come from.
enum class CaptureKind : std::uint8_t { unknown, device, file, test, world };
constexpr auto names(CaptureKind) {
  return std::array<std::string_view, 5>{"unknown", "device", "file", "test", "world"};
}

// A stream as it is now: the camera's first words, and sent again on every change.
struct StreamInfo {
  static constexpr wire::Head head{0x1001, wire::Family::report, "stream_info"};
  StreamId stream;
  std::string name;          // for people: "front"
  std::uint16_t robot{};     // a RobotId's value; 0: it is mounted on none
  std::string codec;         // FFmpeg's name of the format: "h264", "mjpeg"
  std::string codec_string;  // WebCodecs': "avc1.42C01F"; "mjpeg" for single JPEG pictures; empty
                             // until the first keyframe is there
  std::uint16_t width{};     // px
  std::uint16_t height{};    // px
  double fps{};              // Hz, as asked for
  std::uint32_t bitrate{};   // bit/s, as asked for
  bool running{};            // pictures are being taken
  std::string trouble;       // why not and what to do; empty when all is well
  CaptureKind capture{};
  std::string encoder;  // FFmpeg's name: "libx264"
  static constexpr auto fields() {
    return std::tuple{wire::field("stream", &StreamInfo::stream),
                      wire::field("name", &StreamInfo::name),
                      wire::field("robot", &StreamInfo::robot),
                      wire::field("codec", &StreamInfo::codec),
                      wire::field("codec_string", &StreamInfo::codec_string),
                      wire::field("width", &StreamInfo::width, "px"),
                      wire::field("height", &StreamInfo::height, "px"),
                      wire::field("fps", &StreamInfo::fps, "Hz"),
                      wire::field("bitrate", &StreamInfo::bitrate, "bit/s"),
                      wire::field("running", &StreamInfo::running),
                      wire::field("trouble", &StreamInfo::trouble),
                      wire::field("capture", &StreamInfo::capture),
                      wire::field("encoder", &StreamInfo::encoder)};
  }
};

// One coded picture on the local link, camera to agent.
struct CodedFrame {
  static constexpr wire::Head head{0x1002, wire::Family::video, "coded_frame"};
  StreamId stream;
  std::uint32_t number{};
  Duration captured{};  // since the epoch of CLOCK_BOOTTIME: when the picture was taken
  Duration encoded{};   // the same clock: when the encoder gave it out
  bool key{};           // needs no other picture
  std::string codec;    // as in StreamInfo
  Buffer data;          // Annex B for H.264, a JFIF file for M-JPEG
  static constexpr auto fields() {
    return std::tuple{wire::field("stream", &CodedFrame::stream),
                      wire::field("number", &CodedFrame::number),
                      wire::field("captured", &CodedFrame::captured, "ns"),
                      wire::field("encoded", &CodedFrame::encoded, "ns"),
                      wire::field("key", &CodedFrame::key),
                      wire::field("codec", &CodedFrame::codec),
                      wire::field("data", &CodedFrame::data)};
  }
};

// A piece of a coded picture on the link: the paper's video packet. Fits one datagram.
struct VideoBlock {
  static constexpr wire::Head head{0x1003, wire::Family::video, "video_block"};
  StreamId stream;
  std::uint32_t frame{};
  std::uint16_t block{};       // 0 … blocks − 1; from `blocks` on it is parity (parity.hpp)
  std::uint16_t blocks{};      // of this frame's data
  std::uint32_t capture_us{};  // the agent clock's stamp (stamp_us) of the capture
  bool key{};
  std::uint32_t size{};  // of the whole frame
  Buffer data;           // its share, all blocks but the last of the same size
  static constexpr auto fields() {
    return std::tuple{wire::field("stream", &VideoBlock::stream),
                      wire::field("frame", &VideoBlock::frame),
                      wire::field("block", &VideoBlock::block),
                      wire::field("blocks", &VideoBlock::blocks),
                      wire::field("capture_us", &VideoBlock::capture_us, "µs"),
                      wire::field("key", &VideoBlock::key),
                      wire::field("size", &VideoBlock::size, "B"),
                      wire::field("data", &VideoBlock::data)};
  }
};

// A coded picture to be shown, station to page. Its age grows from age_us on by the page's own clock.
struct Picture {
  static constexpr wire::Head head{0x1004, wire::Family::video, "picture"};
  StreamId stream;
  std::uint32_t number{};
  std::uint32_t capture_us{};  // agent stamp; a set-point echoes number and this
  std::uint32_t age_us{};      // since capture, at hand-over
  bool key{};
  bool clean{};              // it and all it depends on came whole
  std::string codec_string;  // as in StreamInfo
  Buffer data;
  static constexpr auto fields() {
    return std::tuple{wire::field("stream", &Picture::stream),
                      wire::field("number", &Picture::number),
                      wire::field("capture_us", &Picture::capture_us, "µs"),
                      wire::field("age_us", &Picture::age_us, "µs"),
                      wire::field("key", &Picture::key),
                      wire::field("clean", &Picture::clean),
                      wire::field("codec_string", &Picture::codec_string),
                      wire::field("data", &Picture::data)};
  }
};

// A receiver cannot go on without a picture that stands for itself.
struct KeyframeWanted {
  static constexpr wire::Head head{0x1005, wire::Family::report, "keyframe_wanted"};
  StreamId stream;
  std::uint32_t newest_good{};  // the newest frame shown clean; 0 with `none`
  bool none{};                  // nothing was shown yet
  static constexpr auto fields() {
    return std::tuple{wire::field("stream", &KeyframeWanted::stream),
                      wire::field("newest_good", &KeyframeWanted::newest_good),
                      wire::field("none", &KeyframeWanted::none)};
  }
};

// A receiver lacks blocks of a frame that can still come in time. Rows of parity that it has not had
// would do as well.
struct BlocksWanted {
  static constexpr wire::Head head{0x1009, wire::Family::report, "blocks_wanted"};
  StreamId stream;
  std::uint32_t frame{};
  std::uint16_t missing{};  // so many; 0xffff: nothing of the frame has come
  std::uint8_t ask{};       // counts the asks for this frame from 1; each is sent twice, to be answered once
  static constexpr auto fields() {
    return std::tuple{wire::field("stream", &BlocksWanted::stream),
                      wire::field("frame", &BlocksWanted::frame),
                      wire::field("missing", &BlocksWanted::missing), wire::field("ask", &BlocksWanted::ask)};
  }
};

// The paper's quality order: what a receiver, or a rate controller, wants changed. What is absent stays.
struct QualityOrder {
  static constexpr wire::Head head{0x1006, wire::Family::report, "quality_order"};
  StreamId stream;
  std::optional<std::uint32_t> bitrate;  // bit/s
  std::optional<double> fps;             // Hz
  std::optional<std::uint16_t> width;    // px
  std::optional<std::uint16_t> height;   // px
  std::optional<std::string> codec;      // as in StreamInfo
  static constexpr auto fields() {
    return std::tuple{wire::field("stream", &QualityOrder::stream),
                      wire::field("bitrate", &QualityOrder::bitrate, "bit/s"),
                      wire::field("fps", &QualityOrder::fps, "Hz"),
                      wire::field("width", &QualityOrder::width, "px"),
                      wire::field("height", &QualityOrder::height, "px"),
                      wire::field("codec", &QualityOrder::codec)};
  }
};

// Somebody watches the stream, or no longer does.
struct Subscribe {
  static constexpr wire::Head head{0x1007, wire::Family::report, "subscribe"};
  StreamId stream;
  bool on{};
  static constexpr auto fields() {
    return std::tuple{wire::field("stream", &Subscribe::stream), wire::field("on", &Subscribe::on)};
  }
};

// What a receiver has seen of a stream since its previous report.
struct ReceiverReport {
  static constexpr wire::Head head{0x1008, wire::Family::report, "receiver_report"};
  StreamId stream;
  std::uint32_t number{};           // counts up
  Duration span{};                  // that this report covers
  std::uint32_t highest{};          // frame that any block of was seen, ever
  std::uint32_t frames_complete{};  // and shown
  std::uint32_t frames_late{};      // complete only after a newer one was shown
  std::uint32_t frames_dropped{};   // given up with blocks missing
  std::uint32_t frames_unclean{};   // complete, but a reference was missing
  std::uint32_t blocks_received{};  // the first copy of each
  std::uint32_t blocks_lost{};      // of frames given up, and of frames never seen (at least one each)
  std::uint32_t blocks_duplicate{};
  std::uint64_t bytes{};  // of first copies
  Duration delay_mean{};  // capture to complete, by the link's offset estimate
  Duration delay_max{};
  double delay_growth{};            // s/s: slope of the delay over the span; > 0 while a queue fills
  Duration jitter{};                // mean deviation, smoothed as in RFC 3550 §6.4.1
  std::uint32_t parity_received{};  // of blocks_received
  std::uint32_t blocks_restored{};  // of data: lost, and had all the same, from parity
  Duration round_trip{};            // of the link, as the receiver measures it; 0: not yet
  std::uint32_t loss_bursts{};      // runs of neighbouring blocks that the lost and restored ones made
  static constexpr auto fields() {
    return std::tuple{wire::field("stream", &ReceiverReport::stream),
                      wire::field("number", &ReceiverReport::number),
                      wire::field("span", &ReceiverReport::span, "ns"),
                      wire::field("highest", &ReceiverReport::highest),
                      wire::field("frames_complete", &ReceiverReport::frames_complete),
                      wire::field("frames_late", &ReceiverReport::frames_late),
                      wire::field("frames_dropped", &ReceiverReport::frames_dropped),
                      wire::field("frames_unclean", &ReceiverReport::frames_unclean),
                      wire::field("blocks_received", &ReceiverReport::blocks_received),
                      wire::field("blocks_lost", &ReceiverReport::blocks_lost),
                      wire::field("blocks_duplicate", &ReceiverReport::blocks_duplicate),
                      wire::field("bytes", &ReceiverReport::bytes, "B"),
                      wire::field("delay_mean", &ReceiverReport::delay_mean, "ns"),
                      wire::field("delay_max", &ReceiverReport::delay_max, "ns"),
                      wire::field("delay_growth", &ReceiverReport::delay_growth),
                      wire::field("jitter", &ReceiverReport::jitter, "ns"),
                      wire::field("parity_received", &ReceiverReport::parity_received),
                      wire::field("blocks_restored", &ReceiverReport::blocks_restored),
                      wire::field("round_trip", &ReceiverReport::round_trip, "ns"),
                      wire::field("loss_bursts", &ReceiverReport::loss_bursts)};
  }
};

using MediaMessages = wire::Catalogue<StreamInfo, CodedFrame, VideoBlock, Picture, KeyframeWanted,
                                      QualityOrder, Subscribe, ReceiverReport, BlocksWanted>;

}  // namespace cy::media
