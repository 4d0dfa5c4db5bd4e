#include "mcap_reader.hpp"

#include <optional>

namespace cy::record {

namespace {

// Bit by bit, after ISO 3309: shares nothing with the writer's tables.
std::uint32_t slow_crc32(Bytes bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (auto const byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? (crc >> 1) ^ 0xedb88320U : crc >> 1;
  }
  return ~crc;
}

struct Broken {
  std::string rule;
};

// Reads a record's fields; running over its end is a broken rule.
class In {
 public:
  explicit In(Bytes bytes) : left_(bytes) {}
  template <class T>
  T take() {
    return load_le<T>(take_bytes(sizeof(T)).data());
  }
  Bytes take_bytes(std::uint64_t size) {
    if (size > left_.size()) throw Broken{"a field runs over its record's end"};
    auto const bytes = left_.first(static_cast<std::size_t>(size));
    left_ = left_.subspan(bytes.size());
    return bytes;
  }
  Bytes sized() { return take_bytes(take<std::uint32_t>()); }
  std::string text() { return std::string(text_of(sized())); }
  Bytes rest() const { return left_; }
  bool empty() const { return left_.empty(); }

 private:
  Bytes left_;
};

struct Record {
  std::uint8_t kind{};
  std::uint64_t at{};  // of the kind byte
  std::uint64_t length{};
  Bytes body;
};

struct Reader {
  Bytes file;
  McapFile out;
  std::map<std::uint16_t, std::string> schemas;
  struct Channel {
    std::string topic;
    std::uint64_t count{};
  };
  std::map<std::uint16_t, Channel> channels;
  struct Chunk {
    std::uint64_t at{}, length{}, first{}, last{}, indexes_length{};
    Bytes records;
    std::map<std::uint16_t, std::uint64_t> index_at;
    std::size_t messages{}, indexed{};
  };
  std::vector<Chunk> chunks;
  std::vector<Record> facts;
  std::size_t chunk_indexes = 0, facts_indexes = 0;
  std::uint64_t summary_at = 0;

  static void expect(bool held, char const* rule) {
    if (!held) throw Broken{rule};
  }

  // Nothing when the file ends within the record.
  std::optional<Record> record_at(Bytes in, std::uint64_t at) const {
    if (at + 9 > in.size()) return std::nullopt;
    auto const size = load_le<std::uint64_t>(in.data() + at + 1);
    if (size > in.size() - at - 9) return std::nullopt;
    return Record{in[at], at, size + 9, in.subspan(at + 9, size)};
  }

  void schema(In in) {
    auto const id = in.take<std::uint16_t>();
    auto name = in.text();
    in.text();
    in.text();
    expect(id != 0, "schema 0 is reserved");
    expect(!schemas.contains(id) || schemas[id] == name, "a schema's id is given twice");
    schemas[id] = std::move(name);
  }

  void channel(In in) {
    auto const id = in.take<std::uint16_t>();
    auto const schema_id = in.take<std::uint16_t>();
    auto topic = in.text();
    in.text();
    in.sized();
    expect(schema_id == 0 || schemas.contains(schema_id),
           "a channel names a schema that did not come before it");
    expect(!channels.contains(id) || channels[id].topic == topic, "a channel's id is given twice");
    if (schema_id != 0) out.schema_of_topic[topic] = schemas[schema_id];
    channels[id].topic = std::move(topic);
  }

  void message(In in, Chunk& chunk) {
    auto const id = in.take<std::uint16_t>();
    auto const sequence = in.take<std::uint32_t>();
    auto const ns = in.take<std::uint64_t>();
    in.take<std::uint64_t>();
    expect(channels.contains(id), "a message comes before its channel");
    expect(ns >= chunk.first && ns <= chunk.last, "a message lies outside its chunk's times");
    out.messages.push_back({channels[id].topic, sequence, ns, std::string(text_of(in.rest()))});
    ++channels[id].count;
    ++chunk.messages;
  }

