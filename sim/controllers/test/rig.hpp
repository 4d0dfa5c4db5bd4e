// A robot in a room and a client that speaks plain bytes, in virtual time.
#pragma once

#include <cy/controllers/arcos_controller.hpp>

#include <gtest/gtest.h>

#include "plain.hpp"
#include <algorithm>
#include <cmath>

namespace cy::sim {

inline ArcosOptions with(std::string_view faults) {
  ArcosOptions options;
  auto const orders = parse_fault_orders(faults);
  EXPECT_TRUE(orders) << orders.error().what;
  options.faults = *orders;
  return options;
}

enum Numbers : int {
  PULSE = 0,
  OPEN = 1,
  CLOSE = 2,
  POLLING = 3,
  ENABLE = 4,
  SETA = 5,
  SETV = 6,
  SETO = 7,
  MOVE = 8,
  ROTATE = 9,
  SETRV = 10,
  VEL = 11,
  HEAD = 12,
  DHEAD = 13,
  SAY = 15,
  JOYREQUEST = 17,
  CONFIG = 18,
  ENCODER = 19,
  RVEL = 21,
  DCHEAD = 22,
  SETRA = 23,
  SONAR = 28,
  STOP = 29,
  DIGOUT = 30,
  VEL2 = 32,
  GRIPREQUEST = 37,
  IOREQUEST = 40,
  TTY2 = 42,
  BUMPSTALL = 44,
  SONARCYCLE = 48,
  HOSTBAUD = 50,
  E_STOP = 55,
  E_STALL = 56,
  QSTOP = 57,
  GYRO = 58,
  BATTERYINFO = 62,
  ARM_INFO = 70,
  ARM_STATUS = 71,
  REVCOUNT = 88,
  DRIFTFACTOR = 89,
  TICKSMM = 93,
  SIM_SET_POSE = 224,
  SIM_RESET = 225,
  SIM_STAT = 237,
  BATTEST = 250,
  RESET = 253,
  MAINTENANCE = 255
};

// A wall at x, across the room.
inline WorldModel wall_at(double x) {
  WorldModel model;
  model.name = "wall";
  model.walls.push_back({{x, -50.0}, {x, 50.0}});
  return model;
}

struct Rig {
  explicit Rig(ArcosOptions options = {}, WorldModel model = {}, Profile profile = Profile::ideal,
               Pose2 start = {})
      : world{std::move(model), profile, Seed{7}}, robot{world, start, std::move(options), Seed{9}, now} {
    robot.on_connected(now);
    collect();
  }

  Time now{Time{} + 1000s};
  World world;
  ArcosController robot;
  plain::Stream heard;
  std::vector<TraceEntry> traced;
  std::vector<unsigned> bauds;
  bool hung_up{};
  double top_speed{};  // true ones, ever
  double top_turn{};

  void collect() {
    for (auto& effect : robot.drain()) {
      if (auto* send = std::get_if<ControllerSend>(&effect)) heard.feed(send->bytes);
      if (auto* entry = std::get_if<TraceEntry>(&effect)) traced.push_back(std::move(*entry));
      if (auto* baud = std::get_if<ControllerBaud>(&effect)) bauds.push_back(baud->baud);
      if (std::holds_alternative<ControllerHangUp>(effect)) hung_up = true;
    }
    top_speed = std::max(top_speed, std::abs(robot.speed().linear));
    top_turn = std::max(top_turn, std::abs(robot.speed().angular));
  }
  void run(Duration time) {
    auto const end = now + time;
    for (auto next = robot.deadline(); next && *next <= end; next = robot.deadline()) {
      now = std::max(now, *next);
      robot.on_time(now);
      collect();
    }
    now = end;
    robot.on_time(now);
    collect();
  }
  // Runs and keeps the watchdog quiet with PULSE, as a client does.
  void drive(Duration time) {
    for (auto left = time; left > 0ms; left -= 500ms) {
      say(plain::order(PULSE));
      run(std::min<Duration>(left, 500ms));
    }
  }
  void say(plain::Raw const& bytes) {
    robot.on_bytes(bytes, now);
    collect();
  }
  template <class... Args>
  void order(Args... args) {
    say(plain::order(args...));
  }
  void sync() { order(0), order(1), order(2); }
  void open(bool motors = true) {
    sync();
    order(OPEN, 1);
    if (motors) order(ENABLE, 1);
    heard.payloads.clear();
  }

  std::vector<plain::Sip> sips() const {
    std::vector<plain::Sip> all;
    for (auto const& payload : heard.payloads) {
      if (auto const s = plain::sip(payload)) all.push_back(*s);
    }
    return all;
  }
  // The next one, with everything before it dropped.
  plain::Sip next_sip() {
    heard.payloads.clear();
    run(100ms);
    auto const all = sips();
    EXPECT_FALSE(all.empty()) << "no SIP within 100 ms";
    return all.empty() ? plain::Sip{} : all.back();
  }
  std::vector<plain::Raw> packets(int id) const {
    std::vector<plain::Raw> some;
    for (auto const& payload : heard.payloads) {
      if (payload[0] == id) some.push_back(payload);
    }
    return some;
  }
  // When `what` last became `to`.
  std::optional<Time> when(std::string_view what, std::string_view to) const {
    for (auto entry = traced.rbegin(); entry != traced.rend(); ++entry) {
      auto const* change = std::get_if<Changed>(&entry->what);
      if (change != nullptr && change->what == what && change->to == to) return entry->at;
    }
    return {};
  }
};

}  // namespace cy::sim
