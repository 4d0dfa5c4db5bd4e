#include <cy/media/relay.hpp>

namespace cy::media {

Relay::Stream& Relay::stream_of(StreamId id) {
  auto const [at, fresh] = streams_.try_emplace(id.value);
  if (fresh) {
    at->second.info.stream = id;
    at->second.pacer = Pacer(options_.pacer);
    at->second.budget = KeyframeBudget(options_.keyframes);
  }
  return at->second;
}

void Relay::on_camera_message(CameraId camera, wire::Raw message, Time now) {
  if (auto info = wire::as<StreamInfo>(message)) {
    auto& stream = stream_of(info->stream);
    auto const fresh = stream.camera != camera;
    stream.info = std::move(*info);
    stream.camera = camera;
    changed_ = true;
    // A camera that has just come knows of nobody.
    if (fresh && !stream.viewers.empty()) {
      watch(stream, true);
      stream.budget.on_join();
      ask_for_keyframe(stream, now);
    }
  } else if (auto frame = wire::as<CodedFrame>(message)) {
    on_frame(std::move(*frame), now);
  }
}

void Relay::on_camera_gone(CameraId camera) {
  for (auto& [id, stream] : streams_) {
    if (stream.camera != camera) continue;
    stream.camera = {};
    stream.info.running = false;
    stream.info.trouble = "the camera process has ended; it is waited for";
    changed_ = true;
  }
}

void Relay::on_frame(CodedFrame frame, Time now) {
  auto const found = streams_.find(frame.stream.value);
  if (found == streams_.end()) return;
  auto& stream = found->second;
  auto const number = frame.number;
  auto const blocks = block_count(frame.data.size(), options_.block_bytes);
  if (frame.key) stream.budget.on_keyframe(number, now);
  if (stream.viewers.empty() || blocks == 0) return;
  if (stream.pacer.on_frame(number, frame.key, blocks, now))
    stream.frames.insert_or_assign(number, std::move(frame));
  drop_refused(stream);
  if (stream.pacer.starved()) stream.budget.on_join();
}

bool Relay::on_subscribe(ViewerId viewer, Subscribe const& wish) {
  auto const known = streams_.contains(wish.stream.value);
  if (!known && !wish.on) return false;
  auto& stream = stream_of(wish.stream);
  if (wish.on) {
    auto const first = stream.viewers.empty();
    stream.viewers.insert(viewer);
    if (first) watch(stream, true);
    stream.budget.on_join();
  } else if (stream.viewers.erase(viewer) > 0 && stream.viewers.empty()) {
    watch(stream, false);
  }
  return known;
}

void Relay::on_viewer_gone(ViewerId viewer) {
  for (auto& [id, stream] : streams_)
    if (stream.viewers.erase(viewer) > 0 && stream.viewers.empty()) watch(stream, false);
}

bool Relay::on_viewer_message(ViewerId, wire::Raw message, Time now) {
  if (auto const wanted = wire::as<KeyframeWanted>(message)) {
    if (auto const at = streams_.find(wanted->stream.value); at != streams_.end()) {
      at->second.budget.on_wanted(*wanted, now);
      ask_for_keyframe(at->second, now);
    }
    return true;
  }
  if (auto const order = wire::as<QualityOrder>(message)) {
    if (auto const at = streams_.find(order->stream.value); at != streams_.end() && at->second.camera)
      orders_.push_back({at->second.camera, wire::body_of(*order)});
    return true;
  }
  return message.type == ReceiverReport::head.type;
}

void Relay::watch(Stream& stream, bool on) {
  if (stream.camera) orders_.push_back({stream.camera, wire::body_of(Subscribe{stream.info.stream, on})});
}

std::optional<Piece> Relay::next(Stream& stream, Time now) {
  auto const piece = stream.pacer.next(now);
  if (!piece) return std::nullopt;
  auto const& frame = stream.frames.at(piece->frame);
  cut_block({frame.stream, frame.number, stamp_us(Time(frame.captured)), frame.key}, frame.data,
            options_.block_bytes, piece->block, block_);
  return piece;
}

void Relay::drop_refused(Stream& stream) {
  stream.pacer.drain_dropped(dropped_);
  for (auto const number : dropped_) stream.frames.erase(number);
  dropped_.clear();
}

void Relay::ask_for_keyframe(Stream& stream, Time now) {
  if (!stream.camera || stream.viewers.empty() || !stream.budget.take(now)) return;
  KeyframeWanted wanted;
  wanted.stream = stream.info.stream;
  wanted.none = true;
  orders_.push_back({stream.camera, wire::body_of(wanted)});
}

std::optional<Time> Relay::deadline() const {
  std::optional<Time> first;
  for (auto const& [id, stream] : streams_)
    for (auto const due :
         {stream.pacer.deadline(),
          stream.camera && !stream.viewers.empty() ? stream.budget.deadline() : std::nullopt})
      if (due && (!first || *due < *first)) first = due;
  return first;
}

void Relay::drain(std::vector<CameraOrder>& into) {
  std::move(orders_.begin(), orders_.end(), std::back_inserter(into));
  orders_.clear();
}

std::vector<StreamInfo> Relay::streams() const {
  std::vector<StreamInfo> all;
  for (auto const& [id, stream] : streams_)
    if (stream.info.capture != CaptureKind::unknown || stream.camera) all.push_back(stream.info);
  return all;
}

}  // namespace cy::media
