#include <cy/base/check.hpp>
#include <cy/record/black_box.hpp>

#include <algorithm>

namespace cy::record {

BlackBox::BlackBox(std::size_t capacity, Options options) : options_(std::move(options)), ring_(capacity) {}

ChannelId BlackBox::add_channel(ChannelInfo info) {
  CY_CHECK(channels_.size() < 65535);
  channels_.push_back(std::move(info));
  sequences_.push_back(0);
  return {static_cast<std::uint16_t>(channels_.size())};
}

void BlackBox::on_record(ChannelId channel, Bytes bytes, Time at) {
  CY_CHECK(channel && channel.value <= channels_.size());
  auto const sequence = sequences_[channel.value - 1U]++;
  if (ring_.size() < head_size || bytes.size() > ring_.size() - head_size) {
    ++counters_.too_big;
    return;
  }
  auto const needed = head_size + bytes.size();
  while (ring_.size() - used_ < needed) {
    auto const size = head_size + head_at(first_).size;
    first_ = (first_ + size) % ring_.size();
    used_ -= size;
    --held_;
    ++counters_.overwritten;
  }
  std::array<std::uint8_t, head_size> head;
  store_le(head.data(), std::int64_t{at.time_since_epoch().count()});
  store_le(head.data() + 8, static_cast<std::uint32_t>(bytes.size()));
  store_le(head.data() + 12, sequence);
  store_le(head.data() + 16, std::uint32_t{channel.value});
  put(head);
  put(bytes);
  ++held_;
  ++counters_.recorded;
}

Buffer BlackBox::snapshot(Time now, std::string_view reason) const {
  Writer writer(options_);
  for (auto const& channel : channels_) writer.add_channel(channel);
  Buffer bytes;
  auto at = first_;
  for (std::size_t i = 0; i < held_; ++i) {
    auto const head = head_at(at);
    bytes.resize(head.size);
    copy_out((at + head_size) % ring_.size(), bytes);
    writer.on_record({static_cast<std::uint16_t>(head.channel)}, bytes, Time{Duration{head.at_ns}},
                     head.sequence);
    at = (at + head_size + head.size) % ring_.size();
  }
  writer.on_facts("black box",
                  {{"reason", std::string(reason)},
                   {"time_ns", std::to_string((now.time_since_epoch() + options_.unix_offset).count())},
                   {"recorded", std::to_string(counters_.recorded)},
                   {"overwritten", std::to_string(counters_.overwritten)},
                   {"too_big", std::to_string(counters_.too_big)}});
  writer.finish();
  return writer.take();
}

void BlackBox::put(Bytes bytes) {
  auto const at = (first_ + used_) % ring_.size();
  auto const before_end = std::min(bytes.size(), ring_.size() - at);
  std::copy_n(bytes.begin(), before_end, ring_.begin() + static_cast<std::ptrdiff_t>(at));
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(before_end), bytes.end(), ring_.begin());
  used_ += bytes.size();
}

void BlackBox::copy_out(std::size_t at, MutableBytes bytes) const {
  auto const before_end = std::min(bytes.size(), ring_.size() - at);
  std::copy_n(ring_.begin() + static_cast<std::ptrdiff_t>(at), before_end, bytes.begin());
  std::copy_n(ring_.begin(), bytes.size() - before_end,
              bytes.begin() + static_cast<std::ptrdiff_t>(before_end));
}

BlackBox::Head BlackBox::head_at(std::size_t at) const {
  std::array<std::uint8_t, head_size> bytes;
  copy_out(at, bytes);
  return {load_le<std::int64_t>(bytes.data()), load_le<std::uint32_t>(bytes.data() + 8),
          load_le<std::uint32_t>(bytes.data() + 12), load_le<std::uint32_t>(bytes.data() + 16)};
}

}  // namespace cy::record
