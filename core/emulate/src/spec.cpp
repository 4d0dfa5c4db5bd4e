#include <cy/emulate/spec.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace cy::emulate {

namespace {

struct Preset {
  std::string_view name;
  std::string_view text;
};

constexpr Preset presets[] = {
    {"clean", ""},
    {"d20l2", "delay=20ms,loss=2%"},
    {"d50l5", "delay=50ms,loss=5%"},
    {"burst", "delay=20ms,ge=1.05/20"},
    {"step", "delay=20ms,rate=3Mbit,step=10s:rate=0.8Mbit,step=20s:rate=3Mbit"},
};

struct Unit {
  std::string_view name;
  double factor;
};

constexpr Unit time_units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
constexpr Unit rate_units[] = {{"bit", 1.0}, {"kbit", 1e3}, {"Mbit", 1e6}, {"Gbit", 1e9}};
constexpr double day_ns = 86400e9;
constexpr std::string_view path_keys = "delay, jitter, loss, ge, dup, reorder, late, rate, queue";

// The text up to the first `mark`; `rest` becomes what follows it, or empty.
std::string_view cut(std::string_view& rest, char mark) {
  auto const at = rest.find(mark);
  auto const first = rest.substr(0, at);
  rest = at == rest.npos ? std::string_view{} : rest.substr(at + 1);
  return first;
}

// A finite number of at least zero, and whatever stands behind it.
std::optional<std::pair<double, std::string_view>> number(std::string_view text) {
  double value{};
  auto const [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (bad != std::errc{} || !std::isfinite(value) || value < 0 || std::signbit(value)) return std::nullopt;
  return std::pair{value, text.substr(static_cast<std::size_t>(end - text.data()))};
}

template <std::size_t Size>
std::optional<double> with_unit(std::string_view text, Unit const (&units)[Size]) {
  auto const parsed = number(text);
  if (!parsed) return std::nullopt;
  for (auto const& unit : units) {
    if (unit.name == parsed->second) return parsed->first * unit.factor;
  }
  return std::nullopt;
}

Result<Duration> time_of(std::string_view key, std::string_view text) {
  auto const ns = with_unit(text, time_units);
  if (!ns || *ns > day_ns) {
    return fault("{}: \"{}\" is not a time; write a number with us, ms or s, up to a day: 20ms", key, text);
  }
  return Duration(std::llround(*ns));
}

Result<double> share_of(std::string_view key, std::string_view text) {
  auto const parsed = number(text);
  if (!parsed || parsed->second != "%" || parsed->first > 100) {
    return fault("{}: \"{}\" is not a percentage; write 0% to 100%: 2%", key, text);
  }
  return parsed->first / 100.0;
}

Result<GilbertElliott> bursts_of(std::string_view text) {
  double values[4]{0, 0, 100, 0};
  std::size_t count = 0;
  for (auto rest = text; count < 4;) {
    auto const last = rest.find('/') == rest.npos;
    auto const parsed = number(cut(rest, '/'));
    if (!parsed || !parsed->second.empty() || parsed->first > 100) {
      count = 0;
      break;
    }
    values[count++] = parsed->first;
    if (last) break;
    if (count == 4) count = 5;  // something follows the fourth
  }
  if (count < 2 || count > 4) {
    return fault(
        "ge: \"{}\" is not a burst model; write percentages good→bad/bad→good, and if wanted the loss in "
        "the bad and in the good state: 1.05/20 or 1.05/20/80/0.5",
        text);
  }
  return GilbertElliott{values[0] / 100, values[1] / 100, values[3] / 100, values[2] / 100};
}

template <class T>
Result<void> assign(T& target, Result<T> const& value) {
  if (!value) return tl::unexpected(value.error());
  target = *value;
  return {};
}

// Nothing when the key is none of a path's.
std::optional<Result<void>> set_key(Path& path, std::string_view key, std::string_view text) {
  if (key == "delay") return assign(path.delay, time_of(key, text));
  if (key == "jitter") return assign(path.jitter, time_of(key, text));
  if (key == "queue") return assign(path.queue, time_of(key, text));
  if (key == "late") return assign(path.late, time_of(key, text));
  if (key == "loss") return assign(path.loss, share_of(key, text));
  if (key == "dup") return assign(path.duplicate, share_of(key, text));
  if (key == "reorder") return assign(path.reorder, share_of(key, text));
  if (key == "ge") {
    path.bursts.reset();
    if (text == "none") return Result<void>{};
    return assign(path.bursts.emplace(), bursts_of(text));
  }
  if (key == "rate") {
    path.rate_bps = with_unit(text, rate_units);
    if (text == "none") return Result<void>{};
    if (!path.rate_bps || *path.rate_bps < 1e3 || *path.rate_bps > 1e12) {
      return Result<void>(
          fault("rate: \"{}\" is not a rate; write a number with bit, kbit, Mbit or Gbit, from 1kbit: 3Mbit",
                text));
    }
    return Result<void>{};
  }
  return std::nullopt;
}

// "8s:rate=0.8Mbit+loss=1%": the path before it, changed.
Result<void> add_step(Schedule& schedule, std::string_view text) {
  auto changes = text;
  auto const after = time_of("step", cut(changes, ':'));
  if (!after) return tl::unexpected(after.error());
  if (*after <= schedule.entries.back().after) {
    return fault("step: \"{}\" does not come after the step before it; write steps in order of time", text);
  }
  auto path = schedule.entries.back().path;
  do {
    auto const item = cut(changes, '+');
    auto value = item;
    auto const key = cut(value, '=');
    if (item == "down" || item == "up") {
      path.down = item == "down";
      continue;
    }
    auto const set = set_key(path, key, value);
    if (!set)
      return fault("step: unknown key \"{}\"; allowed: {}, down, up (as in step=8s:rate=1Mbit+loss=1%)", key,
                   path_keys);
    if (!*set) return *set;
  } while (!changes.empty());
  schedule.entries.push_back({*after, path});
  return {};
}

Result<void> apply(Spec& spec, std::string_view text) {
  std::vector<std::string_view> seen;
  auto stepped = false;
  while (!text.empty()) {
    auto value = cut(text, ',');
    auto const item = value;
    auto const key = cut(value, '=');
    if (key == item) {
      return fault("\"{}\" is neither key=value nor, standing first, a preset ({})", item,
                   fmt::join(preset_names(), ", "));
    }
    if (key == "step") {
      if (auto const added = add_step(spec.schedule, value); !added) return added;
      stepped = true;
      continue;
    }
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) return fault("{}: given twice", key);
    seen.push_back(key);
    if (key == "period") {
      if (auto const set = assign(spec.schedule.period, time_of(key, value)); !set) return set;
    } else if (key == "seed") {
      auto const [end, bad] = std::from_chars(value.data(), value.data() + value.size(), spec.seed.value);
      if (bad != std::errc{} || end != value.data() + value.size()) {
        return fault("seed: \"{}\" is not a whole number from 0 to 2^64 - 1", value);
      }
    } else {
      // A key outside a step holds from the start on, through a preset's steps as well.
      if (stepped) return fault("{}: write it before the first step, or inside one", key);
      for (auto& entry : spec.schedule.entries) {
        auto const set = set_key(entry.path, key, value);
        if (!set) return fault("unknown key \"{}\"; allowed: {}, step, period, seed", key, path_keys);
        if (!*set) return *set;
      }
    }
  }
  auto const& last = spec.schedule.entries.back();
  if (spec.schedule.period > Duration::zero() && spec.schedule.period <= last.after) {
    return fault("period: must be longer than the last step's time");
  }
  return {};
}

std::string print_time(Duration d) {
  if (d % 1s == Duration::zero()) return fmt::format("{}s", d / 1s);
  if (d % 1ms == Duration::zero()) return fmt::format("{}ms", d / 1ms);
  return fmt::format("{}us", static_cast<double>(d.count()) / 1e3);
}

std::string print_percent(double share) {
  return fmt::format("{:.10g}", share * 100);
}

// The keys in which `path` differs from `before`.
std::vector<std::string> print_changes(Path const& before, Path const& path) {
  std::vector<std::string> items;
  auto const time = [&](std::string_view key, Duration Path::*member) {
    if (path.*member != before.*member) items.push_back(fmt::format("{}={}", key, print_time(path.*member)));
  };
  auto const share = [&](std::string_view key, double Path::*member) {
    if (path.*member != before.*member)
      items.push_back(fmt::format("{}={}%", key, print_percent(path.*member)));
  };
  time("delay", &Path::delay);
  time("jitter", &Path::jitter);
  share("loss", &Path::loss);
  if (path.bursts != before.bursts) {
    auto text = std::string("ge=none");
    if (path.bursts) {
      auto const& ge = *path.bursts;
      text = fmt::format("ge={}/{}", print_percent(ge.p_bad), print_percent(ge.p_good));
      if (ge.loss_bad != 1 || ge.loss_good != 0) text += "/" + print_percent(ge.loss_bad);
      if (ge.loss_good != 0) text += "/" + print_percent(ge.loss_good);
    }
    items.push_back(std::move(text));
  }
  if (path.rate_bps != before.rate_bps) {
    items.push_back(path.rate_bps ? fmt::format("rate={:.10g}kbit", *path.rate_bps / 1e3) : "rate=none");
  }
  time("queue", &Path::queue);
  share("dup", &Path::duplicate);
  share("reorder", &Path::reorder);
  time("late", &Path::late);
  if (path.down != before.down) items.push_back(path.down ? "down" : "up");
  return items;
}

}  // namespace

