#include <cy/base/check.hpp>
#include <cy/record/writer.hpp>

#include "crc32.hpp"
#include "mcap.hpp"
#include <algorithm>
#include <utility>

namespace cy::record {

namespace {

void put_schema(Buffer& out, std::uint16_t id, ChannelInfo const& info) {
  mcap::Record record(out, mcap::schema);
  mcap::put(out, id);
  mcap::put_sized(out, info.schema_name);
  mcap::put_sized(out, info.schema_encoding);
  mcap::put_sized(out, info.schema);
}

void put_channel(Buffer& out, std::uint16_t id, std::uint16_t schema_id, ChannelInfo const& info) {
  mcap::Record record(out, mcap::channel);
  mcap::put(out, id);
  mcap::put(out, schema_id);
  mcap::put_sized(out, info.topic);
  mcap::put_sized(out, info.encoding);
  mcap::put(out, std::uint32_t{0});  // no metadata
}

}  // namespace

Writer::Writer(Options options) : options_(std::move(options)) {
  mcap::put_raw(out_, mcap::magic);
  mcap::Record record(out_, mcap::header);
  mcap::put_sized(out_, "");  // no profile
  mcap::put_sized(out_, options_.library);
}

// Numbers channels and schemas from 1: MCAP keeps schema 0 for "none", and Id zero is none here.
ChannelId Writer::add_channel(ChannelInfo info) {
  CY_CHECK(!finished_ && channels_.size() < 65535);
  Channel channel;
  if (!info.schema_name.empty()) channel.schema_id = ++schemas_;
  channel.info = std::move(info);
  channels_.push_back(std::move(channel));
  return {static_cast<std::uint16_t>(channels_.size())};
}

void Writer::on_record(ChannelId id, Bytes bytes, Time at, std::optional<std::uint32_t> sequence) {
  CY_CHECK(!finished_ && id && id.value <= channels_.size());
  auto& channel = channels_[id.value - 1U];
  auto const ns = static_cast<std::uint64_t>((at.time_since_epoch() + options_.unix_offset).count());
  if (!channel.written) {
    if (channel.schema_id != 0) put_schema(chunk_, channel.schema_id, channel.info);
    put_channel(chunk_, id.value, channel.schema_id, channel.info);
    channel.written = true;
  }
  mcap::put(channel.index, ns);
  mcap::put(channel.index, std::uint64_t{chunk_.size()});
  {
    mcap::Record record(chunk_, mcap::message);
    mcap::put(chunk_, id.value);
    mcap::put(chunk_, sequence.value_or(channel.next_sequence));
    mcap::put(chunk_, ns);  // logged
    mcap::put(chunk_, ns);  // published
    mcap::put_raw(chunk_, bytes);
  }
  channel.next_sequence = sequence.value_or(channel.next_sequence) + 1;
  ++channel.count;
  ++messages_;
  chunk_first_ns_ = chunk_since_ ? std::min(chunk_first_ns_, ns) : ns;
  chunk_last_ns_ = chunk_since_ ? std::max(chunk_last_ns_, ns) : ns;
  if (!chunk_since_) chunk_since_ = at;
  if (chunk_.size() >= options_.chunk_size) write_chunk();
}

void Writer::on_facts(std::string_view name, std::map<std::string, std::string> const& facts) {
  CY_CHECK(!finished_);
  flush();
  auto const at = position();
  {
    mcap::Record record(out_, mcap::metadata);
    mcap::put_sized(out_, name);
    Buffer map;
    for (auto const& [key, value] : facts) {
      mcap::put_sized(map, key);
      mcap::put_sized(map, value);
    }
    mcap::put_sized(out_, map);
  }
  facts_.push_back({at, position() - at, std::string(name)});
}

std::optional<Time> Writer::deadline() const {
  if (!chunk_since_) return std::nullopt;
  return *chunk_since_ + options_.chunk_age;
}

void Writer::on_time(Time now) {
  if (auto const due = deadline(); due && *due <= now) write_chunk();
}

void Writer::flush() {
  if (chunk_since_) write_chunk();
}

void Writer::write_chunk() {
  ChunkNote note{
      .first_ns = chunk_first_ns_, .last_ns = chunk_last_ns_, .at = position(), .size = chunk_.size()};
  {
    mcap::Record record(out_, mcap::chunk);
    mcap::put(out_, chunk_first_ns_);
    mcap::put(out_, chunk_last_ns_);
    mcap::put(out_, std::uint64_t{chunk_.size()});
    mcap::put(out_, crc32(chunk_));
    mcap::put_sized(out_, "");  // no compression
    mcap::put(out_, std::uint64_t{chunk_.size()});
    mcap::put_raw(out_, chunk_);
  }
  note.length = position() - note.at;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    auto& index = channels_[i].index;
    if (index.empty()) continue;
    auto const id = static_cast<std::uint16_t>(i + 1);
    note.index_at.emplace_back(id, position());
    mcap::Record record(out_, mcap::message_index);
    mcap::put(out_, id);
    mcap::put_sized(out_, index);
    index.clear();
  }
  note.indexes_length = position() - note.at - note.length;
  chunks_.push_back(std::move(note));
  chunk_.clear();
  chunk_since_.reset();
}

