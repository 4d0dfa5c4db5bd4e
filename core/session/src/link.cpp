#include <cy/base/check.hpp>
#include <cy/session/link.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace cy::session {
namespace {

constexpr std::uint64_t history_span = 256;
// A jump this long is a change of epoch (seal/transport), not a loss.
constexpr std::uint64_t epoch_jump = 1u << 16;
constexpr std::size_t max_partials = 4;  // how many messages in fragments are held at once
// Round trips are compared within this time; the least of the last two such times counts.
constexpr Duration rtt_window = 10s;
constexpr std::size_t fragment_head = 2 + 2 + 4 + 2 + 2 + 2;

std::uint32_t microseconds(Duration d) {
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(d).count(), 0, 0xffff'ffff));
}

}  // namespace

Link::Link(Keys keys, std::uint32_t own_index, std::uint32_t peer_index, Endpoint peer,
           LinkOptions const& options, Time now)
    : keys_(std::move(keys)),
      own_index_(own_index),
      peer_index_(peer_index),
      peer_(peer),
      options_(options),
      last_heard_(now),
      next_heartbeat_(now),
      next_rekey_(now + options.rekey) {
  CY_CHECK(options.datagram > overhead + fragment_head && options.datagram <= max_datagram);
  packets_.reserve(4);
}

void Link::become(LinkState next, std::string why) {
  if (state_ == next || state_ == LinkState::gone) return;
  state_ = next;
  changes_.push_back({next, std::move(why)});
}

std::optional<Bytes> Link::on_datagram(MutableBytes datagram, Endpoint from, Time now) {
  if (state_ == LinkState::gone) return std::nullopt;  // the rest of what was under way
  auto const head = Bytes(datagram.first(head_size));
  auto const sequence = load_le<std::uint32_t>(head.data() + 4);
  auto const before = highest_;
  auto const opened = std::visit(
      [&](auto& keys) { return keys.opener.open(datagram.subspan(head_size), head, sequence); }, keys_);
  if (!opened) {
    drops_.count(drop_of(opened.error()));
    return std::nullopt;
  }
  auto const plain = opened->plain();
  if (plain.size() < stamp_size) {
    drops_.count(Drop::too_short);
    return std::nullopt;
  }
  auto const stamp = load_le<std::uint32_t>(plain.data());
  measure_arrival(opened->sequence(), stamp, now);
  statistics_.bytes_in += datagram.size();
  // The peer lives where its newest authentic datagram came from (roaming).
  if (opened->sequence() >= before) peer_ = from;
  last_heard_ = now;
  if (state_ != LinkState::up) become(LinkState::up, "heard again");

  // Most datagrams hold only the owner's messages: those are handed on where they lie.
  auto const body = Bytes(plain.subspan(stamp_size));
  wire::Walk walk(body);
  auto own = false;
  messages_.clear();
  auto const* from_byte = body.data();
  while (auto const message = walk.next()) {
    auto const* to_byte = message->payload.data() + message->payload.size();
    if (is_session_type(message->type)) {
      own = true;
      handle(*message, now);
    } else {
      messages_.insert(messages_.end(), from_byte, to_byte);
    }
    from_byte = to_byte;
  }
  if (walk.fault()) drops_.count(Drop::malformed);
  if (messages_.empty()) return std::nullopt;
  if (!own && !walk.fault()) return body;
  return Bytes(messages_);
}

void Link::handle(wire::Raw message, Time now) {
  if (auto const beat = wire::as<Heartbeat>(message)) {
    measure_round_trip(*beat, now);
  } else if (auto const bye = wire::as<Goodbye>(message)) {
    become(LinkState::gone, "the other side ended it: " + bye->why);
  } else if (auto fragment = wire::as<Fragment>(message)) {
    on_fragment(std::move(*fragment));
  } else {
    drops_.count(Drop::malformed);
  }
}

