// Writes a small recording for readers of other makers to prove that they can read it:
//
//   record_sample out.mcap             streamed: JSON and raw bytes, several chunks, complete
//   record_sample out.mcap --cut       the same, cut in the middle of its last chunk
//   record_sample out.mcap --black-box a snapshot of a ring that has overwritten its oldest records
#include <cy/record/black_box.hpp>
#include <cy/record/writer.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <string_view>

namespace {

using namespace cy;
using namespace cy::record;

ChannelInfo pose_info() {
  return {"robot/pose", "json", "Pose", "jsonschema",
          R"({"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}}})"};
}
ChannelInfo serial_info() {
  return {"robot/serial/in", ""};
}

// Fifty poses, and after every second one four bytes of a serial line; 20 ms apart.
template <class Recorder>
void record_walk(Recorder& recorder) {
  auto const pose = recorder.add_channel(pose_info());
  auto const serial = recorder.add_channel(serial_info());
  for (int i = 0; i < 50; ++i) {
    auto const at = Time{1000s + i * 20ms};
    recorder.on_record(pose, bytes_of(fmt::format(R"({{"x":{},"y":{}}})", i, 2 * i)), at);
    std::uint8_t const bytes[] = {0xfa, 0xfb, static_cast<std::uint8_t>(i), 0x00};
    if (i % 2 == 1) recorder.on_record(serial, bytes, at + 1ms);
  }
}

Buffer sample(std::string_view mode) {
  if (mode == "--black-box") {
    BlackBox box(2000);
    record_walk(box);
    return box.snapshot(Time{1002s}, "sample");
  }
  Writer writer({.chunk_size = 1024});
  writer.on_facts("sample", {{"robot", "none"}, {"purpose", "to be read by others"}});
  record_walk(writer);
  writer.flush();
  auto bytes = writer.take();
  if (mode == "--cut") {
    bytes.resize(bytes.size() - 200);
    return bytes;
  }
  writer.finish();
  auto const rest = writer.take();
  bytes.insert(bytes.end(), rest.begin(), rest.end());
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view const mode = argc > 2 ? argv[2] : "";
  if (argc < 2 || argc > 3 || (argc == 3 && mode != "--cut" && mode != "--black-box")) {
    std::fputs("usage: record_sample out.mcap [--cut | --black-box]\n", stderr);
    return 2;
  }
  auto const bytes = sample(mode);
  std::ofstream out(argv[1], std::ios::binary);
  out.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) {
    std::fprintf(stderr, "%s: cannot be written\n", argv[1]);
    return 1;
  }
  return 0;
}
