#include <cy/base/check.hpp>
#include <cy/codec/arcos_frame.hpp>

#include <algorithm>

namespace cy::arcos {

std::uint16_t checksum(Bytes payload) {
  unsigned sum = 0;
  auto i = std::size_t{0};
  for (; i + 1 < payload.size(); i += 2) sum += (static_cast<unsigned>(payload[i]) << 8) | payload[i + 1];
  if (i < payload.size()) sum ^= payload[i];
  return static_cast<std::uint16_t>(sum);
}

Buffer frame(Bytes payload) {
  CY_CHECK(!payload.empty() && payload.size() <= payload_max);
  Buffer out;
  out.reserve(payload.size() + 5);
  out.push_back(header_first);
  out.push_back(header_second);
  out.push_back(static_cast<std::uint8_t>(payload.size() + 2));
  out.insert(out.end(), payload.begin(), payload.end());
  auto const sum = checksum(payload);
  out.push_back(static_cast<std::uint8_t>(sum >> 8));
  out.push_back(static_cast<std::uint8_t>(sum));
  return out;
}

std::vector<Buffer> Framer::feed(Bytes bytes) {
  held_.insert(held_.end(), bytes.begin(), bytes.end());
  return scan(false);
}

std::vector<Buffer> Framer::give_up() {
  if (held_.empty()) return {};
  ++counts_.stalled;
  return scan(true);
}

std::vector<Buffer> Framer::scan(bool give_up_first) {
  std::vector<Buffer> found;
  auto at = std::size_t{0};
  auto const skip = [&](std::size_t n) {
    at += n;
    counts_.stray += n;
  };
  if (give_up_first) skip(1);
  while (at < held_.size()) {
    auto const* p = held_.data() + at;
    auto const left = held_.size() - at;
    if (p[0] != header_first) {
      auto const* next = std::find(p, p + left, header_first);
      skip(static_cast<std::size_t>(next - p));
      continue;
    }
    if (left < 2) break;
    if (p[1] != header_second) {
      skip(1);  // FA FA FB: the second FA may be the header
      continue;
    }
    if (left < 3) break;
    auto const n = std::size_t{p[2]};
    if (n < 3) {
      ++counts_.bad_length;
      skip(1);
      continue;
    }
    if (left < n + 3) break;
    Bytes const payload{p + 3, n - 2};
    auto const stated = static_cast<std::uint16_t>((p[n + 1] << 8) | p[n + 2]);
    if (checksum(payload) != stated) {
      ++counts_.bad_checksum;
      skip(1);
      continue;
    }
    found.push_back(copy_of(payload));
    ++counts_.good;
    at += n + 3;
  }
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(at));
  return found;
}

}  // namespace cy::arcos
