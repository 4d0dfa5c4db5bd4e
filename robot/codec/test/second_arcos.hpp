// A second reader of ARCOS, for tests only: written from the protocol's tables, by offset, and
// without a line of the codec. What both agree on is not one mistake made twice.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace second {

using Octets = std::vector<std::uint8_t>;

inline void require(bool holds, std::string const& what) {
  if (!holds) throw std::runtime_error(what);
}

inline long u16(Octets const& b, std::size_t at) {
  require(at + 1 < b.size(), "reads behind the packet");
  return b[at] + 256L * b[at + 1];
}
inline long s16(Octets const& b, std::size_t at) {
  auto const v = u16(b, at);
  return v >= 32768 ? v - 65536 : v;
}
inline long s32(Octets const& b, std::size_t at) {
  auto const v = u16(b, at) + 65536L * u16(b, at + 2);
  return v >= 2147483648L ? v - 4294967296L : v;
}
inline long s8(std::uint8_t v) {
  return v >= 128 ? v - 256L : v;
}

// The payloads of a clean stream: nothing between the frames, every checksum right.
inline std::vector<Octets> split(Octets const& stream) {
  std::vector<Octets> packets;
  for (std::size_t i = 0; i < stream.size();) {
    require(stream.size() - i >= 6, "half a frame at the end");
    require(stream[i] == 250 && stream[i + 1] == 251, "no header where a frame should begin");
    std::size_t const count = stream[i + 2];
    require(count >= 3 && i + 3 + count <= stream.size(), "count byte does not fit");
    long sum = 0;
    auto left = count - 2;
    auto at = i + 3;
    while (left > 1) {
      sum = (sum + stream[at] * 256L + stream[at + 1]) % 65536;
      at += 2;
      left -= 2;
    }
    if (left == 1) sum = sum ^ stream[at++];
    require(stream[at] == sum / 256 && stream[at + 1] == sum % 256, "checksum is wrong");
    packets.emplace_back(stream.begin() + static_cast<long>(i) + 3, stream.begin() + static_cast<long>(at));
    i += 3 + count;
  }
  return packets;
}

// A client's command: its number and its argument as a sign and magnitude, or a text.
struct Said {
  int number{};
  bool has_argument{};
  bool is_text{};
  long value{};
  std::string text;
  friend bool operator==(Said const&, Said const&) = default;
};
inline std::ostream& operator<<(std::ostream& out, Said const& s) {
  out << "#" << s.number;
  if (s.is_text) return out << " \"" << s.text << '"';
  if (s.has_argument) out << ' ' << s.value;
  return out;
}
inline Said said(Octets const& p) {
  require(!p.empty(), "an empty packet");
  Said s;
  s.number = p[0];
  if (p.size() == 1) return s;
  s.has_argument = true;
  if (p[1] == 0x2b) {
    require(p.size() >= 3 && p.size() == 3u + p[2], "a text of another size than it says");
    require(p[2] <= 199, "a text longer than 199");
    s.is_text = true;
    s.text.assign(p.begin() + 3, p.end());
    return s;
  }
  require(p[1] == 0x3b || p[1] == 0x1b, "an argument type that does not exist");
  require(p.size() == 4, "an int argument is two bytes");
  s.value = p[1] == 0x1b ? -u16(p, 2) : u16(p, 2);
  return s;
}

// Everything that a client says in a clean stream.
inline std::vector<Said> conversation(Octets const& stream) {
  std::vector<Said> all;
  for (auto const& packet : split(stream)) all.push_back(said(packet));
  return all;
}

struct Report {
  std::map<std::string, long> number;
  std::map<std::string, std::string> text;
  std::vector<std::pair<long, long>> sonars;
};

