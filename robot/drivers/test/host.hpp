// What a driver sees of the world, in virtual time: a host that carries out its effects, and a peer
// at the other end of its channel.
#pragma once

#include <cy/model/driver.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>

namespace cy::test {

// A controller, or what stands for one.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual void opened(Time) {}
  virtual void hear(Bytes bytes, unsigned baud, Time now) = 0;
  // What it says by now, at most one piece a call; and when it will say something next.
  virtual std::optional<Buffer> say(Time now) = 0;
  virtual std::optional<Time> deadline() const = 0;
};

class Host {
 public:
  struct Sent {
    Time at;
    Buffer bytes;
  };

  Host(Driver& driver, Peer* peer) : driver_(driver), peer_(peer) {}

  Time now() const { return now_; }
  bool channel_open() const { return open_; }
  unsigned baud() const { return baud_; }

  bool refuse_to_open{};  // the line is not there
  bool hold_opening{};    // the line takes for ever

  std::vector<Sent> sent;
  std::map<std::uint64_t, std::vector<Refusal>> endings;  // Refusal::none: applied
  std::vector<DeviceState> devices;
  std::vector<RobotInfo> robots;
  std::map<PartId, wire::Body> parts;
  std::vector<std::pair<Time, std::string>> notes;
  std::vector<Time> opens;
  std::uint64_t reports{};

  void start() {
    driver_.start(now_);
    carry_out();
  }
  std::uint64_t command(wire::Body const& what, Duration lifetime = 300ms, RobotId robot = RobotId{1}) {
    auto const id = CommandId{++last_id_};
    driver_.on_command(Command{id, robot, wire::view(what), now_ + lifetime}, now_);
    carry_out();
    return id.value;
  }
  template <wire::Message M>
  std::uint64_t command(M const& what, Duration lifetime = 300ms) {
    return command(wire::body_of(what), lifetime);
  }
  void stop(StopKind kind) {
    driver_.on_stop(kind, now_);
    carry_out();
  }
  void close() {
    driver_.close(now_);
    carry_out();
  }
  void feed(Bytes bytes) {
    driver_.on_bytes(Channel{0}, bytes, now_);
    carry_out();
  }
  void drop_line(std::string_view why) {
    open_ = false;
    driver_.on_closed(Channel{0}, why, now_);
    carry_out();
  }
  // Time passes, but nobody calls the driver.
  void oversleep(Duration d) { now_ += d; }

  // Everything that is due happens at its time.
  void run_for(Duration d) {
    auto const end = now_ + d;
    run([&] { return false; }, end);
    now_ = std::max(now_, end);
  }
  bool run_until(std::function<bool()> const& done, Duration most) { return run(done, now_ + most); }

  DevicePhase phase() const { return devices.empty() ? DevicePhase::closed : devices.back().phase; }
  bool ready() const { return phase() == DevicePhase::ready; }
  template <wire::Message M>
  std::optional<M> part(unsigned id) const {
    auto const found = parts.find(PartId{static_cast<std::uint16_t>(id)});
    return found == parts.end() ? std::nullopt : wire::as<M>(wire::view(found->second));
  }
  std::optional<Refusal> ending(std::uint64_t id) const {
    auto const found = endings.find(id);
    return found == endings.end() ? std::nullopt : std::optional(found->second.front());
  }
  bool noted(std::string_view part) const {
    return std::any_of(notes.begin(), notes.end(),
                       [&](auto const& n) { return n.second.find(part) != std::string::npos; });
  }
  // What was sent since the mark, as one stream.
  Buffer stream(std::size_t since = 0) const {
    Buffer all;
    for (auto i = since; i < sent.size(); ++i)
      all.insert(all.end(), sent[i].bytes.begin(), sent[i].bytes.end());
    return all;
  }

 private:
  bool run(std::function<bool()> const& done, Time end) {
    auto calls_now = 0;
    while (!done()) {
      auto next = end;
      auto whose = 0;
      if (auto const t = driver_.deadline(); t && *t <= next) {
        next = *t;
        whose = 1;
      }
      if (peer_ && open_)
        if (auto const t = peer_->deadline(); t && *t < next) {
          next = *t;
          whose = 2;
        }
      if (opening_at_ && *opening_at_ <= next) {
        next = *opening_at_;
        whose = 3;
      }
      if (whose == 0) {
        now_ = std::max(now_, end);
        return done();
      }
      if (next > now_)
        calls_now = 0;
      else if (++calls_now > 500) {
        ADD_FAILURE() << "the driver spins: its deadline stays in the past";
        return false;
      }
      now_ = std::max(now_, next);
      if (whose == 1) {
        driver_.on_time(now_);
      } else if (whose == 2) {
        if (auto const bytes = peer_->say(now_)) driver_.on_bytes(Channel{0}, *bytes, now_);
      } else {
        opening_at_.reset();
        if (refuse_to_open) {
          driver_.on_closed(Channel{0}, "connection refused", now_);
        } else {
          open_ = true;
          if (peer_) peer_->opened(now_);
          driver_.on_opened(Channel{0}, now_);
        }
      }
      carry_out();
    }
    return true;
  }

  void carry_out() {
    std::vector<driver::Effect> effects;
    driver_.drain(effects);
    for (auto& effect : effects) std::visit([&](auto& e) { on(e); }, effect);
  }
  void on(driver::Open& e) {
    EXPECT_FALSE(open_) << "opened twice";
    opens.push_back(now_);
    baud_ = e.baud;
    if (!hold_opening) opening_at_ = now_ + 1ms;
  }
  void on(driver::Close&) {
    open_ = false;
    opening_at_.reset();
  }
  void on(driver::SetBaud& e) { baud_ = e.baud; }
  void on(driver::Transmit& e) {
    EXPECT_TRUE(open_) << "bytes for a closed channel";
    sent.push_back({now_, e.bytes});
    if (peer_ && open_) peer_->hear(e.bytes, baud_, now_);
  }
  void on(driver::Described& e) { robots = e.robots; }
  void on(driver::DeviceChanged& e) { devices.push_back(e.state); }
  void on(driver::Observed& e) { parts[e.part] = e.state; }
  void on(driver::Reported&) { ++reports; }
  void on(driver::Applied& e) { endings[e.id.value].push_back(Refusal::none); }
  void on(driver::Refused& e) {
    EXPECT_NE(e.why, Refusal::none);
    endings[e.id.value].push_back(e.why);
  }
  void on(driver::Note& e) { notes.emplace_back(now_, e.text); }

  Driver& driver_;
  Peer* peer_;
  Time now_{Time{} + 1000s};
  bool open_{};
  unsigned baud_{};
  std::optional<Time> opening_at_;
  std::uint64_t last_id_{};
};

}  // namespace cy::test