  void chunk(Record const& record) {
    In in(record.body);
    Chunk chunk{.at = record.at, .length = record.length};
    chunk.first = in.take<std::uint64_t>();
    chunk.last = in.take<std::uint64_t>();
    auto const size = in.take<std::uint64_t>();
    auto const crc = in.take<std::uint32_t>();
    expect(in.text().empty(), "this reader knows no compression");
    chunk.records = in.take_bytes(in.take<std::uint64_t>());
    expect(in.empty() && chunk.records.size() == size, "a chunk's sizes disagree");
    expect(slow_crc32(chunk.records) == crc, "a chunk's CRC is wrong");
    std::uint64_t at = 0;
    while (at < chunk.records.size()) {
      auto const inner = record_at(chunk.records, at);
      expect(inner.has_value(), "a record runs over its chunk's end");
      if (inner->kind == 0x03)
        schema(In(inner->body));
      else if (inner->kind == 0x04)
        channel(In(inner->body));
      else if (inner->kind == 0x05)
        message(In(inner->body), chunk);
      else
        throw Broken{"a record kind that may not be in a chunk"};
      at += inner->length;
    }
    chunks.push_back(chunk);
    out.chunk_ends.push_back(record.at + record.length);
  }

  void message_index(Record const& record) {
    expect(!chunks.empty(), "a message index before any chunk");
    auto& chunk = chunks.back();
    In in(record.body);
    auto const id = in.take<std::uint16_t>();
    chunk.index_at[id] = record.at;
    chunk.indexes_length += record.length;
    for (In pairs(in.sized()); !pairs.empty(); ++chunk.indexed) {
      auto const ns = pairs.take<std::uint64_t>();
      auto const message = record_at(chunk.records, pairs.take<std::uint64_t>());
      expect(message && message->kind == 0x05, "a message index points at no message");
      expect(load_le<std::uint16_t>(message->body.data()) == id, "a message index points at another channel");
      expect(load_le<std::uint64_t>(message->body.data() + 6) == ns, "a message index has another time");
    }
  }

  void metadata(Record const& record) {
    In in(record.body);
    auto& map = out.facts[in.text()];
    for (In pairs(in.sized()); !pairs.empty();) {
      auto key = pairs.text();
      map[std::move(key)] = pairs.text();
    }
    facts.push_back(record);
  }

  void statistics(In in) {
    expect(in.take<std::uint64_t>() == out.messages.size(), "statistics: messages");
    expect(in.take<std::uint16_t>() == schemas.size(), "statistics: schemas");
    expect(in.take<std::uint32_t>() == channels.size(), "statistics: channels");
    expect(in.take<std::uint32_t>() == 0, "statistics: attachments");
    expect(in.take<std::uint32_t>() == facts.size(), "statistics: metadata");
    expect(in.take<std::uint32_t>() == chunks.size(), "statistics: chunks");
    std::uint64_t first = chunks.empty() ? 0 : ~std::uint64_t{0}, last = 0;
    for (auto const& message : out.messages)
      first = std::min(first, message.ns), last = std::max(last, message.ns);
    expect(in.take<std::uint64_t>() == first, "statistics: first time");
    expect(in.take<std::uint64_t>() == last, "statistics: last time");
    for (In pairs(in.sized()); !pairs.empty();) {
      auto const id = pairs.take<std::uint16_t>();
      expect(channels.contains(id) && channels[id].count == pairs.take<std::uint64_t>(),
             "statistics: counts");
    }
  }

