#include "exchange.hpp"

namespace cy::camera {
namespace {

constexpr std::size_t most_orders = 64;  // between two pictures; an agent that sends more is not heard

}  // namespace

void Exchange::put(media::StreamInfo const& info) {
  {
    std::scoped_lock const lock(mutex_);
    info_ = info;
    if (!connected_) return;
    outbox_.put(info);
  }
  wake_();
}

void Exchange::put(media::CodedFrame const& frame) {
  {
    std::scoped_lock const lock(mutex_);
    if (!connected_) return;
    if (!outbox_.put(frame)) orders_.dropped = true;
  }
  wake_();
}

Orders Exchange::take() {
  std::scoped_lock const lock(mutex_);
  auto orders = std::move(orders_);
  orders_ = {};
  orders_.stop = orders.stop;
  orders_.watched = orders.watched;
  return orders;
}

void Exchange::wait_idle(Duration most) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [&] { return orders_.watched || orders_.stop; });
}

void Exchange::on_connected() {
  std::scoped_lock const lock(mutex_);
  connected_ = true;
  outbox_.clear();
  if (info_) outbox_.put(*info_);
}

void Exchange::on_disconnected() {
  std::scoped_lock const lock(mutex_);
  connected_ = false;
  outbox_.clear();
  orders_.watched = false;
}

void Exchange::on_subscribe(bool on) {
  {
    std::scoped_lock const lock(mutex_);
    orders_.watched = on;
    if (on) orders_.joined = true;
  }
  changed_.notify_all();
}

void Exchange::on_keyframe_wanted(media::KeyframeWanted const& wanted) {
  std::scoped_lock const lock(mutex_);
  if (orders_.keyframes.size() < most_orders) orders_.keyframes.push_back(wanted);
}

void Exchange::on_quality(media::QualityOrder const& order) {
  std::scoped_lock const lock(mutex_);
  if (orders_.quality.size() < most_orders) orders_.quality.push_back(order);
}

void Exchange::stop() {
  {
    std::scoped_lock const lock(mutex_);
    orders_.stop = true;
  }
  changed_.notify_all();
}

}  // namespace cy::camera
