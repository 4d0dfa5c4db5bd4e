#include <cy/controllers/trace.hpp>

#include <fmt/format.h>

namespace cy::sim {
namespace {

std::string hex(Bytes bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (auto const byte : bytes) fmt::format_to(std::back_inserter(text), "{:02x}", byte);
  return text;
}

struct Line {
  std::string operator()(BytesIn const& in) const {
    return fmt::format(R"("ev":"in","hex":"{}")", hex(in.bytes));
  }
  std::string operator()(BytesOut const& out) const {
    return fmt::format(R"("ev":"out","hex":"{}")", hex(out.bytes));
  }
  std::string operator()(Ordered const& order) const {
    return fmt::format(R"("ev":"order","id":{},"name":"{}","value":{})", order.id, order.name, order.value);
  }
  std::string operator()(Changed const& change) const {
    return fmt::format(R"("ev":"{}","to":"{}","why":"{}")", change.what, change.to, change.why);
  }
  std::string operator()(TrueSpeed const& speed) const {
    return fmt::format(R"("ev":"speed","v":{:.4f},"w":{:.4f},"x":{:.4f},"y":{:.4f},"yaw":{:.4f})",
                       speed.twist.linear, speed.twist.angular, speed.pose.x, speed.pose.y, speed.pose.yaw);
  }
};

}  // namespace

std::string to_json(TraceEntry const& entry, unsigned robot) {
  return fmt::format(R"({{"t":{},"robot":{},{}}})", entry.at.time_since_epoch().count(), robot,
                     std::visit(Line{}, entry.what));
}

}  // namespace cy::sim
