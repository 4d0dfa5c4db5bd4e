// Writes MCAP (https://mcap.dev/spec, version 0): bytes come out of take(), to be appended to a file.
//
//   magic Header { Chunk MessageIndex… }… DataEnd | Schema… Channel… Statistics ChunkIndex…
//                                                   MetadataIndex… SummaryOffset… Footer magic
//
// Crash-safe: what was taken is never changed later. A chunk closes when it is chunk_size big or
// chunk_age old, so a process that dies loses at most that, and a file cut at any byte is readable
// up to its last whole chunk. Chunks are not compressed: the writer runs beside control loops.
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/base/id.hpp>
#include <cy/base/time.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cy::record {

using ChannelId = Id<struct RecordChannelTag, std::uint16_t>;

struct ChannelInfo {
  std::string topic;          // "pioneer/serial/in"
  std::string encoding;       // of the messages: "json", "protobuf", "cylib", …; empty: bytes
  std::string schema_name{};  // empty: no schema
  std::string schema_encoding{};
  std::string schema{};
};

struct Options {
  // Small enough to lose little, big enough that heads and indexes do not count.
  std::size_t chunk_size = 256 * 1024;
  Duration chunk_age = 1s;
  // Added to every Time to make MCAP's log time; the shell hands in what makes it Unix time.
  Duration unix_offset{};
  std::string library = "cylib";
};

class Writer {
 public:
  explicit Writer(Options options = {});

  // At most 65535 channels. Two calls make two channels, even with one topic.
  ChannelId add_channel(ChannelInfo info);
  // `sequence` counts a channel's messages where the caller knows better than the writer.
  void on_record(ChannelId channel, Bytes bytes, Time at,
                 std::optional<std::uint32_t> sequence = std::nullopt);
  // Facts about the whole: why it was written, which version, which robot.
  void on_facts(std::string_view name, std::map<std::string, std::string> const& facts);

  // When the open chunk becomes too old.
  std::optional<Time> deadline() const;
  void on_time(Time now);
  // Closes the open chunk, if anything is in it.
  void flush();
  // Closes the file; nothing may be written after it.
  void finish();

  // The bytes since the last call. Whole chunks only.
  Buffer take();

 private:
  struct Channel {
    ChannelInfo info;
    std::uint16_t schema_id{};  // 0: none
    bool written{};             // its record is in the file already
    std::uint32_t next_sequence{};
    std::uint64_t count{};
    Buffer index;  // of the open chunk: pairs of time and offset
  };
  struct ChunkNote {
    std::uint64_t first_ns{}, last_ns{};
    std::uint64_t at{}, length{};
    std::uint64_t indexes_length{};
    std::uint64_t size{};
    std::vector<std::pair<std::uint16_t, std::uint64_t>> index_at;
  };
  struct FactsNote {
    std::uint64_t at{}, length{};
    std::string name;
  };

  std::uint64_t position() const { return taken_ + out_.size(); }
  void write_chunk();
  void write_summary();
  void write_statistics();
  void close_group(std::uint8_t kind, std::uint64_t start, Buffer& offsets);

  Options options_;
  Buffer out_;
  std::uint64_t taken_ = 0;  // bytes that take() gave away
  std::uint32_t crc_ = 0;    // of the bytes before out_
  std::vector<Channel> channels_;
  std::uint16_t schemas_ = 0;
  Buffer chunk_;
  std::optional<Time> chunk_since_;
  std::uint64_t chunk_first_ns_ = 0, chunk_last_ns_ = 0;
  std::vector<ChunkNote> chunks_;
  std::vector<FactsNote> facts_;
  std::uint64_t messages_ = 0;
  bool finished_ = false;
};

}  // namespace cy::record
