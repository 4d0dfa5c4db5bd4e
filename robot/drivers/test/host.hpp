// What a driver sees of the world, in virtual time: a host that carries out its effects, and a peer
// at the other end of its channels.
#pragma once

#include <cy/model/driver.hpp>

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>

namespace cy::test {

// What bytes do to a device. `moves` is also whatever lets it go on as it was last told.
enum class Order : std::uint8_t { neither, stops, moves };
constexpr auto names(Order) {
  return std::array<std::string_view, 3>{"neither", "stops", "moves"};
}

// A controller, or what stands for one.
class Peer {
 public:
  struct Piece {
    Channel channel;
    Buffer bytes;
  };

  bool mute{};  // hears, but what it says is not heard

  virtual ~Peer() = default;
  virtual void opened(Channel, Time) {}
  virtual void hear(Channel channel, Bytes bytes, unsigned baud, Time now) = 0;
  // What it says by now, at most one piece a call; and when it will say something next.
  virtual std::optional<Piece> say(Time now) = 0;
  virtual std::optional<Time> deadline() const = 0;
  // The first in these bytes that stops the device or moves it.
  virtual Order first_order(Bytes) const { return Order::neither; }
};

class Host {
 public:
  struct Sent {
    Time at;
    Channel channel;
    Buffer bytes;
    Order order{};
  };

  Host(Driver& driver, Peer* peer) : driver_(driver), peer_(peer) {}

  Time now() const { return now_; }
  // Every line that the driver has asked for is open; one of them is.
  bool lines_open() const {
    return any_line_open() &&
           std::all_of(lines_.begin(), lines_.end(), [](auto const& l) { return l.second.open; });
  }
  bool any_line_open() const {
    return std::any_of(lines_.begin(), lines_.end(), [](auto const& l) { return l.second.open; });
  }
  // Of the line that it asked for first.
  unsigned baud() const { return lines_.empty() ? 0 : lines_.begin()->second.baud; }

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
  // To every line that the driver has asked for, open or not.
  void feed(Bytes bytes) {
    for (auto const& [channel, line] : lines_) {
      driver_.on_bytes(channel, bytes, now_);
      carry_out();
    }
  }
  void drop_lines(std::string_view why) {
    for (auto& [channel, line] : lines_) {
      if (!line.open) continue;
      line.open = false;
      driver_.on_closed(channel, why, now_);
      carry_out();
    }
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
  // As its driver last reported it; a failure where the robot has no base, or that has no state.
  BaseState base() const {
    auto const* part = robots.empty() ? nullptr : robots.front().find(PartKind::base);
    auto const state = part ? this->part<BaseState>(part->id.value) : std::nullopt;
    EXPECT_TRUE(part) << "no robot with a part of the kind `base` was described";
    EXPECT_TRUE(!part || state) << "part " << part->id.value << ", the base, has reported no BaseState";
    return state.value_or(BaseState{});
  }
  std::optional<Refusal> ending(std::uint64_t id) const {
    auto const found = endings.find(id);
    return found == endings.end() ? std::nullopt : std::optional(found->second.front());
  }
  bool noted(std::string_view part) const {
    return std::any_of(notes.begin(), notes.end(),
                       [&](auto const& n) { return n.second.find(part) != std::string::npos; });
  }
  std::string trouble() const { return devices.empty() ? "" : devices.back().trouble; }
  // What was sent first since the mark that stops the device or moves it; null: nothing did.
  Sent const* first_order(std::size_t since) const {
    for (auto i = since; i < sent.size(); ++i)
      if (sent[i].order != Order::neither) return &sent[i];
    return nullptr;
  }
  // What was sent since the mark, as one stream.
  Buffer stream(std::size_t since = 0) const {
    Buffer all;
    for (auto i = since; i < sent.size(); ++i)
      all.insert(all.end(), sent[i].bytes.begin(), sent[i].bytes.end());
    return all;
  }

 private:
  struct Line {
    bool open{};
    unsigned baud{};
    std::optional<Time> opens_at;
  };

  bool run(std::function<bool()> const& done, Time end) {
    auto calls_now = 0;
    while (!done()) {
      auto next = end;
      std::function<void()> happens;
      if (auto const t = driver_.deadline(); t && *t <= next) {
        next = *t;
        happens = [&] { driver_.on_time(now_); };
      }
      if (peer_ && any_line_open())
        if (auto const t = peer_->deadline(); t && *t < next) {
          next = *t;
          happens = [&] { listen(); };
        }
      for (auto& [channel, line] : lines_)
        if (line.opens_at && *line.opens_at <= next) {
          next = *line.opens_at;
          happens = [&, opening = channel] { open(opening); };
        }
      if (!happens) {
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
      happens();
      carry_out();
    }
    return true;
  }
  void listen() {
    auto const said = peer_->say(now_);
    if (!said || peer_->mute) return;
    auto const line = lines_.find(said->channel);
    ASSERT_NE(line, lines_.end()) << "the peer speaks on channel " << int{said->channel.value}
                                  << ", which nobody has asked for";
    if (line->second.open) driver_.on_bytes(said->channel, said->bytes, now_);
  }
  void open(Channel channel) {
    lines_[channel].opens_at.reset();
    if (refuse_to_open) return driver_.on_closed(channel, "connection refused", now_);
    lines_[channel].open = true;
    if (peer_) peer_->opened(channel, now_);
    driver_.on_opened(channel, now_);
  }

  void carry_out() {
    std::vector<driver::Effect> effects;
    driver_.drain(effects);
    for (auto& effect : effects) std::visit([&](auto& e) { on(e); }, effect);
  }
  void on(driver::Open& e) {
    auto& line = lines_[e.channel];
    EXPECT_FALSE(line.open) << "channel " << int{e.channel.value} << " is opened twice";
    opens.push_back(now_);
    line.baud = e.baud;
    if (!hold_opening) line.opens_at = now_ + 1ms;
  }
  void on(driver::Close& e) {
    auto const line = lines_.find(e.channel);
    ASSERT_NE(line, lines_.end()) << "channel " << int{e.channel.value} << " is closed, but was never opened";
    line->second.open = false;
    line->second.opens_at.reset();
  }
  void on(driver::SetBaud& e) { lines_[e.channel].baud = e.baud; }
  void on(driver::Transmit& e) {
    auto const& line = lines_[e.channel];
    EXPECT_TRUE(line.open) << "bytes for channel " << int{e.channel.value} << ", which is closed";
    sent.push_back({now_, e.channel, e.bytes, peer_ ? peer_->first_order(e.bytes) : Order::neither});
    if (peer_ && line.open) peer_->hear(e.channel, e.bytes, line.baud, now_);
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
  std::map<Channel, Line> lines_;
  std::uint64_t last_id_{};
};

}  // namespace cy::test