Buffer Writer::take() {
  crc_ = crc32(out_, crc_);
  taken_ += out_.size();
  return std::exchange(out_, {});
}

void Writer::finish() {
  CY_CHECK(!finished_);
  flush();
  auto const data_crc = crc32(out_, crc_);
  {
    mcap::Record record(out_, mcap::data_end);
    mcap::put(out_, data_crc);
  }
  write_summary();
  mcap::put_raw(out_, mcap::magic);
  finished_ = true;
}

void Writer::close_group(std::uint8_t kind, std::uint64_t start, Buffer& offsets) {
  if (position() == start) return;
  mcap::Record record(offsets, mcap::summary_offset);
  mcap::put(offsets, kind);
  mcap::put(offsets, start);
  mcap::put(offsets, position() - start);
}

void Writer::write_summary() {
  auto const summary_at = position();
  auto const summary_start = out_.size();
  Buffer offsets;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i].written && channels_[i].schema_id != 0)
      put_schema(out_, channels_[i].schema_id, channels_[i].info);
  }
  close_group(mcap::schema, summary_at, offsets);

  auto group = position();
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i].written)
      put_channel(out_, static_cast<std::uint16_t>(i + 1), channels_[i].schema_id, channels_[i].info);
  }
  close_group(mcap::channel, group, offsets);

  group = position();
  write_statistics();
  close_group(mcap::statistics, group, offsets);

  group = position();
  for (auto const& chunk : chunks_) {
    mcap::Record record(out_, mcap::chunk_index);
    mcap::put(out_, chunk.first_ns);
    mcap::put(out_, chunk.last_ns);
    mcap::put(out_, chunk.at);
    mcap::put(out_, chunk.length);
    mcap::put(out_, static_cast<std::uint32_t>(chunk.index_at.size() * 10));
    for (auto const& [id, at] : chunk.index_at) {
      mcap::put(out_, id);
      mcap::put(out_, at);
    }
    mcap::put(out_, chunk.indexes_length);
    mcap::put_sized(out_, "");
    mcap::put(out_, chunk.size);
    mcap::put(out_, chunk.size);
  }
  close_group(mcap::chunk_index, group, offsets);

  group = position();
  for (auto const& facts : facts_) {
    mcap::Record record(out_, mcap::metadata_index);
    mcap::put(out_, facts.at);
    mcap::put(out_, facts.length);
    mcap::put_sized(out_, facts.name);
  }
  close_group(mcap::metadata_index, group, offsets);

  auto const offsets_at = position();
  mcap::put_raw(out_, offsets);
  mcap::Record record(out_, mcap::footer);
  // The CRC covers all from the summary's start up to itself, the footer's length field included.
  store_le(out_.data() + out_.size() - 8, std::uint64_t{20});
  mcap::put(out_, summary_at);
  mcap::put(out_, offsets_at);
  mcap::put(out_, crc32(Bytes(out_).subspan(summary_start)));
}

void Writer::write_statistics() {
  std::uint16_t schemas = 0;
  std::uint32_t channels = 0;
  Buffer counts;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (!channels_[i].written) continue;
    ++channels;
    schemas = static_cast<std::uint16_t>(schemas + (channels_[i].schema_id != 0));
    mcap::put(counts, static_cast<std::uint16_t>(i + 1));
    mcap::put(counts, channels_[i].count);
  }
  auto first = chunks_.empty() ? 0 : ~std::uint64_t{0};
  std::uint64_t last = 0;
  for (auto const& chunk : chunks_) {
    first = std::min(first, chunk.first_ns);
    last = std::max(last, chunk.last_ns);
  }
  mcap::Record record(out_, mcap::statistics);
  mcap::put(out_, messages_);
  mcap::put(out_, schemas);
  mcap::put(out_, channels);
  mcap::put(out_, std::uint32_t{0});  // attachments
  mcap::put(out_, static_cast<std::uint32_t>(facts_.size()));
  mcap::put(out_, static_cast<std::uint32_t>(chunks_.size()));
  mcap::put(out_, first);
  mcap::put(out_, last);
  mcap::put_sized(out_, counts);
}

}  // namespace cy::record
