// The insides of ArcosController: one session's data and the handlers over it.
#pragma once

#include <cy/codec/arcos.hpp>
#include <cy/controllers/arcos_controller.hpp>

#include "arcos_body.hpp"
#include "arcos_sonar.hpp"
#include <deque>

namespace cy::sim {

enum class Phase : std::uint8_t { no_sync, synced0, synced1, ready, open };
std::string_view name_of(Phase phase);

// Packets that come on request: 0 stops, 1 asks for one, more for a stream.
enum class Poll : std::uint8_t { off, once, stream };
constexpr Poll poll_of(int argument) {
  return argument <= 0 ? Poll::off : argument == 1 ? Poll::once : Poll::stream;
}

// What lasts from OPEN to CLOSE; all of it reverts to FLASH.
struct Session {
  Time next_sip{};
  Time last_packet{};
  int speed{}, accel{}, decel{};           // mm/s, mm/s^2
  int turn{}, turn_accel{}, turn_decel{};  // deg/s, deg/s^2
  int rev_count{}, ticks_mm{}, drift{};
  std::uint8_t sonar_cycle{};
  Poll encoder{}, io{}, gripper{}, battery{}, arm{}, sim_stat{};
  bool gyro{};
  Time next_gyro{};
  std::vector<arcos::Gyro::Sample> gyro_samples;
  std::uint8_t digital_out{};
  std::uint8_t analog_port{};
  bool e_stall{true};
  int fake_battery{};  // BATTEST, decivolts; 0: the real one
};

Session fresh_session(Flash const& flash);

struct ArcosController::Machine {
  Machine(World& w, Pose2 start, ArcosOptions o, Seed seed, Time now);

  World& world;
  ArcosOptions const options;
  Pose2 const home;
  Time const started;
  Random random;
  ArcosBody body;
  SonarSchedule sonar;
  arcos::Framer framer;
  Phase phase{Phase::no_sync};
  Session session;
  std::vector<FaultOrder> faults;
  std::vector<Time> fault_edges;  // sorted, still to come

  Time at{};      // where virtual time stands
  Time called{};  // the time of the call that runs now
  Time next_step{};
  bool connected{};
  bool maintenance{};
  bool motors{};
  bool watchdog_tripped{};
  bool button{};
  std::optional<Time> give_up_at;  // of a packet whose rest does not come
  struct Delayed {
    Time due;
    Buffer bytes;
  };
  std::deque<Delayed> delayed;
  std::vector<ControllerEffect> effects;
  // As last traced.
  bool was_moving{};
  bool was_stalled{};
  bool was_estopping{};

  // Time.
  void advance(Time now);
  std::optional<Time> deadline() const;
  bool stepping() const;
  void step();
  void fire_sonar();
  void check_watchdog();
  std::optional<Time> watchdog_at() const;

  // Faults.
  FaultOrder const* fault(FaultKind kind) const;
  void add_fault(FaultOrder order, Time now);
  void meet_fault_edge();
  void press(bool pressed);

  // Session.
  void become(Phase next, std::string_view why);
  void on_packet(Bytes payload);
  void on_handshake(std::uint8_t id);
  void on_order(arcos::ClientCommand const& command);
  bool on_motion(arcos::ClientCommand const& command);
  bool on_setting(arcos::ClientCommand const& command);
  bool on_request(arcos::ClientCommand const& command);
  bool on_simulator_order(Bytes payload);
  void open_session(std::string_view why);
  void close_session(std::string_view why);
  void restart(std::string_view why);
  void enable(bool on, std::string_view why);
  void apply_session();
  void hold();

  // Packets.
  void send_cycle();
  arcos::Sip sip();
  arcos::Config config() const;
  Buffer io_packet() const;
  Buffer sim_stat_packet() const;
  std::uint8_t percent_charged() const;
  bool due(Poll& poll) const;

  // Out.
  void send(Buffer bytes);
  void send_late(Buffer bytes);
  void leave(Buffer bytes);
  void trace(std::string_view what, std::string_view to, std::string_view why);
};

}  // namespace cy::sim
