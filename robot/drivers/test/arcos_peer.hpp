// A controller made of recorded bytes: it answers as the recorded one did, with the recorded
// identity, CONFIGpac and SIP, in which only flags, speeds and positions are changed. It reads with
// the second decoder and writes by hand, so that it shares nothing with the driver.
#pragma once

#include "host.hpp"
#include "second_arcos.hpp"
#include <set>

namespace cy::test {

inline second::Octets framed(second::Octets const& payload) {
  second::Octets out{0xfa, 0xfb, static_cast<std::uint8_t>(payload.size() + 2)};
  out.insert(out.end(), payload.begin(), payload.end());
  unsigned sum = 0;
  for (std::size_t i = 0; i + 1 < payload.size(); i += 2) sum += payload[i] * 256u + payload[i + 1];
  if (payload.size() % 2 == 1) sum ^= payload.back();
  out.push_back(static_cast<std::uint8_t>(sum >> 8));
  out.push_back(static_cast<std::uint8_t>(sum));
  return out;
}

inline std::vector<second::Recorded> const& recorded_session() {
  static auto const all = second::session(CY_SOURCE_DIR "/robot/codec/test/data/aria_session.txt");
  return all;
}
inline second::Octets recorded_packet(std::uint8_t id, std::size_t longer_than = 1) {
  for (auto const& r : recorded_session()) {
    if (r.from_client) continue;
    auto const payload = second::split(r.bytes).at(0);
    if (payload[0] == id && payload.size() > longer_than) return payload;
  }
  throw std::runtime_error("no such packet in the recording");
}

inline std::vector<Buffer> arcos_recordings() {
  std::vector<Buffer> all;
  for (auto const& recorded : recorded_session()) all.push_back(recorded.bytes);
  return all;
}

class ArcosPeer final : public Peer {
 public:
  bool sips{true};  // reports go out
  bool answers_config{true};
  bool stop_button{};  // pressed: motors do not come on
  bool streaming{};    // still open from before
  bool moving_id{};    // reports as 0x33
  int noise{};         // mm/s, on the wheels at rest
  Duration answers_after{5ms};
  Duration rolls_for{};  // after a stop
  std::string sub_type{"p3dx-sh"};
  unsigned baud{};        // hears only this; 0: any
  unsigned flash_baud{};  // and from CLOSE on this; 0: the same
  bool follows_hostbaud{true};
  std::vector<int> sonars;  // discs in each report; empty: as recorded
  std::function<void(second::Octets&)> edit_config = [](auto&) {};

  bool motors{};
  int velocity{}, rotation{};
  int x{}, y{}, heading{};
  std::vector<second::Said> heard;
  std::set<int> never_heard;  // commands that get lost

  void hear(Channel, Bytes bytes, unsigned at, Time now) override {
    rate_ = at;
    if (baud != 0 && at != baud) return;
    for (auto const& packet : second::split({bytes.begin(), bytes.end()})) obey(second::said(packet), now);
  }
  std::optional<Piece> say(Time now) override {
    if (!said_.empty() && said_.begin()->first <= now) {
      auto bytes = said_.begin()->second;
      said_.erase(said_.begin());
      return Piece{line_, std::move(bytes)};
    }
    if (streaming && next_sip_ <= now) {
      next_sip_ = now + 100ms;
      if (sips && (baud == 0 || rate_ == baud)) return Piece{line_, framed(sip(now))};
    }
    return std::nullopt;
  }
  std::optional<Time> deadline() const override {
    std::optional<Time> first;
    if (!said_.empty()) first = said_.begin()->first;
    if (streaming && (!first || next_sip_ < *first)) first = next_sip_;
    return first;
  }
  void opened(Channel line, Time now) override {
    line_ = line;
    next_sip_ = now + 30ms;
  }
  // With whatever is no stop, a controller whose watchdog ran out takes up its last speeds again
  // (maker's manual).
  Order first_order(Bytes bytes) const override {
    auto const all = second::conversation({bytes.begin(), bytes.end()});
    if (all.empty()) return Order::neither;
    auto const& first = all.front();
    auto const stops = first.number == 29 || first.number == 55 || (first.number == 4 && first.value == 0);
    return stops ? Order::stops : Order::moves;
  }
  void answer(second::Octets const& payload, Time at) { said_.emplace(at, framed(payload)); }

