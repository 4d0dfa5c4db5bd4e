// The codec against bytes that others sent, by way of the second decoder.
#include <cy/base/random.hpp>
#include <cy/codec/arcos.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "second_arcos.hpp"

namespace cy::arcos {
namespace {

std::vector<second::Recorded> recorded() {
  return second::session(CY_SOURCE_DIR "/robot/codec/test/data/aria_session.txt");
}

void expect_same(Sip const& ours, second::Report const& theirs) {
  auto const number = [&](char const* name) { return theirs.number.at(name); };
  EXPECT_EQ(ours.moving, number("moving") == 1);
  EXPECT_EQ(ours.x, number("xpos"));
  EXPECT_EQ(ours.y, number("ypos"));
  EXPECT_EQ(ours.heading, number("thpos"));
  EXPECT_EQ(ours.left, number("lvel"));
  EXPECT_EQ(ours.right, number("rvel"));
  EXPECT_EQ(ours.battery, number("battery"));
  EXPECT_EQ(ours.stall_rear, number("stall12"));
  EXPECT_EQ(ours.stall_front, number("stall13"));
  EXPECT_EQ(ours.control, number("control"));
  EXPECT_EQ(ours.flags, number("flags"));
  EXPECT_EQ(ours.compass, number("compass"));
  ASSERT_EQ(ours.sonars.size(), theirs.sonars.size());
  for (std::size_t i = 0; i < ours.sonars.size(); ++i) {
    EXPECT_EQ(ours.sonars[i].disc, theirs.sonars[i].first);
    EXPECT_EQ(ours.sonars[i].range, theirs.sonars[i].second);
  }
  auto const optional = [&](auto const& field, char const* name) {
    auto const found = theirs.number.find(name);
    ASSERT_EQ(field.has_value(), found != theirs.number.end()) << name;
    if (field) {
      EXPECT_EQ(static_cast<std::uint32_t>(*field), static_cast<std::uint32_t>(found->second)) << name;
    }
  };
  optional(ours.grip_or_port, "grip");
  optional(ours.port_or_grip, "anport");
  optional(ours.analog, "analog");
  optional(ours.digital_in, "digin");
  optional(ours.digital_out, "digout");
  optional(ours.battery_x10, "battery_x10");
  optional(ours.charge, "charge");
  optional(ours.rotation, "rotvel");
  optional(ours.faults, "faults");
  optional(ours.lateral, "latvel");
  optional(ours.temperature, "temperature");
  optional(ours.state_of_charge, "soc");
  optional(ours.micros, "micros");
  optional(ours.flags3, "flags3");
}

// One random value, as far as `present` optional fields reach.
Sip random_sip(Random& random, std::size_t present) {
  auto const byte = [&] { return static_cast<std::uint8_t>(random.next()); };
  auto const word = [&] { return static_cast<std::uint16_t>(random.next()); };
  Sip s;
  s.moving = random.chance(0.5);
  s.x = word();
  s.y = word();
  s.heading = static_cast<std::int16_t>(word());
  s.left = static_cast<std::int16_t>(word());
  s.right = static_cast<std::int16_t>(word());
  s.battery = byte();
  s.stall_rear = byte();
  s.stall_front = byte();
  s.control = static_cast<std::int16_t>(word());
  s.flags = word();
  s.compass = byte();
  for (auto n = random.below(17); n > 0; --n) s.sonars.push_back({byte(), word()});
  if (present > 0) s.grip_or_port = byte();
  if (present > 1) s.port_or_grip = byte();
  if (present > 2) s.analog = byte();
  if (present > 3) s.digital_in = byte();
  if (present > 4) s.digital_out = byte();
  if (present > 5) s.battery_x10 = word();
  if (present > 6) s.charge = byte();
  if (present > 7) s.rotation = static_cast<std::int16_t>(word());
  if (present > 8) s.faults = word();
  if (present > 9) s.lateral = static_cast<std::int16_t>(word());
  if (present > 10) s.temperature = static_cast<std::int8_t>(byte());
  if (present > 11) s.state_of_charge = byte();
  if (present > 12) s.micros = static_cast<std::uint32_t>(random.next());
  if (present > 13) s.flags3 = static_cast<std::uint32_t>(random.next());
  return s;
}

TEST(ArcosGolden, RecordedClientIsWhatWeWouldSend) {
  auto commands = 0;
  for (auto const& r : recorded()) {
    if (!r.from_client) continue;
    auto const said = second::said(second::split(r.bytes).at(0));
    auto const order = static_cast<Order>(said.number);
    auto const ours = said.has_argument ? encode(order, static_cast<int>(said.value)) : encode(order);
    EXPECT_EQ(ours, r.bytes) << said;
    ++commands;
  }
  EXPECT_GT(commands, 60);
}

TEST(ArcosGolden, RecordedClientIsRead) {
  for (auto const& r : recorded()) {
    if (!r.from_client) continue;
    auto const payload = second::split(r.bytes).at(0);
    auto const theirs = second::said(payload);
    auto const ours = decode_command(payload);
    ASSERT_TRUE(ours);
    EXPECT_EQ(static_cast<int>(ours->order), theirs.number);
    EXPECT_EQ(ours->value(), theirs.value);
    EXPECT_EQ(ours->argument == ClientCommand::Argument::none, !theirs.has_argument);
    EXPECT_NE(name_of(ours->order), "unknown");
  }
}

TEST(ArcosGolden, RecordedSipsAreReadAndWrittenBack) {
  auto sips = 0;
  for (auto const& r : recorded()) {
    if (r.from_client) continue;
    auto const payload = second::split(r.bytes).at(0);
    if (payload[0] != packet::sip_stopped) continue;
    auto const ours = decode_sip(payload);
    ASSERT_TRUE(ours);
    expect_same(*ours, second::sip(payload));
    EXPECT_EQ(ours->sonars.size(), 16u);
    EXPECT_EQ(*ours->battery_x10, 130);
    EXPECT_EQ(encode(*ours), r.bytes);
    ++sips;
  }
  EXPECT_GT(sips, 6);
}

TEST(ArcosGolden, RecordedConfigIsReadAndWrittenBack) {
  auto found = false;
  for (auto const& r : recorded()) {
    if (r.from_client) continue;
    auto const payload = second::split(r.bytes).at(0);
    if (payload[0] != packet::config) continue;
    found = true;
    auto const ours = decode_config(payload);
    auto const theirs = second::configpac(payload);
    ASSERT_TRUE(ours);
    EXPECT_EQ(ours->sub_type, "p3dx-sh");
    EXPECT_EQ(ours->serial, theirs.text.at("serial"));
    EXPECT_EQ(ours->name, "AMRISim");
    EXPECT_EQ(ours->firmware, "S.0");
    EXPECT_EQ(ours->watchdog, 2000);
    EXPECT_EQ(theirs.number.at("Watchdog"), 2000);
    EXPECT_EQ(ours->sip_cycle, 100);
    EXPECT_EQ(ours->rot_vel_max, 150);
    EXPECT_EQ(theirs.number.at("RotVelMax"), 150);
    EXPECT_EQ(ours->trans_vel_max, 3000);
    EXPECT_EQ(ours->rot_acc, 100);
    EXPECT_EQ(ours->rot_decel, theirs.number.at("RotDecel"));
    EXPECT_EQ(ours->trans_acc, 300);
    EXPECT_EQ(ours->trans_decel, theirs.number.at("TransDecel"));
    EXPECT_EQ(ours->auto_baud, 2);
    EXPECT_EQ(theirs.number.at("AutoBaud"), 2);
    EXPECT_EQ(ours->lat_vel_top, 9999);
    EXPECT_EQ(theirs.number.at("LatVelTop"), 9999);
    EXPECT_EQ(encode(*ours, ours->present), r.bytes);
  }
  EXPECT_TRUE(found);
}

TEST(ArcosGolden, RecordedIdentityIsReadAndWrittenBack) {
  for (auto const& r : recorded()) {
    if (r.from_client) continue;
    auto const payload = second::split(r.bytes).at(0);
    if (payload[0] != 2) continue;
    auto const ours = decode_identity(payload);
    ASSERT_TRUE(ours);
    EXPECT_EQ(ours->name, "AMRISim");
    EXPECT_EQ(ours->type, "Pioneer");
    EXPECT_EQ(ours->sub_type, "p3dx-sh");
    EXPECT_EQ(encode(*ours), r.bytes);
    return;
  }
  FAIL() << "no identity in the recording";
}

TEST(ArcosGolden, BytesOfTheManuals) {
  EXPECT_EQ(encode(sync0), (Buffer{0xfa, 0xfb, 3, 0, 0, 0}));
  EXPECT_EQ(encode(sync1), (Buffer{0xfa, 0xfb, 3, 1, 0, 1}));
  EXPECT_EQ(encode(sync2), (Buffer{0xfa, 0xfb, 3, 2, 0, 2}));
  EXPECT_EQ(encode(Order::enable, 1), (Buffer{0xfa, 0xfb, 6, 4, 0x3b, 1, 0, 5, 0x3b}));
  // ARM_POS joint 1 to tick 28, seen on the wire.
  auto const arm = second::split(encode_pair(Order::arm_pos, 1, 28)).at(0);
  EXPECT_EQ(arm, (second::Octets{0x4d, 0x3b, 0x1c, 0x01}));
}

TEST(ArcosGolden, SipsOfEveryAgeReachTheSecondDecoder) {
  Random random{Seed{11}};
  for (std::size_t present = 0; present <= 14; ++present) {
    for (auto i = 0; i < 20; ++i) {
      auto const sip = random_sip(random, present);
      auto const payload = second::split(encode(sip)).at(0);
      expect_same(sip, second::sip(payload));
      expect_same(*decode_sip(payload), second::sip(payload));
    }
  }
}

TEST(ArcosGolden, ConfigsOfEveryAgeReachTheSecondDecoder) {
  Config config;
  auto number = 1;
  Config::each(config, [&](auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, std::string>)
      field = fmt::format("text{}", number++);
    else
      field = static_cast<std::decay_t<decltype(field)>>(number++ * 3);
  });
  config.drift_factor = -5;
  config.high_temp_shutdown = -100;
  auto counted = std::size_t{0};
  Config::each(config, [&](auto const&) { ++counted; });
  EXPECT_EQ(counted, config_fields);

