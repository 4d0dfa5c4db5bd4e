// Any bytes from a client, at any time, in any state. The first byte picks the starting state and
// the robot, the rest is a list of actions: bytes, well-framed orders, waits, disconnects, faults.
// Holds always: no body faster than FLASH allows, no motion without motors or past the watchdog,
// every packet out well formed (unless that is the ordered fault), virtual time never stuck.
#include <cy/base/check.hpp>
#include <cy/codec/arcos.hpp>
#include <cy/controllers/arcos_controller.hpp>

#include <cmath>

using namespace cy;
using namespace cy::sim;

namespace {

struct Input {
  Bytes bytes;
  std::uint8_t next() {
    if (bytes.empty()) return 0;
    auto const byte = bytes.front();
    bytes = bytes.subspan(1);
    return byte;
  }
  Bytes take(std::size_t count) {
    auto const part = bytes.first(std::min(count, bytes.size()));
    bytes = bytes.subspan(part.size());
    return part;
  }
};

WorldModel room() {
  WorldModel model;
  model.walls = {{{-2, -2}, {2, -2}}, {{2, -2}, {2, 2}}, {{2, 2}, {-2, 2}}, {{-2, 2}, {-2, -2}}};
  return model;
}

class Watch {
 public:
  Watch(ArcosController& robot, bool noisy, bool lenient) : robot_{robot}, noisy_{noisy}, lenient_{lenient} {}

  void check() {
    for (auto& effect : robot_.drain()) {
      if (auto const* send = std::get_if<ControllerSend>(&effect)) packets(send->bytes);
      if (auto const* entry = std::get_if<TraceEntry>(&effect)) note(*entry);
    }
    auto const speed = robot_.speed();
    // FLASH's tops, and some for wheels that differ and slip in the real profile.
    CY_CHECK(std::abs(speed.linear) < 1.5 * 1.25);
    CY_CHECK(std::abs(speed.angular) < radians(300) * 1.25 + 0.2);
    auto const pose = robot_.pose();
    CY_CHECK(std::isfinite(pose.x) && std::isfinite(pose.y) && std::isfinite(pose.yaw));
  }

 private:
  void packets(Bytes bytes) {
    if (noisy_) return;
    arcos::Framer framer;
    auto const payloads = framer.feed(bytes);
    CY_CHECK(payloads.size() == 1 && framer.pending() == 0 && framer.counts().stray == 0);
    CY_CHECK(bytes.size() <= 200);
    // A lenient handshake echoes any number, those of SIPs too.
    if (!arcos::is_sip(payloads[0][0]) || payloads[0].size() == 1) return;
    auto const sip = arcos::decode_sip(payloads[0]);
    CY_CHECK(sip.has_value());
    CY_CHECK(sip->sonars.size() <= 16);
    for (auto const& reading : sip->sonars) CY_CHECK(reading.disc < 16 && reading.range <= 5000);
    CY_CHECK(sip->heading >= -2048 && sip->heading < 2048);
  }
  // How soon a body rests depends on the session's deceleration; but once it does, nothing starts it
  // without motors or while the watchdog holds it.
  void note(TraceEntry const& entry) {
    auto const* change = std::get_if<Changed>(&entry.what);
    if (change == nullptr) return;
    if (change->what == "motors") motors_ = change->to == "on";
    if (change->what == "watchdog") tripped_ = change->to == "tripped";
    if (change->what == "motion" && change->to == "moving" && !lenient_) {
      CY_CHECK(motors_);
      CY_CHECK(!tripped_);
    }
    CY_CHECK(entry.at >= last_);
    last_ = entry.at;
  }

  ArcosController& robot_;
  bool noisy_;
  bool lenient_;
  bool motors_{};
  bool tripped_{};
  Time last_{};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Input input{{data, std::min<std::size_t>(size, 400)}};
  auto const kind = input.next();
  ArcosOptions options;
  options.generation = (kind & 1) != 0 ? Generation::h8 : Generation::sh2;
  options.lenient = (kind & 2) != 0;
  options.gyro = options.front_bumpers = options.rear_bumpers = (kind & 4) != 0;
  if ((kind & 8) != 0) options.faults.push_back({.kind = FaultKind::stale_session});
  auto const noisy = (kind & 16) != 0;
  if (noisy) {
    options.faults.push_back({.kind = FaultKind::badsum, .chance = 0.2});
    options.faults.push_back({.kind = FaultKind::stray, .chance = 0.2});
  }
  World world{room(), (kind & 32) != 0 ? Profile::real : Profile::ideal, Seed{1}};
  Time now{Time{} + 1h};
  ArcosController robot{world, {}, options, Seed{2}, now};
  Watch watch{robot, noisy, options.lenient};
  robot.on_connected(now);
  if ((kind & 64) != 0) {
    for (auto const order : {arcos::sync0, arcos::sync1, arcos::sync2, arcos::Order::open}) {
      robot.on_bytes(arcos::encode(order), now);
    }
    robot.on_bytes(arcos::encode(arcos::Order::enable, 1), now);
  }
  watch.check();

  Duration total{};
  while (!input.bytes.empty() && total < 200s) {
    auto const action = input.next();
    Duration wait{};
    switch (action % 8) {
      case 0:
        robot.on_bytes(input.take(1 + input.next() % 16), now);
        break;
      case 1:
        robot.on_bytes(arcos::encode(arcos::Order{input.next()}), now);
        break;
      case 2:
      case 3: {
        auto const order = arcos::Order{input.next()};
        auto const low = input.next();
        auto const value = low + 256 * input.next();
        robot.on_bytes(arcos::encode(order, action % 8 == 2 ? value : -value), now);
        break;
      }
      case 4: {
        auto const order = arcos::Order{input.next()};
        robot.on_bytes(arcos::encode(order, input.take(input.next() % 20)), now);
        break;
      }
      case 5:
        wait = std::chrono::milliseconds{10 * input.next()};
        break;
      case 6: {
        auto const order = static_cast<FaultKind>(input.next() % 12);
        if (order == FaultKind::badsum || order == FaultKind::stray) break;
        robot.order({.kind = order,
                     .from = std::chrono::milliseconds{10 * input.next()},
                     .length = std::chrono::milliseconds{10 * input.next()},
                     .delay = 50ms},
                    now);
        break;
      }
      case 7:
        (input.next() & 1) != 0 ? robot.on_connected(now) : robot.on_disconnected(now);
        break;
    }
    watch.check();
    total += wait;
    auto const end = now + wait;
    for (int turns = 0; robot.deadline() && *robot.deadline() <= end; ++turns) {
      CY_CHECK(turns < 100000);
      auto const due = std::max(now, *robot.deadline());
      robot.on_time(due);
      watch.check();
      CY_CHECK(!robot.deadline() || *robot.deadline() > due || due < end || turns < 1000);
    }
    now = end;
    robot.on_time(now);
    watch.check();
  }
  return 0;
}
