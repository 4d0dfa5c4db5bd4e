#include <cy/codec/arcos_report.hpp>

#include "pieces.hpp"
#include <algorithm>

namespace cy::arcos {
namespace {

// The optional fields, in the packet's order.
template <class Self, class Visit>
void each_optional(Self& s, Visit&& visit) {
  auto const all = [&](auto&... field) { (visit(field), ...); };
  all(s.grip_or_port, s.port_or_grip, s.analog, s.digital_in, s.digital_out, s.battery_x10, s.charge,
      s.rotation, s.faults, s.lateral, s.temperature, s.state_of_charge, s.micros, s.flags3);
}

}  // namespace

Buffer encode(Sip const& sip) {
  Payload out(sip.moving ? packet::sip_moving : packet::sip_stopped);
  auto tail = std::size_t{0};
  auto more = true;
  each_optional(sip, [&](auto const& field) {
    more = more && field.has_value();
    if (more) tail += sizeof(*field);
  });
  out.number(sip.x);
  out.number(sip.y);
  out.number(sip.heading);
  out.number(sip.left);
  out.number(sip.right);
  out.number(sip.battery);
  out.number(sip.stall_rear);
  out.number(sip.stall_front);
  out.number(sip.control);
  out.number(sip.flags);
  out.number(sip.compass);
  auto const count = std::min(sip.sonars.size(), (out.room() - 1 - tail) / 3);
  out.number(static_cast<std::uint8_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    out.number(sip.sonars[i].disc);
    out.number(sip.sonars[i].range);
  }
  more = true;
  each_optional(sip, [&](auto const& field) { more = more && field.has_value() && out.number(*field); });
  return out.framed();
}

Decoded<Sip> decode_sip(Bytes payload) {
  auto in = open_if(payload, is_sip);
  if (!in) return tl::unexpected(in.error());
  Sip sip;
  sip.moving = payload[0] == packet::sip_moving;
  sip.x = in->number<std::uint16_t>();
  sip.y = in->number<std::uint16_t>();
  sip.heading = in->number<std::int16_t>();
  sip.left = in->number<std::int16_t>();
  sip.right = in->number<std::int16_t>();
  sip.battery = in->number<std::uint8_t>();
  sip.stall_rear = in->number<std::uint8_t>();
  sip.stall_front = in->number<std::uint8_t>();
  sip.control = in->number<std::int16_t>();
  sip.flags = in->number<std::uint16_t>();
  sip.compass = in->number<std::uint8_t>();
  auto const count = in->number<std::uint8_t>();
  if (in->left() < std::size_t{3} * count) return tl::unexpected(Malformed::truncated);
  sip.sonars.reserve(count);
  for (auto i = 0; i < count; ++i) {
    auto const disc = in->number<std::uint8_t>();
    auto const range = in->number<std::uint16_t>();
    sip.sonars.push_back({disc, range});
  }
  if (in->ran_short()) return tl::unexpected(Malformed::truncated);
  each_optional(sip, [&](auto& field) { in->optional(field); });
  return sip;
}

}  // namespace cy::arcos