void Link::measure_arrival(std::uint64_t sequence, std::uint32_t stamp, Time now) {
  ++statistics_.received;
  auto const bit = [&](std::uint64_t n) -> std::pair<std::uint32_t&, std::uint32_t> {
    return {history_[n / 32 % 8], 1u << (n % 32)};
  };
  if (sequence >= highest_) {
    auto const skipped = sequence - highest_;
    if (skipped < epoch_jump) {
      statistics_.missing += skipped;
      for (auto n = sequence - std::min(skipped, history_span - 1); n <= sequence; ++n) {
        auto [word, mask] = bit(n);
        word &= ~mask;
      }
    } else {
      std::fill(std::begin(history_), std::end(history_), ~0u);
    }
    highest_ = sequence + 1;
    peer_stamp_ = stamp;
    peer_stamp_at_ = now;
  } else if (statistics_.missing > 0) {
    --statistics_.missing;
  }
  if (highest_ - sequence <= history_span) {
    auto [word, mask] = bit(sequence);
    word |= mask;
  }

  auto const transit = static_cast<std::int32_t>(stamp_us(now) - stamp);
  if (transit_us_) {
    auto const step = std::chrono::microseconds(std::abs(static_cast<std::int64_t>(transit) - *transit_us_));
    statistics_.jitter += (step - statistics_.jitter) / 16;
  }
  transit_us_ = transit;
}

void Link::measure_round_trip(Heartbeat const& beat, Time now) {
  statistics_.loss_there = beat.received + beat.missing > 0
                               ? double(beat.missing) / (double(beat.received) + double(beat.missing))
                               : 0.0;
  if (beat.held_us > 10'000'000) return;
  auto const rtt =
      std::max<Duration>(since_stamp(now, beat.echo_us) - std::chrono::microseconds(beat.held_us), 0ns);
  if (rtt > 60s) return;
  statistics_.rtt = statistics_.rtt ? *statistics_.rtt + (rtt - *statistics_.rtt) / 8 : rtt;
  if (now >= best_until_) {
    best_before_ = std::exchange(best_, {});
    best_until_ = now + rtt_window;
  }
  if (!best_ || rtt < best_->rtt) best_ = {rtt, -since_stamp(now, *peer_stamp_) + rtt / 2};
  auto const& best = best_before_ && best_before_->rtt < best_->rtt ? *best_before_ : *best_;
  statistics_.rtt_min = best.rtt;
  statistics_.clock_offset = best.clock_offset;
}

void Link::on_fragment(Fragment fragment) {
  if (fragment.count == 0 || fragment.index >= fragment.count || fragment.data.empty() ||
      std::size_t{fragment.count} * 64 > max_message) {
    drops_.count(Drop::malformed);
    return;
  }
  auto& partial = partials_[fragment.number];
  if (partial.pieces.empty()) partial.pieces.resize(fragment.count);
  if (partial.pieces.size() != fragment.count || partial.bytes + fragment.data.size() > max_message) {
    partials_.erase(fragment.number);
    drops_.count(Drop::malformed);
    return;
  }
  auto& piece = partial.pieces[fragment.index];
  if (piece.empty()) {
    ++partial.have;
    partial.bytes += fragment.data.size();
    piece = std::move(fragment.data);
  }
  if (partial.have == partial.pieces.size()) {
    Buffer whole;
    whole.reserve(partial.bytes);
    for (auto const& p : partial.pieces) whole.insert(whole.end(), p.begin(), p.end());
    partials_.erase(fragment.number);
    wire::Walk walk(whole);
    auto const message = walk.next();
    if (!message || walk.next() || walk.fault() || is_session_type(message->type))
      drops_.count(Drop::malformed);
    else
      messages_.insert(messages_.end(), whole.begin(), whole.end());
  } else if (partials_.size() > max_partials) {
    partials_.erase(partials_.begin());
  }
}

