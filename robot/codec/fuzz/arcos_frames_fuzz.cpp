// Any bytes: through the framer in pieces, and through every decoder; what decodes must encode to
// something that decodes to the same.
#include <cy/base/check.hpp>
#include <cy/codec/arcos.hpp>

#include <algorithm>

namespace cy::arcos {
namespace {

Bytes payload_of(Buffer const& whole) {
  return Bytes(whole).subspan(3, whole.size() - 5);
}

template <class Decode>
void again(Bytes payload, Decode decode) {
  auto const value = decode(payload);
  if (!value) return;
  auto const once = encode(*value);
  CY_CHECK(once.size() <= frame_max);
  auto const second = decode(payload_of(once));
  CY_CHECK(second.has_value());
  CY_CHECK(encode(*second) == once);
}

void decode_all(Bytes payload) {
  again(payload, decode_sip);
  again(payload, decode_identity);
  if (auto const config = decode_config(payload)) {
    auto const once = encode(*config, config->present);
    auto const second = decode_config(payload_of(once));
    CY_CHECK(second.has_value() && second->present <= config->present);
    CY_CHECK(encode(*second, second->present) == once);
  }
  again(payload, decode_encoder);
  again(payload, decode_io);
  again(payload, decode_gyro);
  again(payload, decode_joystick);
  again(payload, decode_battery);
  again(payload, decode_aux);
  again(payload, decode_gripper);
  if (auto const command = decode_command(payload)) {
    (void)command->pair();
    (void)command->signed_value();
    (void)name_of(command->order);
  }
}

}  // namespace
}  // namespace cy::arcos

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace cy::arcos;
  auto left = cy::Bytes(data, size);
  Framer framer;
  auto piece = std::size_t{1};
  std::size_t out = 0;
  while (!left.empty()) {
    auto const n = std::min(left.size(), piece);
    for (auto const& payload : framer.feed(left.first(n))) {
      decode_all(payload);
      out += payload.size() + 5;
    }
    CY_CHECK(framer.pending() < frame_max);
    left = left.subspan(n);
    piece = piece * 3 % 61 + 1;
  }
  while (framer.pending() > 0)
    for (auto const& payload : framer.give_up()) {
      decode_all(payload);
      out += payload.size() + 5;
    }
  CY_CHECK(out + framer.counts().stray == size);
  decode_all({data, size});
  return 0;
}
