// A second reader and writer of ARCOS bytes, for tests only: it shares nothing with robot/codec,
// so that a mistake there cannot hide. Written from the maker's packet tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace plain {

using Raw = std::vector<std::uint8_t>;

inline unsigned sum(Raw const& payload) {
  unsigned total = 0;
  std::size_t i = 0;
  for (; i + 1 < payload.size(); i += 2) total = (total + payload[i] * 256U + payload[i + 1]) & 0xffffU;
  if (i < payload.size()) total ^= payload[i];
  return total;
}

inline Raw packet(Raw const& payload) {
  Raw out{0xfa, 0xfb, static_cast<std::uint8_t>(payload.size() + 2)};
  out.insert(out.end(), payload.begin(), payload.end());
  out.push_back(static_cast<std::uint8_t>(sum(payload) >> 8));
  out.push_back(static_cast<std::uint8_t>(sum(payload) & 255));
  return out;
}

inline Raw order(int id) {
  return packet({static_cast<std::uint8_t>(id)});
}
inline Raw order(int id, int value) {
  auto const size = value < 0 ? -value : value;
  return packet({static_cast<std::uint8_t>(id), static_cast<std::uint8_t>(value < 0 ? 0x1b : 0x3b),
                 static_cast<std::uint8_t>(size & 255), static_cast<std::uint8_t>(size >> 8)});
}
inline Raw order(int id, std::string const& text) {
  Raw payload{static_cast<std::uint8_t>(id), 0x2b, static_cast<std::uint8_t>(text.size())};
  payload.insert(payload.end(), text.begin(), text.end());
  return packet(payload);
}

// Payloads with good checksums; whatever does not fit counts as bad.
struct Stream {
  std::vector<Raw> payloads;
  std::size_t bad{};

  void feed(Raw const& bytes) {
    held.insert(held.end(), bytes.begin(), bytes.end());
    std::size_t i = 0;
    while (i + 3 <= held.size()) {
      if (held[i] != 0xfa || held[i + 1] != 0xfb || held[i + 2] < 3) {
        ++i, ++bad;
        continue;
      }
      std::size_t const whole = held[i + 2] + 3U;
      if (i + whole > held.size()) break;
      Raw const payload(held.begin() + static_cast<std::ptrdiff_t>(i + 3),
                        held.begin() + static_cast<std::ptrdiff_t>(i + whole - 2));
      if (sum(payload) == held[i + whole - 2] * 256U + held[i + whole - 1]) {
        payloads.push_back(payload);
        i += whole;
      } else {
        ++i, ++bad;
      }
    }
    held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(i));
  }

 private:
  Raw held;
};

struct Cursor {
  Raw const& bytes;
  std::size_t at{};
  bool short_of{};

  int u8() {
    if (at >= bytes.size()) return short_of = true, 0;
    return bytes[at++];
  }
  int u16() {
    int const low = u8();
    return low + 256 * u8();
  }
  int s16() {
    int const value = u16();
    return value >= 32768 ? value - 65536 : value;
  }
  std::int32_t s32() {
    auto const low = static_cast<std::uint32_t>(u16());
    return static_cast<std::int32_t>(low | static_cast<std::uint32_t>(u16()) << 16);
  }
  std::string text() {
    std::string out;
    for (int c = u8(); c != 0; c = u8()) out.push_back(static_cast<char>(c));
    return out;
  }
  std::size_t left() const { return bytes.size() - at; }
};

struct Sip {
  int id, x, y, th, left, right, battery, stall_rear, stall_front, control, flags, compass;
  std::map<int, int> sonar;
  std::size_t readings;
  int grip, port, analog, digin, digout;
  bool tail;  // ARCOS
  int battery10, charge, rotvel, faults, latvel, temperature, soc;
  std::size_t rest;
};

inline std::optional<Sip> sip(Raw const& payload) {
  Cursor c{payload};
  Sip s{};
  s.id = c.u8();
  if (s.id != 0x32 && s.id != 0x33) return {};
  s.x = c.u16(), s.y = c.u16(), s.th = c.s16(), s.left = c.s16(), s.right = c.s16(), s.battery = c.u8();
  s.stall_rear = c.u8(), s.stall_front = c.u8(), s.control = c.s16(), s.flags = c.u16(), s.compass = c.u8();
  s.readings = static_cast<std::size_t>(c.u8());
  for (std::size_t i = 0; i < s.readings; ++i) {
    int const disc = c.u8();
    s.sonar[disc] = c.u16();
  }
  s.grip = c.u8(), s.port = c.u8(), s.analog = c.u8(), s.digin = c.u8(), s.digout = c.u8();
  if (c.short_of) return {};
  s.tail = c.left() > 0;
  if (s.tail) {
    s.battery10 = c.u16(), s.charge = c.u8(), s.rotvel = c.s16(), s.faults = c.u16(), s.latvel = c.s16();
    int const degrees = c.u8();
    s.temperature = degrees >= 128 ? degrees - 256 : degrees;
    s.soc = c.u8();
    if (c.short_of) return {};
  }
  s.rest = c.left();
  return s;
}

}  // namespace plain