void Link::on_time(Time now) {
  if (state_ == LinkState::gone) return;
  auto const silence = now - last_heard_;
  if (silence >= options_.gone)
    become(LinkState::gone, fmt::format("nothing heard for {:.1f} s", seconds(silence)));
  else if (silence >= options_.lost)
    become(LinkState::lost, fmt::format("nothing heard for {:.0f} ms", milliseconds(silence)));
  else if (silence >= options_.late && state_ == LinkState::up)
    become(LinkState::late, fmt::format("nothing heard for {:.0f} ms", milliseconds(silence)));

  if (now >= next_rekey_) {
    if (auto* keys = std::get_if<SealedKeys>(&keys_)) keys->sealer.advance_epoch();
    next_rekey_ = now + options_.rekey;
  }
  if (now >= next_heartbeat_) {
    Heartbeat beat;
    if (peer_stamp_) {
      beat.echo_us = *peer_stamp_;
      beat.held_us = microseconds(now - peer_stamp_at_);
    } else {
      beat.held_us = 0xffff'ffff;
    }
    beat.received = static_cast<std::uint32_t>(statistics_.received);
    beat.missing = static_cast<std::uint32_t>(statistics_.missing);
    post(beat);
    next_heartbeat_ = now + options_.heartbeat;
  }
}

std::optional<Time> Link::deadline() const {
  if (state_ == LinkState::gone) return std::nullopt;
  auto const turn = state_ == LinkState::up     ? last_heard_ + options_.late
                    : state_ == LinkState::late ? last_heard_ + options_.lost
                                                : last_heard_ + options_.gone;
  return std::min({next_heartbeat_, turn, next_rekey_});
}

std::size_t Link::room_left() const {
  return packets_.empty() ? capacity() : head_size + stamp_size + capacity() - packets_.back().size;
}

MutableBytes Link::make_room(std::size_t size) {
  if (packets_.empty() || room_left() < size) {
    packets_.emplace_back();
    packets_.back().size = head_size + stamp_size;
  }
  auto& packet = packets_.back();
  auto const room = MutableBytes(packet.bytes).subspan(packet.size, size);
  packet.size += size;
  return room;
}

void Link::post(wire::Raw message) {
  auto const size = wire::size_of(message);
  if (size <= capacity())
    wire::encode(message, make_room(size));
  else
    post_fragments(wire::encoded(message));
}

void Link::post_fragments(Bytes message) {
  if (message.size() > max_message) {
    drops_.count(Drop::too_large);
    return;
  }
  auto const piece = capacity() - fragment_head;
  auto const count = (message.size() + piece - 1) / piece;
  for (std::size_t i = 0; i < count; ++i) {
    auto const at = i * piece;
    post(Fragment{next_fragmented_, static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(count),
                  copy_of(message.subspan(at, std::min(piece, message.size() - at)))});
  }
  ++next_fragmented_;
}

void Link::seal_and_add(Packet& packet, Time now, Outbox& out) {
  std::visit(
      [&](auto& keys) {
        auto const kind = sealed() ? Kind::data : Kind::clear_data;
        store_head(packet.bytes.data(),
                   {kind, peer_index_, static_cast<std::uint32_t>(keys.sealer.next_sequence())});
        store_le<std::uint32_t>(packet.bytes.data() + head_size, stamp_us(now));
        auto const size = keys.sealer.seal(MutableBytes(packet.bytes).subspan(head_size),
                                           packet.size - head_size, Bytes(packet.bytes).first(head_size));
        auto const datagram = Bytes(packet.bytes).first(head_size + size);
        out.add(peer_, datagram);
        ++statistics_.sent;
        statistics_.bytes_out += datagram.size();
      },
      keys_);
}

void Link::flush(Time now, Outbox& out) {
  for (auto& packet : packets_) seal_and_add(packet, now, out);
  packets_.clear();
}

void Link::close(std::string_view why, Time now, Outbox& out) {
  if (state_ == LinkState::gone) return;
  flush(now, out);
  for (auto i = 0; i < 3; ++i) {
    post(Goodbye{std::string(why)});
    flush(now, out);
  }
  become(LinkState::gone, std::string(why));
}

LinkStatistics Link::statistics() const {
  auto s = statistics_;
  auto const span = std::min(highest_, history_span);
  if (span > 0) {
    std::uint64_t seen = 0;
    for (auto n = highest_ - span; n < highest_; ++n) seen += history_[n / 32 % 8] >> (n % 32) & 1u;
    s.loss = 1.0 - double(seen) / double(span);
  }
  return s;
}

}  // namespace cy::session
