// Our own worlds in TOML.
#include <cy/base/toml.hpp>
#include <cy/world/parse.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

namespace cy::sim {
namespace {

constexpr double far = 1e4;  // m

struct NamedColour {
  std::string_view name;
  Colour colour;
};
constexpr NamedColour colours[] = {
    {"red", {190, 35, 30}},     {"green", {35, 140, 60}},     {"blue", {35, 70, 180}},
    {"yellow", {225, 190, 35}}, {"orange", {225, 115, 25}},   {"white", {225, 225, 225}},
    {"black", {35, 35, 38}},    {"grey", {130, 130, 132}},    {"brown", {120, 80, 45}},
    {"violet", {110, 55, 150}}, {"turquoise", {40, 160, 160}}};

std::optional<Colour> colour_of(std::string_view text) {
  for (auto const& c : colours)
    if (c.name == text) return c.colour;
  std::uint32_t value{};
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  auto const [end, error] = std::from_chars(text.data() + 1, text.data() + 7, value, 16);
  if (error != std::errc{} || end != text.data() + 7) return std::nullopt;
  return Colour{static_cast<std::uint8_t>(value >> 16), static_cast<std::uint8_t>(value >> 8),
                static_cast<std::uint8_t>(value)};
}

struct Span {
  double low;
  double high;
};

// One table being read: each key is asked for once, with what is allowed; the first mistake is
// kept, and a key that nobody asked for is one too.
class Keys {
 public:
  Keys(toml::table const& table, std::string_view source, std::string path, std::optional<Fault>& mistake)
      : table_(table), source_(source), path_(std::move(path)), mistake_(mistake) {}

  double number(std::string_view key, Span allowed, std::optional<double> otherwise = {}) {
    auto const allows = fmt::format("a number from {} to {}", allowed.low, allowed.high);
    auto const* node = find(key, !otherwise, allows);
    if (node == nullptr) return otherwise.value_or(allowed.low);
    auto const value = node->value<double>();
    if (!node->is_number() || !value || !(*value >= allowed.low && *value <= allowed.high)) {
      wrong(*node, key, allows);
      return allowed.low;
    }
    return *value;
  }

  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high,
                       std::optional<std::int64_t> otherwise = {}) {
    auto const allows = fmt::format("a whole number from {} to {}", low, high);
    auto const* node = find(key, !otherwise, allows);
    if (node == nullptr) return otherwise.value_or(low);
    auto const* value = node->as_integer();
    if (value == nullptr || value->get() < low || value->get() > high) {
      wrong(*node, key, allows);
      return low;
    }
    return value->get();
  }

  std::string text(std::string_view key, std::optional<std::string> otherwise = {}) {
    auto const* node = find(key, !otherwise, "a text of 1 to 100 characters");
    if (node == nullptr) return otherwise.value_or("");
    auto const* value = node->as_string();
    if (value == nullptr || value->get().empty() || value->get().size() > 100) {
      wrong(*node, key, "a text of 1 to 100 characters");
      return {};
    }
    return value->get();
  }

  bool truth(std::string_view key, bool otherwise) {
    auto const* node = find(key, false, "");
    if (node == nullptr) return otherwise;
    if (!node->is_boolean()) wrong(*node, key, "true or false");
    return node->value_or(otherwise);
  }

  Colour colour(std::string_view key, Colour otherwise) {
    auto const* node = find(key, false, "");
    if (node == nullptr) return otherwise;
    if (auto const* text = node->as_string())
      if (auto const c = colour_of(text->get())) return *c;
    std::string names;
    for (auto const& c : colours) names += fmt::format("\"{}\", ", c.name);
    wrong(*node, key, names + "or \"#rrggbb\"");
    return otherwise;
  }

  Vec2 point(std::string_view key) {
    auto const* node = find(key, true, "a point [x, y] in m");
    if (node == nullptr) return {};
    auto const p = point_of(*node);
    if (!p) wrong(*node, key, "a point [x, y] in m, each within 10000");
    return p.value_or(Vec2{});
  }

  std::vector<Vec2> points(std::string_view key) {
    constexpr std::string_view allows = "at least two points [[x, y], [x, y], ...] in m, each within 10000";
    std::vector<Vec2> out;
    auto const* node = find(key, true, allows);
    if (node == nullptr) return out;
    auto const* array = node->as_array();
    if (array == nullptr || array->size() < 2) {
      wrong(*node, key, allows);
      return out;
    }
    for (auto const& item : *array) {
      auto const p = point_of(item);
      if (!p) {
        wrong(item, key, allows);
        return out;
      }
      out.push_back(*p);
    }
    return out;
  }

  // f(Keys&) for each [[key]], of which there may be none.
  template <class F>
  void each(std::string_view key, F&& f) {
    auto const* node = find(key, false, "");
    if (node == nullptr) return;
    auto const* array = node->as_array();
    if (array == nullptr) return wrong(*node, key, fmt::format("tables, each headed [[{}]]", key));
    for (auto const& item : *array) {
      auto const* table = item.as_table();
      if (table == nullptr) return wrong(item, key, fmt::format("tables, each headed [[{}]]", key));
      Keys keys{*table, source_, fmt::format("{}.", key), mistake_};
      f(keys);
      keys.done();
    }
  }

  template <class F>
  void table(std::string_view key, F&& f) {
    auto const* node = find(key, false, "");
    if (node == nullptr) return;
    auto const* inner = node->as_table();
    if (inner == nullptr) return wrong(*node, key, fmt::format("a table headed [{}]", key));
    Keys keys{*inner, source_, fmt::format("{}.", key), mistake_};
    f(keys);
    keys.done();
  }

