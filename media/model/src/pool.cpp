#include <cy/media/pool.hpp>

#include <iterator>

namespace cy::media {
namespace {

constexpr std::size_t remembered = 32;          // frames behind us
constexpr std::uint32_t believable_gap = 1000;  // frames; a wider one is no loss, the sender was away
constexpr std::int32_t window = 1 << 16;        // frames around the newest: half an hour

Duration capture_between(std::uint32_t from, std::uint32_t to) {
  return std::chrono::microseconds(static_cast<std::int32_t>(to - from));
}

}  // namespace

Pool::Pool(StreamId stream, PoolOptions options) : stream_(stream), options_(options) {
  options_.levels = std::max<std::size_t>(options_.levels, 1);
}

void Pool::on_block(VideoBlock const& block, Time now) {
  auto const place = place_of(block);
  if (!place || block.stream != stream_ || block.size > options_.frame_bytes) {
    ++refused_;
    return;
  }
  switch (judge(block)) {
    case Verdict::current:
      break;
    case Verdict::late:
      on_late_block(block);
      return;
    case Verdict::refused:
      ++refused_;
      return;
    case Verdict::restart:
      restart();
      break;
  }

  auto* const level = level_for(block, now);
  if (level == nullptr) return;
  if (level->have[block.block]) {  // rule 2
    stats_.on_duplicate();
    return;
  }
  level->have[block.block] = true;
  ++level->received;
  level->touched = now;
  std::copy(block.data.begin(), block.data.end(), level->data.begin() + static_cast<std::ptrdiff_t>(*place));
  stats_.on_block(block.frame, block.data.size());

  settle(now);
  if (broken_ && !block.key) want_keyframe(now);
}

// A frame is newer or older by its number; a number that leaves the window, or an older number on a
// newer picture, means that the sender counts from somewhere else now. The window also keeps all
// levels well within half the circle, where "newer" orders them.
Pool::Verdict Pool::judge(VideoBlock const& block) const {
  if (levels_.empty() && !horizon_) return Verdict::current;
  auto const newest = levels_.empty() ? *horizon_ : levels_.back().number;
  auto const newest_capture = levels_.empty() ? horizon_capture_ : levels_.back().capture_us;
  auto const later = capture_between(newest_capture, block.capture_us) > Duration{};
  auto const ahead = static_cast<std::int32_t>(block.frame - newest);
  if (ahead > window) return later ? Verdict::restart : Verdict::refused;
  if (ahead < -window) return later ? Verdict::restart : Verdict::late;
  if (!horizon_ || newer(block.frame, *horizon_)) return Verdict::current;
  return capture_between(horizon_capture_, block.capture_us) > Duration{} ? Verdict::restart : Verdict::late;
}

// The block's level, made by rule 1 where there is none; nothing when the block is dropped.
Pool::Level* Pool::level_for(VideoBlock const& block, Time now) {
  auto at = std::find_if(levels_.begin(), levels_.end(),
                         [&](Level const& l) { return !newer(block.frame, l.number); });
  if (at != levels_.end() && at->number == block.frame) {
    auto const same = at->blocks == block.blocks && at->data.size() == block.size && at->key == block.key &&
                      at->capture_us == block.capture_us;
    if (!same) ++refused_;
    return same ? &*at : nullptr;
  }

  auto const full = [&] {
    return levels_.size() >= options_.levels || memory() + block.size > options_.pool_bytes;
  };
  auto index = static_cast<std::size_t>(at - levels_.begin());
  auto room = std::size_t{0};  // levels to delete, all of them older than the block
  while (full()) {
    if (index == 0) {
      if (room == 0) on_late_block(block);
      return nullptr;
    }
    drop_oldest(1);
    ++room;
    --index;
  }
  Level level;
  level.number = block.frame;
  level.capture_us = block.capture_us;
  level.key = block.key;
  level.blocks = block.blocks;
  level.have.resize(block.blocks);
  level.data.resize(block.size);
  level.touched = now;
  levels_.insert(levels_.begin() + static_cast<std::ptrdiff_t>(index), std::move(level));

  // The span is a limit: what is too far behind the newest picture will not be shown any more.
  auto const newest = levels_.back().capture_us;
  auto old = std::size_t{0};
  while (old < index && capture_between(levels_[old].capture_us, newest) > options_.span) ++old;
  drop_oldest(old);
  return &levels_[index - old];
}

// Shows whatever may be shown, oldest first.
void Pool::settle(Time now) {
  for (auto again = true; again;) {
    again = false;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      if (!levels_[i].complete() || !ready(i, now)) continue;
      show(i, now);
      again = true;
      break;
    }
  }
}

