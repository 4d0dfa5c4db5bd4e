// A second, test-only reader of MCAP, written from the specification: it reads from the front,
// as one does with a cut file, checks every CRC, length and index on its way, and says what it saw.
#pragma once

#include <cy/base/bytes.hpp>

#include <map>
#include <string>
#include <vector>

namespace cy::record {

struct McapMessage {
  std::string topic;
  std::uint32_t sequence{};
  std::uint64_t ns{};
  std::string bytes;
  friend bool operator==(McapMessage const&, McapMessage const&) = default;
};

struct McapFile {
  std::vector<McapMessage> messages;
  std::map<std::string, std::map<std::string, std::string>> facts;
  std::map<std::string, std::string> schema_of_topic;
  std::string library;
  std::vector<std::size_t> chunk_ends;  // byte offsets right behind each chunk record
  bool complete{};                      // footer and closing magic were there
  std::string wrong;                    // the first broken rule; empty: none. Being cut breaks none
};

McapFile read_mcap(Bytes file);

}  // namespace cy::record
