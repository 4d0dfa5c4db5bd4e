// The arcos driver, a host and a controller of recorded bytes, in virtual time.
#pragma once

#include <cy/codec/arcos.hpp>
#include <cy/drivers/drivers.hpp>

#include "arcos_peer.hpp"

namespace cy::test {

using second::Said;

inline constexpr int pulse = 0, open_ = 1, close_ = 2, enable = 4, seto = 7, vel = 11, config = 18, rvel = 21,
                     stop = 29, digout = 30, hostbaud = 50, e_stop = 55, revcount = 88;

class ArcosDriver : public testing::Test {
 protected:
  std::vector<std::pair<std::string, std::string>> options_;
  std::string address_{"tcp:127.0.0.1:8101"};
  unsigned baud_{};
  ArcosPeer peer_;
  std::unique_ptr<Driver> driver_;
  std::unique_ptr<Host> host_;

  Host& host() {
    if (!host_) {
      DriverConfig made;
      made.device = DeviceId{1};
      made.first_robot = RobotId{1};
      made.name = "ada";
      made.address = address_;
      made.baud = baud_;
      made.options = options_;
      auto driver = make_driver("arcos", made);
      if (!driver) throw std::runtime_error(driver.error().what);
      driver_ = std::move(*driver);
      host_ = std::make_unique<Host>(*driver_, &peer_);
    }
    return *host_;
  }
  void become_ready() {
    host().start();
    ASSERT_TRUE(host().run_until([&] { return host().ready(); }, 20s)) << host().devices.back().trouble;
  }
  void become_drivable() {
    become_ready();
    motors(true);
    ASSERT_TRUE(host().part<BaseState>(1)->motors);
  }
  std::optional<Refusal> motors(bool on) {
    auto const id = host().command(Motors{on});
    host().run_until([&] { return host().ending(id).has_value(); }, 3s);
    host().run_for(100ms);
    return host().ending(id);
  }
  // What the driver said since the mark.
  std::vector<Said> said(std::size_t mark = 0) { return second::conversation(host().stream(mark)); }
  std::string trouble() { return host().devices.back().trouble; }
  std::uint64_t counted(std::string_view reason) {
    for (auto const& counter : host().devices.back().counters)
      if (counter.reason == reason) return counter.count;
    return 0;
  }
  static Said order(int number) { return {number, false, false, 0, {}}; }
  static Said order(int number, long value) { return {number, true, false, value, {}}; }
};

}  // namespace cy::test