Result<Spec> parse_spec(std::string_view text) {
  Spec spec;
  auto rest = text;
  auto const first = cut(rest, ',');
  for (auto const& preset : presets) {
    if (preset.name != first) continue;
    if (auto const set = apply(spec, preset.text); !set) return tl::unexpected(set.error());
    text = rest;
    break;
  }
  if (auto const set = apply(spec, text); !set) return tl::unexpected(set.error());
  return spec;
}

std::vector<std::string_view> preset_names() {
  std::vector<std::string_view> names;
  for (auto const& preset : presets) names.push_back(preset.name);
  return names;
}

std::string to_text(Spec const& spec) {
  auto const& entries = spec.schedule.entries;
  auto items = print_changes(Path{}, entries.front().path);
  for (std::size_t i = 1; i < entries.size(); ++i) {
    auto const changes = print_changes(entries[i - 1].path, entries[i].path);
    items.push_back(fmt::format("step={}:{}", print_time(entries[i].after),
                                changes.empty() ? "up" : fmt::format("{}", fmt::join(changes, "+"))));
  }
  if (spec.schedule.period != Duration::zero()) items.push_back("period=" + print_time(spec.schedule.period));
  items.push_back(fmt::format("seed={}", spec.seed.value));
  return fmt::format("{}", fmt::join(items, ","));
}

}  // namespace cy::emulate
