#include "outbox.hpp"

namespace cy::camera {

bool Outbox::put(media::CodedFrame const& frame) {
  if (frames_.size() >= most_frames) {
    dropped_ += frames_.size();
    frames_.clear();
    starved_ = true;
  }
  if (starved_ && !frame.key) {
    ++dropped_;
    return false;
  }
  starved_ = false;
  frames_.push_back(framed(frame));
  return true;
}

Bytes Outbox::front() {
  if (sent_ == sending_.size()) {
    sent_ = 0;
    if (info_) {
      sending_ = std::move(*info_);
      info_.reset();
    } else if (!frames_.empty()) {
      sending_ = std::move(frames_.front());
      frames_.pop_front();
    } else {
      sending_.clear();
    }
  }
  return Bytes(sending_).subspan(sent_);
}

void Outbox::written(std::size_t bytes) {
  sent_ += bytes;
}

void Outbox::clear() {
  info_.reset();
  dropped_ += frames_.size();
  frames_.clear();
  sending_.clear();
  sent_ = 0;
  starved_ = true;
}

}  // namespace cy::camera
