#include <cy/controllers/fault_order.hpp>

#include <charconv>
#include <cmath>
#include <string>

namespace cy::sim {
namespace {

enum class Value : std::uint8_t { none, chance, duration };
enum class When : std::uint8_t { window, instant, start };

struct Row {
  FaultKind kind;
  std::string_view name;
  Value value;
  When when;
  std::string_view form;
  std::string_view meaning;
};

constexpr std::array rows{
    Row{FaultKind::silent, "silent", Value::none, When::window, "silent[@T][+D]", "sends nothing"},
    Row{FaultKind::deaf, "deaf", Value::none, When::window, "deaf[@T][+D]", "ignores what it is sent"},
    Row{FaultKind::badsum, "badsum", Value::chance, When::window, "badsum=P%[@T][+D]",
        "wrong checksum in P% of the packets"},
    Row{FaultKind::late, "late", Value::duration, When::window, "late=TIME[@T][+D]", "SIPs leave late"},
    Row{FaultKind::stray, "stray", Value::chance, When::window, "stray=P%[@T][+D]",
        "stray bytes before P% of the packets"},
    Row{FaultKind::reset, "reset", Value::none, When::instant, "reset@T", "restarts at T"},
    Row{FaultKind::stale_session, "stale_session", Value::none, When::start, "stale_session",
        "still open from an earlier client"},
    Row{FaultKind::estop, "estop", Value::none, When::window, "estop[@T][+D]", "the STOP button is pressed"},
    Row{FaultKind::nomotors, "nomotors", Value::none, When::window, "nomotors[@T][+D]",
        "ENABLE 1 is ignored"},
    Row{FaultKind::oldfw, "oldfw", Value::none, When::window, "oldfw[@T][+D]", "CONFIGpac stops early"},
    Row{FaultKind::noconfig, "noconfig", Value::none, When::window, "noconfig[@T][+D]",
        "CONFIG is not answered"},
    Row{FaultKind::charger, "charger", Value::none, When::window, "charger[@T][+D]",
        "the charger is plugged in"},
};

std::string known_names() {
  std::string names;
  for (auto const& row : rows) {
    if (!names.empty()) names += ", ";
    names += row.name;
  }
  return names;
}

std::optional<double> number(std::string_view text) {
  double value{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

Result<Duration> parse_time(std::string_view text, std::string_view order) {
  struct Unit {
    std::string_view suffix;
    double seconds;
  };
  constexpr std::array units{Unit{"ms", 1e-3}, Unit{"min", 60.0}, Unit{"s", 1.0}};
  for (auto const& unit : units) {
    if (!text.ends_with(unit.suffix)) continue;
    auto const value = number(text.substr(0, text.size() - unit.suffix.size()));
    auto const s = value.value_or(-1.0) * unit.seconds;
    if (s < 0.0 || s > 1e6) break;
    return from_seconds(s);
  }
  return fault("fault order \"{}\": \"{}\" is no time; write for example 150ms, 2s or 1min", order, text);
}

Result<double> parse_chance(std::string_view text, std::string_view order) {
  if (text.ends_with('%')) {
    auto const percent = number(text.substr(0, text.size() - 1)).value_or(-1.0);
    if (percent >= 0.0 && percent <= 100.0) return percent / 100.0;
  }
  return fault("fault order \"{}\": \"{}\" is no chance; write a per cent from 0% to 100%", order, text);
}

}  // namespace

std::string_view name_of(FaultKind kind) {
  for (auto const& row : rows) {
    if (row.kind == kind) return row.name;
  }
  return "?";
}

Result<FaultOrder> parse_fault_order(std::string_view text) {
  auto rest = text;
  auto const cut = [&rest](char mark) -> std::optional<std::string_view> {
    auto const at = rest.rfind(mark);
    if (at == std::string_view::npos) return {};
    auto const part = rest.substr(at + 1);
    rest = rest.substr(0, at);
    return part;
  };
  auto const length = cut('+');
  auto const from = cut('@');
  auto const value = cut('=');

  Row const* row = nullptr;
  for (auto const& candidate : rows) {
    if (candidate.name == rest) row = &candidate;
  }
  if (row == nullptr) {
    return fault("fault order \"{}\": no fault is called \"{}\"; there are {}", text, rest, known_names());
  }
  auto const wrong_form = [&] { return fault("fault order \"{}\": the form is {}", text, row->form); };
  if ((row->value == Value::none) == value.has_value()) return wrong_form();
  if (row->when == When::instant && (!from || length)) return wrong_form();
  if (row->when == When::start && (from || length)) return wrong_form();

  FaultOrder order{.kind = row->kind};
  if (row->value == Value::chance) {
    auto const chance = parse_chance(*value, text);
    if (!chance) return tl::unexpected(chance.error());
    order.chance = *chance;
  }
  if (row->value == Value::duration) {
    auto const delay = parse_time(*value, text);
    if (!delay) return tl::unexpected(delay.error());
    order.delay = *delay;
  }
  if (from) {
    auto const time = parse_time(*from, text);
    if (!time) return tl::unexpected(time.error());
    order.from = *time;
  }
  if (length) {
    auto const time = parse_time(*length, text);
    if (!time) return tl::unexpected(time.error());
    order.length = *time;
  }
  return order;
}

Result<std::vector<FaultOrder>> parse_fault_orders(std::string_view text) {
  std::vector<FaultOrder> orders;
  while (true) {
    auto const comma = text.find(',');
    auto const order = parse_fault_order(text.substr(0, comma));
    if (!order) return tl::unexpected(order.error());
    orders.push_back(*order);
    if (comma == std::string_view::npos) return orders;
    text.remove_prefix(comma + 1);
  }
}

std::string fault_order_help() {
  std::string help;
  for (auto const& row : rows) help += fmt::format("  {:<20} {}\n", row.form, row.meaning);
  return help;
}

}  // namespace cy::sim