  for (std::size_t fields = 0; fields <= config_fields; ++fields) {
    auto const payload = second::split(encode(config, fields)).at(0);
    auto const theirs = second::configpac(payload);
    EXPECT_EQ(theirs.number.size() + theirs.text.size(), fields);
    auto const ours = decode_config(payload);
    ASSERT_TRUE(ours);
    EXPECT_EQ(ours->present, fields);
    EXPECT_EQ(ours->has(&Config::watchdog), theirs.number.count("Watchdog") == 1) << fields;
    EXPECT_EQ(ours->has(&Config::gyro_firmware), fields == config_fields);
    if (fields < config_fields) continue;
    EXPECT_EQ(theirs.number.at("Watchdog"), config.watchdog);
    EXPECT_EQ(theirs.number.at("DriftFactor"), -5);
    EXPECT_EQ(theirs.number.at("HighTempShutdown"), -100);
    EXPECT_EQ(theirs.number.at("TicksMM"), config.ticks_mm);
    EXPECT_EQ(theirs.number.at("RevCount"), config.rev_count);
    EXPECT_EQ(theirs.number.at("GyroFWVersion"), config.gyro_firmware);
    EXPECT_EQ(theirs.text.at("bootloader"), config.bootloader);
    EXPECT_EQ(encode(*ours), encode(config));
  }
  EXPECT_EQ(decode_config(Buffer{0x20})->high_temp_shutdown, -128);
}

}  // namespace
}  // namespace cy::arcos
