#include <cy/codec/arcos_report.hpp>

#include "pieces.hpp"
#include <algorithm>

namespace cy::arcos {

Buffer encode(Encoder const& encoder) {
  Payload out(packet::encoder);
  out.number(encoder.left);
  out.number(encoder.right);
  return out.framed();
}

Decoded<Encoder> decode_encoder(Bytes payload) {
  auto in = open(payload, packet::encoder);
  if (!in) return tl::unexpected(in.error());
  Encoder encoder;
  encoder.left = in->number<std::int32_t>();
  encoder.right = in->number<std::int32_t>();
  return whole(encoder, *in);
}

// Banks that would not fit are left out, so that the packet stays well-formed.
Buffer encode(Io const& io) {
  Payload out(packet::io);
  auto const inputs = std::min<std::size_t>(io.inputs.size(), 32);
  auto const outputs = std::min<std::size_t>(io.outputs.size(), 32);
  auto const analog = std::min<std::size_t>(io.analog.size(), 64);
  out.number(static_cast<std::uint8_t>(inputs));
  out.raw(Bytes(io.inputs).first(inputs));
  out.number(static_cast<std::uint8_t>(outputs));
  out.raw(Bytes(io.outputs).first(outputs));
  out.number(static_cast<std::uint8_t>(analog));
  for (std::size_t i = 0; i < analog; ++i) out.number(io.analog[i]);
  if (io.battery) out.number(*io.battery);
  return out.framed();
}

Decoded<Io> decode_io(Bytes payload) {
  auto in = open(payload, packet::io);
  if (!in) return tl::unexpected(in.error());
  Io io;
  io.inputs = copy_of(in->raw(in->number<std::uint8_t>()));
  io.outputs = copy_of(in->raw(in->number<std::uint8_t>()));
  auto const analog = in->number<std::uint8_t>();
  if (in->left() < std::size_t{2} * analog) return tl::unexpected(Malformed::truncated);
  for (auto i = 0; i < analog; ++i) io.analog.push_back(in->number<std::uint16_t>());
  in->optional(io.battery);
  return whole(std::move(io), *in);
}

Buffer encode(Gyro const& gyro) {
  Payload out(packet::gyro);
  auto const count = std::min(gyro.samples.size(), (out.room() - 1) / 3);
  out.number(static_cast<std::uint8_t>(count));
  for (std::size_t i = 0; i < count; ++i) {
    out.number(gyro.samples[i].rate);
    out.number(gyro.samples[i].temperature);
  }
  return out.framed();
}

Decoded<Gyro> decode_gyro(Bytes payload) {
  auto in = open(payload, packet::gyro);
  if (!in) return tl::unexpected(in.error());
  Gyro gyro;
  auto const count = in->number<std::uint8_t>();
  if (in->left() < std::size_t{3} * count) return tl::unexpected(Malformed::truncated);
  for (auto i = 0; i < count; ++i) {
    auto const rate = in->number<std::int16_t>();
    auto const temperature = in->number<std::uint8_t>();
    gyro.samples.push_back({rate, temperature});
  }
  return whole(std::move(gyro), *in);
}

Buffer encode(Joystick const& joystick) {
  Payload out(packet::joystick);
  out.number(joystick.button0);
  out.number(joystick.button1);
  out.number(joystick.x);
  out.number(joystick.y);
  out.number(joystick.throttle);
  return out.framed();
}

Decoded<Joystick> decode_joystick(Bytes payload) {
  auto in = open(payload, packet::joystick);
  if (!in) return tl::unexpected(in.error());
  Joystick joystick;
  joystick.button0 = in->number<std::uint8_t>();
  joystick.button1 = in->number<std::uint8_t>();
  joystick.x = in->number<std::uint16_t>();
  joystick.y = in->number<std::uint16_t>();
  joystick.throttle = in->number<std::uint16_t>();
  return whole(joystick, *in);
}

// Every battery takes as many bytes as the first one.
Buffer encode(Battery const& battery) {
  Payload out(packet::battery);
  auto const each = battery.batteries.empty() ? std::size_t{0} : battery.batteries.front().size();
  auto const size = std::min<std::size_t>(each, out.room() - 2);
  auto const fit = size == 0 ? std::size_t{255} : (out.room() - 2) / size;
  auto const count = std::min({battery.batteries.size(), fit, std::size_t{255}});
  out.number(static_cast<std::uint8_t>(count));
  out.number(static_cast<std::uint8_t>(size));
  for (std::size_t i = 0; i < count; ++i) {
    auto one = battery.batteries[i];
    one.resize(size);
    out.raw(one);
  }
  return out.framed();
}

Decoded<Battery> decode_battery(Bytes payload) {
  auto in = open(payload, packet::battery);
  if (!in) return tl::unexpected(in.error());
  auto const count = in->number<std::uint8_t>();
  auto const size = in->number<std::uint8_t>();
  if (in->left() < std::size_t{count} * size) return tl::unexpected(Malformed::truncated);
  Battery battery;
  for (auto i = 0; i < count; ++i) battery.batteries.push_back(copy_of(in->raw(size)));
  return whole(std::move(battery), *in);
}

Buffer encode(Aux const& aux) {
  Payload out(aux.port == 2 ? packet::aux2 : aux.port == 3 ? packet::aux3 : packet::aux1);
  out.raw(Bytes(aux.bytes).first(std::min(aux.bytes.size(), out.room())));
  return out.framed();
}

Decoded<Aux> decode_aux(Bytes payload) {
  auto in = open_if(payload, [](std::uint8_t id) {
    return id == packet::aux1 || id == packet::aux2 || id == packet::aux3;
  });
  if (!in) return tl::unexpected(in.error());
  auto const port = payload[0] == packet::aux1 ? 1 : payload[0] == packet::aux2 ? 2 : 3;
  return Aux{static_cast<std::uint8_t>(port), copy_of(in->raw(in->left()))};
}

Buffer encode(Gripper const& gripper) {
  Payload out(packet::gripper);
  out.number(gripper.type);
  out.number(gripper.state);
  out.number(gripper.grasp_time);
  return out.framed();
}

Decoded<Gripper> decode_gripper(Bytes payload) {
  auto in = open(payload, packet::gripper);
  if (!in) return tl::unexpected(in.error());
  Gripper gripper;
  gripper.type = in->number<std::uint8_t>();
  gripper.state = in->number<std::uint8_t>();
  gripper.grasp_time = in->number<std::uint8_t>();
  return whole(gripper, *in);
}

}  // namespace cy::arcos
