#include <cy/base/check.hpp>
#include <cy/media/pool.hpp>

#include <iterator>

namespace cy::media {
namespace {

constexpr std::size_t remembered = 32;          // frames behind us
constexpr std::uint32_t believable_gap = 1000;  // frames; a wider one is no loss, the sender was away
constexpr std::int32_t window = 1 << 16;        // frames around the newest: half an hour

void mark(std::vector<bool>& have, std::size_t index) {
  if (index >= have.size()) have.resize(index + 1);
  have[index] = true;
}

Duration capture_between(std::uint32_t from, std::uint32_t to) {
  return std::chrono::microseconds(static_cast<std::int32_t>(to - from));
}

}  // namespace

Pool::Pool(StreamId stream, PoolOptions options) : stream_(stream), options_(options) {
  options_.levels = std::max<std::size_t>(options_.levels, 1);
}

void Pool::on_block(VideoBlock const& block, Time now) {
  auto const place = place_of(block);
  auto const row = place ? std::nullopt : row_of(block);
  if ((!place && !row) || block.stream != stream_ || block.size > options_.frame_bytes) {
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
  auto const again = row ? std::any_of(level->parity.begin(), level->parity.end(),
                                       [&](ParityRow const& known) { return known.row == *row; })
                         : level->have[block.block];
  if (again) {  // rule 2
    stats_.on_duplicate();
    return;
  }
  level->touched = now;
  stats_.on_block(block);
  if (row) {
    if (!level->complete()) level->parity.push_back({*row, block.data});
  } else {
    level->have[block.block] = true;
    ++level->received;
    std::copy(block.data.begin(), block.data.end(),
              level->data.begin() + static_cast<std::ptrdiff_t>(*place));
  }
  repair(*level);
  if (level->complete()) asks_.erase(level->number);
  settle(now);
  ask(now);
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
  level.began = level.touched = now;
  levels_.insert(levels_.begin() + static_cast<std::ptrdiff_t>(index), std::move(level));

  // The span is a limit: what is too far behind the newest picture will not be shown any more.
  auto const newest = levels_.back().capture_us;
  auto old = std::size_t{0};
  while (old < index && capture_between(levels_[old].capture_us, newest) > options_.span) ++old;
  drop_oldest(old);
  return &levels_[index - old];
}

FrameStats::Gaps Pool::Level::gaps() const {
  FrameStats::Gaps gaps;
  for (std::size_t i = 0; i < have.size(); ++i) {
    if (have[i]) continue;
    ++gaps.blocks;
    if (i == 0 || have[i - 1]) ++gaps.runs;
  }
  return gaps;
}

// Completes the level by its parity as soon as that suffices.
void Pool::repair(Level& level) {
  if (level.complete() || level.received + level.parity.size() < level.blocks) return;
  stats_.on_restored(level.gaps());
  CY_CHECK(restore(level.data, level.have, level.parity));
  level.received = level.blocks;
  level.have.assign(level.blocks, true);
}

// Until when the answer to what was asked last can be expected.
std::optional<Time> Pool::answer_due(std::uint32_t number) const {
  auto const asked = asks_.find(number);
  if (asked == asks_.end()) return std::nullopt;
  return asked->second.at + *rtt_ + options_.answer;
}

// The frames that are not whole and could still be shown, and when to ask for their rest.
std::vector<Pool::Missing> Pool::missing() const {
  std::vector<Missing> all;
  if (options_.asks == 0 || !rtt_ || levels_.empty()) return all;
  auto const end = levels_.back().number + 1;
  auto const first = horizon_ ? *horizon_ + 1 : levels_.front().number;
  auto const frames = std::min(end - first, static_cast<std::uint32_t>(options_.levels));
  auto level = levels_.begin();
  for (auto number = end - frames; number != end; ++number) {
    while (newer(number, level->number)) ++level;
    auto const seen = level->number == number;
    if (seen && level->complete()) continue;
    if (broken_ && !(seen && level->key)) continue;  // it would lack its reference all the same
    auto const lacks = seen ? level->blocks - level->received - level->parity.size() : std::size_t{0xffff};
    Missing one{number, static_cast<std::uint16_t>(lacks), level->capture_us, {}};
    if (auto const asked = asks_.find(number); asked != asks_.end()) {
      auto const& [at, count, repeated] = asked->second;
      if (repeated && count >= options_.asks) continue;
      one.due = repeated ? *answer_due(number) : at + options_.repeat;
    } else {
      // The sender is past it when a newer frame has begun, or when it falls silent.
      auto const next = seen ? level + 1 : level;
      one.due = seen ? level->touched + options_.quiet : next->began + options_.reorder;
      if (next != levels_.end()) one.due = std::min(one.due, next->began + options_.reorder);
    }
    all.push_back(one);
  }
  return all;
}

void Pool::ask(Time now) {
  for (auto const& one : missing()) {
    if (one.due > now) continue;
    auto& asked = asks_[one.number];
    asked.repeated = asked.count > 0 && !asked.repeated;
    if (!asked.repeated) {
      asked.at = now;
      ++asked.count;
    }
    if (since_stamp(now + offset_, one.capture_us) + *rtt_ > options_.span) {
      asked.count = options_.asks;  // the answer would come too late
      asked.repeated = true;
    } else {
      effects_.push_back(Lacking{{stream_, one.number, one.blocks, static_cast<std::uint8_t>(asked.count)}});
    }
  }
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
  for (auto const& [number, asked] : asks_)
    if (auto const due = answer_due(number); due && newer(level.number, number))
      until = std::max(until, *due);
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
    stats_.on_dropped(level.gaps());
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
  std::erase_if(asks_, [&](auto const& asked) { return !newer(asked.first, level.number); });
}

void Pool::remember(Level&& level, bool shown) {
  if (past_.size() == remembered) past_.pop_front();
  auto have = std::move(level.have);
  for (auto const& parity : level.parity) mark(have, level.blocks + parity.row);
  past_.push_back({level.number, level.blocks, level.received, std::move(have), shown});
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
    auto const data = block.block < block.blocks;
    Past past{block.frame, block.blocks, static_cast<std::uint16_t>(data ? 1 : 0),
              std::vector<bool>(block.blocks), false};
    mark(past.have, block.block);
    stats_.on_block(block);
    if (data && past.blocks == 1) stats_.on_late();
    if (past_.size() == remembered) past_.pop_front();
    past_.push_back(std::move(past));
    return;
  }
  auto const data = block.block < block.blocks;
  auto const known = block.block < found->have.size() && found->have[block.block];
  if ((data && found->shown) || found->blocks != block.blocks || known) {
    stats_.on_duplicate();
    return;
  }
  mark(found->have, block.block);
  stats_.on_block(block);
  if (data && ++found->received == found->blocks) stats_.on_late();
}

void Pool::restart() {
  ++restarts_;
  drop_oldest(levels_.size());
  past_.clear();
  asks_.clear();
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
  ask(now);
  settle(now);
  ask(now);
}

std::optional<Time> Pool::deadline() const {
  std::optional<Time> first;
  for (std::size_t i = 0; shown_ && i < levels_.size(); ++i) {
    if (!levels_[i].complete()) continue;
    auto const until = held_until(i);
    if (until && (!first || *until < *first)) first = until;
  }
  for (auto const& one : missing())
    if (!first || one.due < *first) first = one.due;
  return first;
}

ReceiverReport Pool::report(Time now) {
  auto report = stats_.take(stream_, now);
  report.round_trip = rtt_.value_or(Duration{});
  return report;
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