  void chunk_index(In in) {
    expect(chunk_indexes < chunks.size(), "more chunk indexes than chunks");
    auto const& chunk = chunks[chunk_indexes++];
    expect(in.take<std::uint64_t>() == chunk.first, "chunk index: first time");
    expect(in.take<std::uint64_t>() == chunk.last, "chunk index: last time");
    expect(in.take<std::uint64_t>() == chunk.at, "chunk index: offset");
    expect(in.take<std::uint64_t>() == chunk.length, "chunk index: length");
    std::map<std::uint16_t, std::uint64_t> index_at;
    for (In pairs(in.sized()); !pairs.empty();) {
      auto const id = pairs.take<std::uint16_t>();
      index_at[id] = pairs.take<std::uint64_t>();
    }
    expect(index_at == chunk.index_at, "chunk index: message index offsets");
    expect(in.take<std::uint64_t>() == chunk.indexes_length, "chunk index: message index length");
    expect(in.text().empty(), "chunk index: compression");
    expect(in.take<std::uint64_t>() == chunk.records.size(), "chunk index: compressed size");
    expect(in.take<std::uint64_t>() == chunk.records.size(), "chunk index: size");
    expect(chunk.indexed == chunk.messages, "not every message is indexed");
  }

  void metadata_index(In in) {
    expect(facts_indexes < facts.size(), "more metadata indexes than metadata");
    auto const& record = facts[facts_indexes++];
    expect(in.take<std::uint64_t>() == record.at, "metadata index: offset");
    expect(in.take<std::uint64_t>() == record.length, "metadata index: length");
    expect(out.facts.contains(in.text()), "metadata index: name");
  }

  void summary_offset(In in) const {
    auto const kind = in.take<std::uint8_t>();
    auto at = in.take<std::uint64_t>();
    auto const end = at + in.take<std::uint64_t>();
    expect(at < end, "summary offset: an empty group");
    while (at < end) {
      auto const record = record_at(file, at);
      expect(record && record->kind == kind, "summary offset: a record of another kind");
      at += record->length;
    }
    expect(at == end, "summary offset: length");
  }

  void footer(Record const& record) {
    In in(record.body);
    auto const start = in.take<std::uint64_t>();
    in.take<std::uint64_t>();
    expect(start == summary_at, "footer: summary start");
    auto const covered = file.subspan(start, record.at + 9 + 16 - start);
    expect(in.take<std::uint32_t>() == slow_crc32(covered), "footer: CRC");
    expect(chunk_indexes == chunks.size() && facts_indexes == facts.size(), "an index is missing");
    auto const end = file.subspan(record.at + record.length);
    if (end.size() >= 8) {
      expect(end.size() == 8 && text_of(end) == text_of(file.first(8)), "the closing magic is wrong");
      out.complete = true;
    }
  }

  void read() {
    if (file.size() < 8) return;
    expect(text_of(file.first(8)) == std::string_view("\x89MCAP0\r\n"), "the magic is wrong");
    std::uint64_t at = 8;
    std::uint64_t next = 8;
    while (auto const record = record_at(file, next)) {
      at = next;
      next += record->length;
      expect((at == 8) == (record->kind == 0x01), "the header is first and nowhere else");
      auto const in_summary = summary_at != 0;
      switch (record->kind) {
        case 0x01: {
          In in(record->body);
          in.text();
          out.library = in.text();
          break;
        }
        case 0x02:
          footer(*record);
          return;
        case 0x03:
          expect(in_summary, "a schema outside of chunks");
          schema(In(record->body));
          break;
        case 0x04:
          expect(in_summary, "a channel outside of chunks");
          channel(In(record->body));
          break;
        case 0x06:
          chunk(*record);
          break;
        case 0x07:
          message_index(*record);
          break;
        case 0x08:
          chunk_index(In(record->body));
          break;
        case 0x0b:
          statistics(In(record->body));
          break;
        case 0x0c:
          metadata(*record);
          break;
        case 0x0d:
          metadata_index(In(record->body));
          break;
        case 0x0e:
          summary_offset(In(record->body));
          break;
        case 0x0f:
          expect(In(record->body).take<std::uint32_t>() == slow_crc32(file.first(at)),
                 "the data section's CRC is wrong");
          summary_at = at + record->length;
          break;
        default:
          throw Broken{"an unknown kind of record"};
      }
    }
  }
};

}  // namespace

McapFile read_mcap(Bytes file) {
  Reader reader;
  reader.file = file;
  try {
    reader.read();
  } catch (Broken const& broken) {
    reader.out.wrong = broken.rule;
  }
  return reader.out;
}

}  // namespace cy::record
