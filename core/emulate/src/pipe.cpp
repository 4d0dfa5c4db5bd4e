#include <cy/base/check.hpp>
#include <cy/emulate/pipe.hpp>

namespace cy::emulate {

Path const& Schedule::at(Duration elapsed) const {
  if (period > Duration::zero()) elapsed %= period;
  auto const* path = &entries.front().path;
  for (auto const& entry : entries) {
    if (entry.after > elapsed) break;
    path = &entry.path;
  }
  return *path;
}

Pipe::Pipe(Schedule schedule, Seed seed) : schedule_(std::move(schedule)), random_(seed) {
  CY_CHECK(!schedule_.entries.empty());
}

void Pipe::on_datagram(Bytes bytes, Time now) {
  if (!start_) start_ = now;
  auto const& path = schedule_.at(now - *start_);
  ++counters_.sent;
  if (loses(path)) {
    ++counters_.lost;
    return;
  }
  auto const twice = random_.chance(path.duplicate);
  enqueue(bytes, path, now);
  if (twice) {
    ++counters_.duplicated;
    enqueue(bytes, path, now);
  }
}

std::optional<Time> Pipe::deadline() const {
  if (under_way_.empty()) return std::nullopt;
  return under_way_.begin()->at;
}

std::vector<Delivery> Pipe::drain(Time now) {
  std::vector<Delivery> out;
  auto const end = under_way_.upper_bound(Flight{now, ~std::uint64_t{0}, {}});
  for (auto flight = under_way_.begin(); flight != end; ++flight) {
    out.push_back({flight->at, std::move(flight->bytes)});
  }
  under_way_.erase(under_way_.begin(), end);
  counters_.delivered += out.size();
  return out;
}

// Draws the same numbers whatever the outcome, so that one change to a path changes little else.
bool Pipe::loses(Path const& path) {
  auto const by_chance = random_.chance(path.loss);
  auto in_burst = false;
  if (path.bursts) {
    auto const& ge = *path.bursts;
    bad_ = bad_ ? !random_.chance(ge.p_good) : random_.chance(ge.p_bad);
    in_burst = random_.chance(bad_ ? ge.loss_bad : ge.loss_good);
  }
  return path.down || by_chance || in_burst;
}

void Pipe::enqueue(Bytes bytes, Path const& path, Time now) {
  auto sent = now;
  if (path.rate_bps) {
    auto const start = std::max(now, queue_free_);
    if (start - now > path.queue) {
      ++counters_.queue_dropped;
      return;
    }
    sent = queue_free_ = start + from_seconds(static_cast<double>(bytes.size()) * 8.0 / *path.rate_bps);
  }
  auto const out = sent + path.delay + from_seconds(seconds(path.jitter) * random_.uniform());
  if (random_.chance(path.reorder)) {
    ++counters_.held_back;
    under_way_.insert({out + path.late, order_++, copy_of(bytes)});
    return;
  }
  last_out_ = std::max(last_out_, out);
  under_way_.insert({last_out_, order_++, copy_of(bytes)});
}

}  // namespace cy::emulate
