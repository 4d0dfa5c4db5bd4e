#include "robot_spec.hpp"

#include <charconv>
#include <cmath>

namespace cy::sim {
namespace {

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

std::vector<std::string_view> split(std::string_view text, char mark) {
  std::vector<std::string_view> parts;
  while (true) {
    auto const at = text.find(mark);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// All of them, finite and within a kilometre or turn that a world can have.
std::optional<std::vector<double>> numbers(std::string_view text, std::size_t count) {
  std::vector<double> values;
  for (auto const part : split(text, ',')) {
    auto const value = number<double>(part);
    if (!value || !std::isfinite(*value) || std::abs(*value) > 1e5) return {};
    values.push_back(*value);
  }
  if (values.size() != count) return {};
  return values;
}

}  // namespace

Result<RobotSpec> parse_robot_spec(std::string_view text) {
  constexpr std::string_view form = "TYPE[@x,y,degrees]:PORT or TYPE[@x,y,degrees]:pty:/PATH";
  auto const colon = text.find(':');
  if (colon == std::string_view::npos) return fault("robot \"{}\": the form is {}", text, form);
  auto head = text.substr(0, colon);
  auto const address = text.substr(colon + 1);

  RobotSpec spec;
  if (auto const at = head.find('@'); at != std::string_view::npos) {
    auto const pose = numbers(head.substr(at + 1), 3);
    if (!pose) {
      return fault("robot \"{}\": \"{}\" is no pose; write x,y in metres and a heading in degrees", text,
                   head.substr(at + 1));
    }
    spec.pose = Pose2{(*pose)[0], (*pose)[1], normalised(radians((*pose)[2]))};
    head = head.substr(0, at);
  }
  auto const generation = generation_of(head);
  if (!generation) {
    return fault("robot \"{}\": no robot is called \"{}\"; there are p3dx and p3dx-sh", text, head);
  }
  spec.generation = *generation;

  if (address.starts_with("pty:")) {
    spec.pty = address.substr(4);
    if (spec.pty.empty()) return fault("robot \"{}\": the pty needs a path for its link", text);
    return spec;
  }
  auto const port = number<std::uint16_t>(address);
  if (!port) {
    return fault("robot \"{}\": \"{}\" is no port; write 0 (any free one) to 65535, or pty:/PATH", text,
                 address);
  }
  spec.port = *port;
  return spec;
}

Result<FaultSpec> parse_fault_spec(std::string_view text) {
  FaultSpec spec;
  if (auto const colon = text.find(':'); colon != std::string_view::npos) {
    auto const robot = number<std::size_t>(text.substr(0, colon));
    if (!robot || *robot == 0) {
      return fault("fault order \"{}\": \"{}\" is no robot; they count from 1", text, text.substr(0, colon));
    }
    spec.robot = *robot;
    text.remove_prefix(colon + 1);
  }
  auto orders = parse_fault_orders(text);
  if (!orders) return tl::unexpected(orders.error());
  spec.orders = std::move(*orders);
  return spec;
}

Result<CameraSpec> parse_camera_spec(std::string_view text) {
  CameraSpec spec{.robot = 1, .path = std::string{text}};
  if (auto const equals = text.find('='); equals != std::string_view::npos) {
    if (auto const robot = number<std::size_t>(text.substr(0, equals)); robot && *robot > 0) {
      spec = {.robot = *robot, .path = std::string{text.substr(equals + 1)}};
    }
  }
  if (spec.path.empty()) return fault("camera \"{}\": the form is [ROBOT=]PATH", text);
  return spec;
}

Result<std::vector<Vec2>> parse_walk(std::string_view text) {
  std::vector<Vec2> walk;
  for (auto const corner : split(text, ';')) {
    auto const point = numbers(corner, 2);
    if (!point) return fault("walk \"{}\": \"{}\" is no corner; the form is x,y;x,y in metres", text, corner);
    walk.push_back({(*point)[0], (*point)[1]});
  }
  if (walk.size() < 2) return fault("walk \"{}\": it needs at least two corners", text);
  return walk;
}

}  // namespace cy::sim
