#include <cy/media/blocks.hpp>
#include <cy/media/frame_stats.hpp>

#include <cmath>

namespace cy::media {

void FrameStats::on_block(VideoBlock const& block) {
  ++report_.blocks_received;
  if (block.block >= block.blocks) ++report_.parity_received;
  report_.bytes += block.data.size();
  if (!seen_ || newer(block.frame, report_.highest)) report_.highest = block.frame;
  seen_ = true;
}

void FrameStats::on_shown(Duration delay, bool clean, Time now) {
  if (!started_) {
    started_ = true;
    since_ = now;
  }
  ++report_.frames_complete;
  if (!clean) ++report_.frames_unclean;
  if (last_delay_) {
    // RFC 3550 §6.4.1: J += (|D| − J) / 16.
    jitter_ += (std::abs(seconds(delay - *last_delay_)) - jitter_) / 16.0;
  }
  last_delay_ = delay;
  report_.delay_max = std::max(report_.delay_max, delay);
  auto const t = seconds(now - since_);
  auto const d = seconds(delay);
  n_ += 1.0;
  sum_t_ += t;
  sum_d_ += d;
  sum_tt_ += t * t;
  sum_td_ += t * d;
}

void FrameStats::on_dropped(Gaps gaps) {
  ++report_.frames_dropped;
  report_.blocks_lost += static_cast<std::uint32_t>(gaps.blocks);
  report_.loss_bursts += static_cast<std::uint32_t>(gaps.runs);
}

void FrameStats::on_restored(Gaps gaps) {
  report_.blocks_restored += static_cast<std::uint32_t>(gaps.blocks);
  report_.loss_bursts += static_cast<std::uint32_t>(gaps.runs);
}

void FrameStats::on_unseen(std::uint32_t frames) {
  report_.frames_dropped += frames;
  report_.blocks_lost += frames;
  report_.loss_bursts += frames;
}

ReceiverReport FrameStats::take(StreamId stream, Time now) {
  auto report = report_;
  report.stream = stream;
  report.span = started_ ? now - since_ : Duration{};
  report.jitter = from_seconds(jitter_);
  if (n_ > 0.0) report.delay_mean = from_seconds(sum_d_ / n_);
  auto const spread = n_ * sum_tt_ - sum_t_ * sum_t_;
  if (n_ >= 3.0 && spread > 1e-9) report.delay_growth = (n_ * sum_td_ - sum_t_ * sum_d_) / spread;

  report_ = {};
  report_.number = report.number + 1;
  report_.highest = report.highest;
  started_ = true;
  since_ = now;
  n_ = sum_t_ = sum_d_ = sum_tt_ = sum_td_ = 0.0;
  return report;
}

}  // namespace cy::media
