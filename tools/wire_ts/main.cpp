// Prints the TypeScript of every message that a page may meet, golden messages that prove it, or tables
// of all messages for readers.
#include <cy/command/messages.hpp>
#include <cy/media/messages.hpp>
#include <cy/model/catalogue.hpp>
#include <cy/model/control.hpp>
#include <cy/session/messages.hpp>
#include <cy/station/messages.hpp>
#include <cy/wire/codec.hpp>
#include <cy/wire/sample.hpp>

#include "markdown.hpp"
#include <cstdio>

namespace cy::wire_ts {
namespace {

using All = decltype(CommandMessages{} + ModelMessages{} + ControlMessages{} + media::MediaMessages{} +
                     station::StationMessages{});

constexpr auto usage =
    "Usage: wire_ts [--golden | --tables]\n"
    "\n"
    "Prints web/src/wire/messages.ts, made from the field lists of the rooms.\n"
    "\n"
    "  --golden   print web/test/unit/golden.jsonl instead: sample messages as bytes and as JSON\n"
    "  --tables   print docs/messages.md instead: the fields of all messages\n";

constexpr auto preamble =
    "// Made by tools/wire_ts from the C++ field lists; do not edit.\n"
    "// To make it again: cmake --build build/dev --target wire_ts_update\n"
    "import {\n"
    "  type Body, array, body, bool, bytes, f32, f64, i8, i16, i32, i64, message, optional, struct, text, "
    "u8, u16,\n"
    "  u32, u64, vector,\n"
    "} from \"./codec.js\";\n";

constexpr auto tables_preamble =
    "# The messages\n"
    "\n"
    "Every message of the link with its fields in their order; [protocol.md](protocol.md) says how each "
    "type\n"
    "is written. `uN`, `iN`, `fN` are integers and floats of N bits. Made by tools/wire_ts from the C++ "
    "field\n"
    "lists, whose headers say what each field means; do not edit. To make it again:\n"
    "`cmake --build build/dev --target wire_ts_update`.\n";

std::string tables() {
  Markdown markdown;
  markdown.catalogue("The link itself", session::SessionMessages{});
  markdown.catalogue("Commands and reports", CommandMessages{});
  markdown.catalogue("Robots", ModelMessages{});
  markdown.catalogue("Pictures", media::MediaMessages{});
  markdown.catalogue("Persons, leases, stops, tasks", ControlMessages{});
  markdown.catalogue("Station and page", station::StationMessages{});
  return tables_preamble + markdown.text();
}

template <wire::Message M>
std::string golden(std::uint64_t seed) {
  Random random{Seed{seed}};
  auto const m = wire::sample<M>(random);
  return fmt::format("{{\"name\":{},\"type\":{},\"hex\":\"{}\",\"value\":{}}}\n", json_text(M::head.name),
                     M::head.type, hex(wire::encoded(m)), json(m));
}

template <wire::Message... Ms>
std::string goldens(wire::Catalogue<Ms...>) {
  std::string lines;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) ((lines += golden<Ms>(seed * 1000 + Ms::head.type)), ...);
  return lines;
}

int run(int count, char const* const* words) {
  if (count == 1) {
    Typescript typescript;
    typescript.catalogue(All{});
    for (auto const& name : typescript.clashes())
      fmt::print(stderr, "wire_ts: two types are named {}; rename one\n", name);
    if (!typescript.clashes().empty()) return 1;
    // Helpers that no field uses yet are imported all the same; the bundler drops them.
    fmt::print("{}{}", preamble, typescript.text());
    return 0;
  }
  if (count == 2 && std::string_view(words[1]) == "--golden") {
    fmt::print("{}", goldens(All{}));
    return 0;
  }
  if (count == 2 && std::string_view(words[1]) == "--tables") {
    fmt::print("{}", tables());
    return 0;
  }
  auto const help = count == 2 && std::string_view(words[1]) == "--help";
  fmt::print(help ? stdout : stderr, "{}", usage);
  return help ? 0 : 2;
}

}  // namespace
}  // namespace cy::wire_ts

int main(int count, char** words) {
  return cy::wire_ts::run(count, words);
}
