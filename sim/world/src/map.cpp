// The line maps of MobileSim and ARNL.
#include <cy/world/parse.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace cy::sim {
namespace {

constexpr double farthest_mm = 1e7;
constexpr std::size_t most_walls = 1'000'000;

struct Words {
  std::array<std::string_view, 16> at{};
  std::size_t count{};
};

// Blanks divide words; "a quoted one" may hold blanks. More than 16 words are not looked at.
Words words_of(std::string_view line) {
  Words out;
  while (out.count < out.at.size()) {
    auto const begin = line.find_first_not_of(" \t");
    if (begin == line.npos) break;
    line.remove_prefix(begin);
    std::size_t end;
    if (line.front() == '"') {
      line.remove_prefix(1);
      end = line.find('"');
    } else {
      end = line.find_first_of(" \t");
    }
    out.at[out.count++] = line.substr(0, end);
    if (end == line.npos) break;
    line.remove_prefix(end + (line[end] == '"' ? 1 : 0));
  }
  return out;
}

std::optional<double> number(std::string_view word) {
  double value{};
  auto const [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || !(std::abs(value) <= farthest_mm))
    return std::nullopt;
  return value;
}

// `count` numbers from word `first` on.
template <std::size_t count>
std::optional<std::array<double, count>> numbers(Words const& words, std::size_t first) {
  std::array<double, count> out{};
  if (words.count < first + count) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i) {
    auto const n = number(words.at[first + i]);
    if (!n) return std::nullopt;
    out[i] = *n;
  }
  return out;
}

bool looks_numeric(std::string_view word) {
  return !word.empty() && (word[0] == '-' || word[0] == '.' || (word[0] >= '0' && word[0] <= '9'));
}

constexpr std::string_view header_keys[] = {
    "MinPos:",     "MaxPos:",   "NumPoints:",      "PointsAreSorted:",  "Resolution:",      "LineMinPos:",
    "LineMaxPos:", "NumLines:", "LinesAreSorted:", "OriginLatLongAlt:", "OriginLatLonAlt:", "MapInfo:"};

// Cairn: Type x y theta "" ICON "label" [x1 y1 x2 y2]. Says whether it knew the kind.
Result<bool> read_cairn(Words const& words, WorldModel& world) {
  auto const kind = words.at[1];
  auto const home = kind == "RobotHome" || kind == "Dock";
  auto const area = kind == "RobotHomeArea";
  auto const goal = kind == "Goal" || kind == "GoalWithHeading";
  if (!home && !area && !goal) return kind == "ForbiddenLine" || kind == "ForbiddenArea";
  auto const at = numbers<3>(words, 2);
  if (!at) return fault("a cairn needs 'x y theta' in mm and degrees after its kind '{}'", kind);
  Pose2 pose{(*at)[0] / 1000.0, (*at)[1] / 1000.0, normalised(radians((*at)[2]))};
  if (area) {
    auto const corners = numbers<4>(words, 8);
    if (!corners) return fault("a RobotHomeArea needs 'x1 y1 x2 y2' in mm after its label");
    auto const c = *corners;
    auto const centre = Pose2{0.0, 0.0, pose.yaw}.to_outer({(c[0] + c[2]) / 2000.0, (c[1] + c[3]) / 2000.0});
    pose = {centre.x, centre.y, pose.yaw};
  }
  auto const label = words.count > 7 && !words.at[7].empty() ? words.at[7] : kind;
  (goal ? world.goals : world.starts).push_back({std::string(label), pose});
  return true;
}

}  // namespace

Result<MapText> parse_map(std::string_view text, std::string_view source) {
  MapText out;
  out.world.name = source;
  enum class Section { header, lines, data } section = Section::header;
  std::size_t line_number = 0;
  while (!text.empty()) {
    auto const end = text.find('\n');
    auto line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    ++line_number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    auto const words = words_of(line);
    if (line_number == 1) {
      if (!words.at[0].starts_with("2D-Map"))
        return fault("{}:1: not a map: the first line must be '2D-Map', here is '{}'", source,
                     line.substr(0, 40));
      continue;
    }
    auto const first = words.at[0];
    if (words.count == 0) continue;
    if (first == "LINES") {
      section = Section::lines;
    } else if (first == "DATA") {
      section = Section::data;
    } else if (section == Section::lines && looks_numeric(first)) {
      auto const n = numbers<4>(words, 0);
      if (!n || words.count != 4)
        return fault("{}:{}: a line under LINES is 'x1 y1 x2 y2', whole or decimal mm up to {:.0f}, not '{}'",
                     source, line_number, farthest_mm, line.substr(0, 60));
      if (out.world.walls.size() == most_walls)
        return fault("{}:{}: more than {} lines; no world of ours is that large", source, line_number,
                     most_walls);
      auto const [x1, y1, x2, y2] = *n;
      if (x1 != x2 || y1 != y2)
        out.world.walls.push_back({{x1 / 1000.0, y1 / 1000.0}, {x2 / 1000.0, y2 / 1000.0}});
    } else if (section == Section::data && looks_numeric(first)) {
      if (!numbers<2>(words, 0))
        return fault("{}:{}: a line under DATA is 'x y' in mm, not '{}'", source, line_number,
                     line.substr(0, 60));
      ++out.points;
    } else if (first == "Cairn:") {
      auto const known = read_cairn(words, out.world);
      if (!known) return fault("{}:{}: {}", source, line_number, known.error().what);
      out.skipped += *known ? 0 : 1;
    } else if (std::find(std::begin(header_keys), std::end(header_keys), first) == std::end(header_keys)) {
      ++out.skipped;
    }
  }
  if (line_number == 0) return fault("{}:1: not a map: the text is empty", source);
  return out;
}

Result<WorldModel> parse_world(std::string_view text, std::string_view source) {
  auto const begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos || !text.substr(begin).starts_with("2D-Map")) return parse_world_toml(text, source);
  auto map = parse_map(text, source);
  if (!map) return tl::unexpected(std::move(map.error()));
  return std::move(map->world);
}

}  // namespace cy::sim
