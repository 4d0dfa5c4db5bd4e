// Any text at the parser of network specs. Invariants: what parses also prints, the print parses
// to the same print, and a pipe of it runs.
#include <cy/base/check.hpp>
#include <cy/emulate/pipe.hpp>
#include <cy/emulate/spec.hpp>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace cy;
  using namespace cy::emulate;
  auto const spec = parse_spec(text_of(Bytes(data, size)));
  if (!spec) {
    CY_CHECK(!spec.error().what.empty());
    return 0;
  }
  auto const printed = to_text(*spec);
  auto const again = parse_spec(printed);
  CY_CHECK(again && to_text(*again) == printed);

  Pipe pipe(spec->schedule, spec->seed);
  Buffer const bytes(1200);
  for (int i = 0; i < 20; ++i) pipe.on_datagram(bytes, Time{i * 50ms});
  std::optional<Time> last;
  while (auto const next = pipe.deadline()) {
    CY_CHECK(!last || *next > *last);
    last = next;
    CY_CHECK(!pipe.drain(*next).empty());
  }
  auto const& c = pipe.counters();
  CY_CHECK(c.sent + c.duplicated == c.lost + c.queue_dropped + c.delivered);
  return 0;
}
