#include <cy/media/pacer.hpp>

namespace cy::media {

bool Pacer::on_frame(std::uint32_t number, bool key, std::size_t blocks, Time now) {
  auto const refuse = [&] {
    dropped_.push_back(number);
    ++dropped_count_;
    return false;
  };
  if (blocks == 0) return refuse();
  if (key) {
    starved_ = false;
    // What is being sent is nearly there; what has not begun is old news.
    auto const stale = queue_.begin() + (queue_.empty() || queue_.front().sent == 0 ? 0 : 1);
    for (auto at = stale; at != queue_.end(); ++at) {
      dropped_.push_back(at->number);
      ++dropped_count_;
    }
    queue_.erase(stale, queue_.end());
  }
  if (queue_.size() >= std::max<std::size_t>(options_.frames, 2)) starved_ = true;
  if (starved_) return refuse();
  queue_.push_back({number, blocks, 0, now});
  return true;
}

Time Pacer::due(Entry const& entry) const {
  if (entry.sent < options_.burst || entry.blocks <= options_.burst) return entry.start;
  auto const rest = static_cast<std::int64_t>(entry.blocks - options_.burst);
  auto const index = static_cast<std::int64_t>(entry.sent - options_.burst) + 1;
  auto const offset = options_.spread * index / rest;
  if (options_.tick <= Duration{}) return entry.start + offset;
  return entry.start + (offset + options_.tick - Duration{1}) / options_.tick * options_.tick;
}

std::optional<Piece> Pacer::next(Time now) {
  if (queue_.empty()) return std::nullopt;
  auto& entry = queue_.front();
  if (due(entry) > now) return std::nullopt;
  Piece piece{entry.number, static_cast<std::uint16_t>(entry.sent), false};
  if (++entry.sent == entry.blocks) {
    piece.last = true;
    queue_.pop_front();
    // The next one's spread begins when it does.
    if (!queue_.empty()) queue_.front().start = std::max(queue_.front().start, now);
  }
  return piece;
}

std::optional<Time> Pacer::deadline() const {
  if (queue_.empty()) return std::nullopt;
  return due(queue_.front());
}

void Pacer::drain_dropped(std::vector<std::uint32_t>& into) {
  into.insert(into.end(), dropped_.begin(), dropped_.end());
  dropped_.clear();
}

}  // namespace cy::media