  void done() {
    for (auto const& [key, node] : table_) {
      if (std::find(asked_.begin(), asked_.end(), key.str()) != asked_.end()) continue;
      std::string names;
      for (auto const& name : asked_) names += (names.empty() ? "" : ", ") + name;
      complain(key.source(), key.str(), fmt::format("unknown key; known here: {}", names));
    }
  }

 private:
  static std::optional<Vec2> point_of(toml::node const& node) {
    auto const* array = node.as_array();
    if (array == nullptr || array->size() != 2) return std::nullopt;
    double xy[2];
    for (std::size_t i = 0; i < 2; ++i) {
      auto const value = array->get(i)->value<double>();
      if (!array->get(i)->is_number() || !value || !(std::abs(*value) <= far)) return std::nullopt;
      xy[i] = *value;
    }
    return Vec2{xy[0], xy[1]};
  }

  toml::node const* find(std::string_view key, bool needed, std::string_view allowed) {
    asked_.emplace_back(key);
    auto const* node = table_.get(key);
    if (node == nullptr && needed) complain(table_.source(), key, fmt::format("missing; give {}", allowed));
    return node;
  }
  void wrong(toml::node const& node, std::string_view key, std::string_view allowed) {
    complain(node.source(), key, fmt::format("not allowed; give {}", allowed));
  }
  void complain(toml::source_region const& where, std::string_view key, std::string_view what) {
    if (!mistake_)
      mistake_ = Fault{fmt::format("{}:{}: {}{}: {}", source_, where.begin.line, path_, key, what)};
  }

  toml::table const& table_;
  std::string_view source_;
  std::string path_;
  std::optional<Fault>& mistake_;
  std::vector<std::string> asked_;
};

Pose2 pose_of(Keys& keys, std::string_view position) {
  auto const p = keys.point(position);
  return {p.x, p.y, radians(keys.number("yaw_deg", {-360.0, 360.0}, 0.0))};
}

void read_world(Keys& root, WorldModel& world) {
  world.name = root.text("name", world.name);
  world.seed = Seed{static_cast<std::uint64_t>(root.integer("seed", 0, INT64_MAX, 1))};
  world.texture_seed = static_cast<std::uint64_t>(root.integer("texture_seed", 0, INT64_MAX, 1));
  world.wall_height = root.number("wall_height_m", {0.2, 20.0}, world.wall_height);
  root.table("lighting", [&](Keys& keys) {
    auto& light = world.lighting;
    light.level = keys.number("level", {0.05, 2.0}, light.level);
    light.direction = radians(keys.number("direction_deg", {-360.0, 360.0}, degrees(light.direction)));
    light.contrast = keys.number("contrast", {0.0, 1.0}, light.contrast);
    light.change = keys.number("change", {0.0, 0.9}, light.change);
    light.change_period_s = keys.number("change_period_s", {0.5, 3600.0}, light.change_period_s);
  });
  root.each("wall", [&](Keys& keys) {
    auto const points = keys.points("points_m");
    auto const closed = keys.truth("closed", false);
    for (std::size_t i = 0; i + 1 < points.size(); ++i) world.walls.push_back({points[i], points[i + 1]});
    if (closed && points.size() > 2) world.walls.push_back({points.back(), points.front()});
  });
  std::erase_if(world.walls, [](Segment const& s) { return s.a == s.b; });
  root.each("cylinder", [&](Keys& keys) {
    Cylinder c;
    c.centre = keys.point("centre_m");
    c.radius = keys.number("radius_m", {0.01, 20.0});
    c.height = keys.number("height_m", {0.01, 20.0});
    c.colour = keys.colour("colour", {130, 130, 132});
    world.cylinders.push_back(c);
  });
  root.each("box", [&](Keys& keys) {
    Box b;
    b.pose = pose_of(keys, "centre_m");
    b.length = keys.number("length_m", {0.01, 100.0});
    b.width = keys.number("width_m", {0.01, 100.0});
    b.height = keys.number("height_m", {0.01, 20.0});
    b.colour = keys.colour("colour", {120, 80, 45});
    world.boxes.push_back(b);
  });
  root.each("tag", [&](Keys& keys) {
    AprilTag t;
    t.id = static_cast<std::uint16_t>(keys.integer("id", 0, 586));
    t.size = keys.number("size_m", {0.02, 5.0});
    t.position = keys.point("position_m");
    t.height = keys.number("height_m", {0.0, 20.0});
    t.facing = radians(keys.number("facing_deg", {-360.0, 360.0}));
    world.tags.push_back(t);
  });
  auto const place = [](std::vector<Place>& places) {
    return [&places](Keys& keys) {
      auto name = keys.text("name");
      places.push_back({std::move(name), pose_of(keys, "position_m")});
    };
  };
  root.each("start", place(world.starts));
  root.each("goal", place(world.goals));
}

}  // namespace

Result<WorldModel> parse_world_toml(std::string_view text, std::string_view source) {
  auto const parsed = toml::parse(text);
  if (!parsed) {
    auto const& error = parsed.error();
    return fault("{}:{}: not TOML: {}", source, error.source().begin.line, error.description());
  }
  WorldModel world;
  world.name = source;
  std::optional<Fault> mistake;
  Keys root{parsed.table(), source, "", mistake};
  read_world(root, world);
  root.done();
  if (mistake) return tl::unexpected(std::move(*mistake));
  return world;
}

}  // namespace cy::sim
