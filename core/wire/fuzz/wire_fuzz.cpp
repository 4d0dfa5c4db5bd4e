// Any bytes as a row of messages, and as the fields of every message of the house.
// Invariants: what decodes encodes again to no more than it was, and that decodes to the same;
// a walk ends; nothing is believed before its bytes are there.
#include <cy/base/check.hpp>
#include <cy/command/messages.hpp>
#include <cy/session/messages.hpp>
#include <cy/wire/print.hpp>

using namespace cy;

namespace {

template <wire::Message M>
void try_one(Bytes payload) {
  auto const first = wire::decode<M>(payload);
  if (!first) return;
  // A count takes at least one byte of the input for each of its elements, so memory is bounded.
  auto const again = wire::encoded(*first);
  CY_CHECK(again.size() == wire::size_of(*first));
  wire::Walk walk(again);
  auto const message = walk.next();
  CY_CHECK(message && message->type == M::head.type && !walk.next() && !walk.fault());
  auto const second = wire::decode<M>(message->payload);
  CY_CHECK(second.has_value());
  CY_CHECK(wire::encoded(*second) == again);
  CY_CHECK(!wire::print(*first).empty());
  // Where it does not fit, nothing is written.
  if (again.size() > 1) {
    Buffer small(again.size() - 1, 0xee);
    CY_CHECK(wire::encode(*first, small) == 0);
    CY_CHECK(small == Buffer(small.size(), 0xee));
  }
}

template <wire::Message... Ms>
void try_all(wire::Catalogue<Ms...>, wire::Raw message) {
  (..., (message.type == Ms::head.type ? try_one<Ms>(message.payload) : void()));
}
template <wire::Message... Ms>
void try_nth(wire::Catalogue<Ms...>, std::size_t n, Bytes payload) {
  auto at = std::size_t{0};
  (..., (at++ == n % sizeof...(Ms) ? try_one<Ms>(payload) : void()));
}

auto const all = session::SessionMessages{} + CommandMessages{};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  Bytes const input(data + 1, size - 1);
  if (data[0] != 0) {
    try_nth(all, data[0], input);
    return 0;
  }
  wire::Walk walk(input);
  auto bytes = std::size_t{0};
  while (auto const message = walk.next()) {
    bytes += 3 + message->payload.size();
    CY_CHECK(bytes <= input.size());
    try_all(all, *message);
  }
  return 0;
}
