#include "options.hpp"

#include <charconv>
#include <cmath>

namespace cy::arcos {
namespace {

Result<double> number(std::string const& key, std::string const& text, double low, double high) {
  double value{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    return fault("arcos: {} = \"{}\" is not a number", key, text);
  if (value < low || value > high) return fault("arcos: {} = {} is outside {} to {}", key, text, low, high);
  return value;
}

Result<bool> flag(std::string const& key, std::string const& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return fault("arcos: {} = \"{}\": say true or false", key, text);
}

constexpr std::string_view known =
    "parameters, speed_m_s, turn_rad_s, acceleration_m_s2, deceleration_m_s2, turn_acceleration_rad_s2, "
    "turn_deceleration_rad_s2, rev_count, drift_factor, ticks_mm, io, encoder, gyro, sonar, resend_ms, "
    "switch_baud";

}  // namespace

Result<Options> parse_options(std::vector<std::pair<std::string, std::string>> const& options) {
  Options o;
  std::optional<Fault> wrong;
  auto const take = [&](auto&& result, auto&& store) {
    if (result)
      store(*result);
    else
      wrong = result.error();
  };
  for (auto const& [key_bound, text_bound] : options) {
    auto const& key = key_bound;
    auto const& text = text_bound;
    auto const real = [&](std::optional<double>& into, double high) {
      take(number(key, text, 0.001, high), [&](double v) { into = v; });
    };
    auto const whole = [&](std::optional<int>& into, int low) {
      take(number(key, text, low, 32767), [&](double v) { into = static_cast<int>(std::lround(v)); });
    };
    auto const yes = [&](auto& into) { take(flag(key, text), [&](bool v) { into = v; }); };
    if (key == "parameters") {
      o.parameters = find_generation(text);
      if (!o.parameters) return fault("arcos: parameters = \"{}\": this driver knows p3dx and p3dx-sh", text);
    } else if (key == "speed_m_s") {
      real(o.speed, speed_max);
    } else if (key == "turn_rad_s") {
      real(o.turn, turn_max);
    } else if (key == "acceleration_m_s2") {
      real(o.acceleration, 20.0);
    } else if (key == "deceleration_m_s2") {
      real(o.deceleration, 20.0);
    } else if (key == "turn_acceleration_rad_s2") {
      real(o.turn_acceleration, 100.0);
    } else if (key == "turn_deceleration_rad_s2") {
      real(o.turn_deceleration, 100.0);
    } else if (key == "rev_count") {
      whole(o.rev_count, 1);
    } else if (key == "drift_factor") {
      whole(o.drift_factor, -32767);
    } else if (key == "ticks_mm") {
      whole(o.ticks_mm, 1);
    } else if (key == "io") {
      yes(o.io);
    } else if (key == "encoder") {
      yes(o.encoder);
    } else if (key == "gyro") {
      yes(o.gyro);
    } else if (key == "sonar") {
      yes(o.sonar);
    } else if (key == "switch_baud") {
      yes(o.switch_baud);
    } else if (key == "resend_ms") {
      take(number(key, text, 50, 1000), [&](double v) { o.resend = from_seconds(v / 1000.0); });
    } else {
      return fault("arcos: there is no option \"{}\"; there are: {}", key, known);
    }
    if (wrong) return tl::unexpected(*wrong);
  }
  return o;
}

}  // namespace cy::arcos