// Until when a complete frame is held because what it builds on may still come; nothing: not held.
std::optional<Time> Pool::held_until(std::size_t index) const {
  auto const& level = levels_[index];
  if (level.key) return std::nullopt;
  if (!broken_ && level.number == *shown_ + 1) return std::nullopt;
  auto until = level.touched + options_.patience;
  auto coming = !broken_ && horizon_ == shown_;  // nothing that it needs has been given up
  for (std::size_t i = 0; i < index; ++i) {
    if (!levels_[i].key || levels_[i].complete()) continue;
    coming = true;
    until = std::max(until, levels_[i].touched + options_.patience);
  }
  return coming ? std::optional(until) : std::nullopt;
}

bool Pool::ready(std::size_t index, Time now) const {
  if (!levels_[index].key && !shown_) return false;
  auto const until = held_until(index);
  return !until || *until <= now;
}

// Rule 3.
void Pool::show(std::size_t index, Time now) {
  drop_oldest(index);
  auto level = std::move(levels_.front());
  levels_.erase(levels_.begin());
  pass(level);
  if (level.key) {
    broken_ = false;
  } else if (level.number != *shown_ + 1) {
    broken_ = true;
  }
  shown_ = level.number;
  if (!broken_) shown_clean_ = level.number;

  auto const delay = since_stamp(now + offset_, level.capture_us);
  stats_.on_shown(delay, !broken_, now);
  effects_.push_back(
      Shown{level.number, level.capture_us, level.key, !broken_, delay, std::move(level.data)});
  remember(std::move(level), true);
  if (broken_) want_keyframe(now);
}

void Pool::drop_oldest(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    auto& level = levels_[i];
    pass(level);
    auto const why = !level.complete() ? DropReason::incomplete
                     : shown_          ? DropReason::overtaken
                                       : DropReason::undecodable;
    stats_.on_dropped(static_cast<std::size_t>(level.blocks - level.received));
    effects_.push_back(Dropped{level.number, why, level.received, level.blocks});
    broken_ = true;
    remember(std::move(level), false);
  }
  levels_.erase(levels_.begin(), levels_.begin() + static_cast<std::ptrdiff_t>(count));
}

// The frame is decided, and all older ones with it.
void Pool::pass(Level const& level) {
  if (horizon_) {
    auto const unseen = level.number - *horizon_ - 1;
    if (unseen < believable_gap) stats_.on_unseen(unseen);
  }
  horizon_ = level.number;
  horizon_capture_ = level.capture_us;
}

void Pool::remember(Level&& level, bool shown) {
  if (past_.size() == remembered) past_.pop_front();
  past_.push_back({level.number, level.blocks, level.received, std::move(level.have), shown});
}

// Of a frame that is decided: a duplicate, or one that came too late.
void Pool::on_late_block(VideoBlock const& block) {
  auto const found =
      std::find_if(past_.begin(), past_.end(), [&](Past const& p) { return p.number == block.frame; });
  if (found == past_.end()) {
    if (past_.size() == remembered && newer(past_.front().number, block.frame)) {
      stats_.on_duplicate();  // too old to tell
      return;
    }
    Past past{block.frame, block.blocks, 1, std::vector<bool>(block.blocks), false};
    past.have[block.block] = true;
    stats_.on_block(block.frame, block.data.size());
    if (past.blocks == 1) stats_.on_late();
    if (past_.size() == remembered) past_.pop_front();
    past_.push_back(std::move(past));
    return;
  }
  if (found->shown || found->blocks != block.blocks || found->have[block.block]) {
    stats_.on_duplicate();
    return;
  }
  found->have[block.block] = true;
  stats_.on_block(block.frame, block.data.size());
  if (++found->received == found->blocks) stats_.on_late();
}

void Pool::restart() {
  ++restarts_;
  drop_oldest(levels_.size());
  past_.clear();
  horizon_.reset();
  shown_.reset();
  shown_clean_.reset();
  broken_ = true;
  stats_.on_restart();
}

void Pool::want_keyframe(Time now) {
  if (wanted_at_ && now < *wanted_at_ + options_.keyframe_gap) return;
  for (auto const& level : levels_)
    if (level.key && now < level.touched + options_.keyframe_gap) return;  // one is on its way
  wanted_at_ = now;
  effects_.push_back(Wanted{{stream_, shown_clean_.value_or(0), !shown_clean_}});
}

void Pool::on_time(Time now) {
  settle(now);
}

std::optional<Time> Pool::deadline() const {
  std::optional<Time> first;
  if (!shown_) return first;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    if (!levels_[i].complete()) continue;
    auto const until = held_until(i);
    if (until && (!first || *until < *first)) first = until;
  }
  return first;
}

void Pool::drain(std::vector<PoolEffect>& into) {
  into.insert(into.end(), std::make_move_iterator(effects_.begin()), std::make_move_iterator(effects_.end()));
  effects_.clear();
}

std::size_t Pool::memory() const {
  std::size_t total = 0;
  for (auto const& level : levels_) total += level.data.size() + level.have.size() / 8;
  return total;
}

}  // namespace cy::media