inline Report sip(Octets const& p) {
  require(p.at(0) == 0x32 || p.at(0) == 0x33, "not a SIP");
  Report r;
  auto& n = r.number;
  n["moving"] = p[0] == 0x33;
  n["xpos"] = u16(p, 1);
  n["ypos"] = u16(p, 3);
  n["thpos"] = s16(p, 5);
  n["lvel"] = s16(p, 7);
  n["rvel"] = s16(p, 9);
  n["battery"] = p.at(11);
  n["stall12"] = p.at(12);
  n["stall13"] = p.at(13);
  n["control"] = s16(p, 14);
  n["flags"] = u16(p, 16);
  n["compass"] = p.at(18);
  std::size_t const discs = p.at(19);
  for (std::size_t i = 0; i < discs; ++i) r.sonars.emplace_back(p.at(20 + 3 * i), u16(p, 21 + 3 * i));
  auto const tail = 20 + 3 * discs;
  auto const byte = [&](char const* name, std::size_t at) {
    if (tail + at < p.size()) n[name] = p[tail + at];
  };
  byte("grip", 0);
  byte("anport", 1);
  byte("analog", 2);
  byte("digin", 3);
  byte("digout", 4);
  if (tail + 6 < p.size()) n["battery_x10"] = u16(p, tail + 5);
  byte("charge", 7);
  if (tail + 9 < p.size()) n["rotvel"] = s16(p, tail + 8);
  if (tail + 11 < p.size()) n["faults"] = u16(p, tail + 10);
  if (tail + 13 < p.size()) n["latvel"] = s16(p, tail + 12);
  if (tail + 14 < p.size()) n["temperature"] = s8(p[tail + 14]);
  byte("soc", 15);
  if (tail + 19 < p.size()) n["micros"] = s32(p, tail + 16);
  if (tail + 23 < p.size()) n["flags3"] = s32(p, tail + 20);
  return r;
}

// CONFIGpac, from the table's own words: "s" a text, "b" a byte, "w" a word, "c" a signed byte,
// "i" a signed word, "d" four bytes.
inline Report configpac(Octets const& p) {
  require(p.at(0) == 0x20, "not a CONFIGpac");
  static char const* const table =
      "s type s subtype s serial b 4motors w RotVelTop w TransVelTop w RotAccTop w TransAccTop w PWMMax "
      "s name b SipCycle b HostBaud b Aux1Baud w HasGripper w FrontSonar b RearSonar w LowBattery "
      "w RevCount w Watchdog b P2MPacs w StallVal w StallCount w JoyVel w JoyRVel w RotVelMax "
      "w TransVelMax w RotAcc w RotDecel w RotKP w RotKV w RotKI w TransAcc w TransDecel w TransKP "
      "w TransKV w TransKI b FrontBumps b RearBumps b Charger b SonarCycle b AutoBaud b HasGyro "
      "i DriftFactor b Aux2Baud b Aux3Baud w TicksMM w ShutdownVolts s firmware w GyroCW w GyroCCW "
      "b KinematicsDelay w LatVelTop w LatAccTop w LatVelMax w LatAcc w LatDecel w ChargeThreshold "
      "b PDBPort w GyroRateLimit c HighTempShutdown w PowerBits b BatteryType w SoCLow w SoCShutdown "
      "s bootloader d ConfigFlags i GyroFWVersion";
  Report r;
  std::istringstream words(table);
  std::string kind, name;
  std::size_t at = 1;
  while (words >> kind >> name && at < p.size()) {
    if (kind == "s") {
      while (at < p.size() && p[at] != 0) r.text[name] += static_cast<char>(p[at++]);
      ++at;
      continue;
    }
    std::size_t const size = kind == "d" ? 4 : kind == "w" || kind == "i" ? 2 : 1;
    if (at + size > p.size()) break;
    r.number[name] = kind == "b"   ? p[at]
                     : kind == "c" ? s8(p[at])
                     : kind == "w" ? u16(p, at)
                     : kind == "i" ? s16(p, at)
                                   : s32(p, at);
    at += size;
  }
  return r;
}

// A recorded session: lines of time, direction, bytes; '#' lines are remarks.
struct Recorded {
  double at{};
  bool from_client{};
  int run{};
  Octets bytes;
};
inline std::vector<Recorded> session(std::string const& path) {
  std::ifstream file(path);
  require(file.good(), "no recording at " + path);
  std::vector<Recorded> all;
  std::string line;
  auto run = 1;
  while (std::getline(file, line)) {
    if (line.rfind("# second run", 0) == 0) run = 2;
    if (line.empty() || line[0] == '#') continue;
    std::istringstream in(line);
    Recorded r;
    std::string who;
    in >> r.at >> who;
    r.from_client = who == "C";
    r.run = run;
    int octet{};
    while (in >> std::hex >> octet) r.bytes.push_back(static_cast<std::uint8_t>(octet));
    all.push_back(r);
  }
  return all;
}

}  // namespace second