  std::size_t count(int number) const {
    return static_cast<std::size_t>(
        std::count_if(heard.begin(), heard.end(), [&](auto const& s) { return s.number == number; }));
  }

 private:
  void obey(second::Said const& s, Time now) {
    if (never_heard.count(s.number) > 0) return;
    heard.push_back(s);
    auto const soon = now + answers_after;
    if (!streaming) {
      if (s.number > 2 || s.has_argument) {
        if (s.number == 1 && synced_ == 3) {
          streaming = true;
          motors = false;
          next_sip_ = now + 100ms;
        }
        return;
      }
      if (s.number == 2) {
        auto identity = recorded_packet(2);
        identity.resize(identity.size() - 8);  // without "p3dx-sh\0"
        identity.insert(identity.end(), sub_type.begin(), sub_type.end());
        identity.push_back(0);
        answer(identity, soon);
        synced_ = 3;
      } else {
        answer({static_cast<std::uint8_t>(s.number)}, soon);
      }
      return;
    }
    switch (s.number) {
      case 2:
        if (flash_baud != 0) baud = flash_baud;
        streaming = false;
        motors = false;
        velocity = rotation = 0;
        synced_ = 0;
        said_.clear();
        break;
      case 4:
        motors = s.value == 1 && !stop_button;
        break;
      case 7:
        x = y = heading = 0;
        break;
      case 11:
        if (rests_at_) break;
        velocity = static_cast<int>(s.value);
        break;
      case 18:
        if (answers_config) {
          auto config = recorded_packet(0x20);
          edit_config(config);
          answer(config, soon);
        }
        break;
      case 21:
        rotation = static_cast<int>(s.value);
        break;
      case 29:
      case 55:
        if (velocity != 0 && rolls_for > 0s && !rests_at_) rests_at_ = now + rolls_for;
        if (!rests_at_) velocity = rotation = 0;
        break;
      case 50:
        if (follows_hostbaud) baud = s.value == 2 ? 38400 : 9600;
        break;
      default:
        break;
    }
  }

  second::Octets sip(Time now) {
    if (rests_at_ && now >= *rests_at_) {
      velocity = rotation = 0;
      rests_at_.reset();
    }
    auto p = recorded_packet(0x32);
    auto const put = [&](std::size_t at, int v) {
      p[at] = static_cast<std::uint8_t>(v);
      p[at + 1] = static_cast<std::uint8_t>(v >> 8);
    };
    if (motors) x += velocity / 10;
    p[0] = moving_id ? 0x33 : 0x32;
    put(1, x);
    put(3, y);
    put(5, heading);
    put(7, motors && velocity != 0 ? velocity : noise);
    put(9, motors && velocity != 0 ? velocity : -noise);
    put(16, 0x1e | (motors ? 1 : 0) | (stop_button ? 0x20 : 0));
    if (!sonars.empty()) {
      second::Octets const tail(p.begin() + 20 + 3 * 16, p.end());
      p.resize(20);
      p[19] = 0;
      for (auto const disc : sonars) {
        if (disc < 0) continue;  // {-1}: no readings at all
        ++p[19];
        p.insert(p.end(), {static_cast<std::uint8_t>(disc), 0xe8, 0x03});
      }
      p.insert(p.end(), tail.begin(), tail.end());
    }
    return p;
  }

  Channel line_;
  int synced_{};
  unsigned rate_{};  // of the line, as last heard
  Time next_sip_{};
  std::optional<Time> rests_at_;
  std::multimap<Time, Buffer> said_;
};

}  // namespace cy::test
