#include <cy/media/relay.hpp>

#include <algorithm>

namespace cy::media {

void Relay::on_camera_message(CameraId camera, wire::Raw message, Time now) {
  if (auto info = wire::as<StreamInfo>(message))
    on_info(camera, std::move(*info), now);
  else if (auto frame = wire::as<CodedFrame>(message))
    on_frame(camera, std::move(*frame), now);
}

void Relay::on_info(CameraId camera, StreamInfo info, Time now) {
  auto const id = info.stream.value;
  if (!streams_.contains(id) && streams_.size() >= options_.most_streams) {
    ++drops_.too_many;
    return;
  }
  auto const [at, created] = streams_.try_emplace(id);
  auto& stream = at->second;
  if (created) {
    stream.budget = KeyframeBudget(options_.keyframes);
    if (auto const wish = awaited_.extract(id)) stream.viewers = std::move(wish.mapped());
  }
  stream.info = std::move(info);
  changed_ = true;
  if (!created && stream.camera == camera) return;
  // A camera that has just come counts anew, and knows of nobody; what its forerunner left is old.
  stream.camera = camera;
  stream.newest.reset();
  stream.captured.clear();
  stream.frames.clear();
  stream.pacer = Pacer(options_.pacer);
  if (stream.viewers.empty()) return;
  watch(stream, true);
  stream.budget.on_join();
  ask_for_keyframe(stream, now);
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

void Relay::on_frame(CameraId camera, CodedFrame frame, Time now) {
  auto* const stream = find(frame.stream);
  if (!stream || stream->camera != camera) {
    ++drops_.foreign;
    return;
  }
  if (stream->newest && !newer(frame.number, *stream->newest)) {
    ++drops_.old;
    return;
  }
  stream->newest = frame.number;
  stream->captured.emplace_back(frame.number, Time(frame.captured));
  if (stream->captured.size() > remembered) stream->captured.pop_front();
  auto const blocks = block_count(frame.data.size(), options_.block_bytes);
  if (blocks == 0) {
    ++drops_.shapeless;
    return;
  }
  if (frame.key) stream->budget.on_keyframe(frame.number, now);
  if (stream->viewers.empty()) return;
  auto const own = stream->taken++;
  if (stream->pacer.on_frame(own, frame.key, blocks, now)) stream->frames.emplace(own, std::move(frame));
  drop_refused(*stream);
  if (stream->pacer.starved()) stream->budget.on_join();
}

std::optional<Time> Relay::captured_at(std::uint16_t robot, std::uint32_t number) const {
  std::optional<Time> newest;
  for (auto const& [id, stream] : streams_) {
    if (stream.info.robot != 0 && stream.info.robot != robot) continue;
    for (auto const& [known, at] : stream.captured)
      if (known == number && (!newest || at > *newest)) newest = at;
  }
  return newest;
}

Relay::Stream* Relay::find(StreamId id) {
  auto const at = streams_.find(id.value);
  return at == streams_.end() ? nullptr : &at->second;
}

Relay::Stream* Relay::watched(StreamId id, ViewerId viewer) {
  auto* const stream = find(id);
  return stream && stream->viewers.contains(viewer) ? stream : nullptr;
}

std::size_t Relay::wishes(ViewerId viewer) const {
  auto const by_viewer = [&](auto const& entry) { return entry.second.contains(viewer); };
  auto const watches = [&](auto const& entry) { return entry.second.viewers.contains(viewer); };
  return static_cast<std::size_t>(std::count_if(awaited_.begin(), awaited_.end(), by_viewer) +
                                  std::count_if(streams_.begin(), streams_.end(), watches));
}

bool Relay::on_subscribe(ViewerId viewer, Subscribe const& wish) {
  auto const id = wish.stream.value;
  if (!wish.on) {
    unsubscribe(viewer, id);
    return true;
  }
  auto* const stream = find(wish.stream);
  auto const again =
      stream ? stream->viewers.contains(viewer) : awaited_.contains(id) && awaited_.at(id).contains(viewer);
  if (!again && wishes(viewer) >= options_.most_streams) return false;
  if (!stream) {
    awaited_[id].insert(viewer);
    return true;
  }
  auto const first = stream->viewers.empty();
  stream->viewers.insert(viewer);
  if (first) watch(*stream, true);
  stream->budget.on_join();
  return true;
}

void Relay::unsubscribe(ViewerId viewer, std::uint16_t id) {
  if (auto const at = awaited_.find(id); at != awaited_.end()) {
    at->second.erase(viewer);
    if (at->second.empty()) awaited_.erase(at);
  }
  auto* const stream = watched(StreamId{id}, viewer);
  if (!stream) return;
  stream->viewers.erase(viewer);
  if (stream->viewers.empty()) watch(*stream, false);
}

void Relay::on_viewer_gone(ViewerId viewer) {
  for (auto& [id, stream] : streams_)
    if (stream.viewers.erase(viewer) > 0 && stream.viewers.empty()) watch(stream, false);
  for (auto at = awaited_.begin(); at != awaited_.end();) {
    at->second.erase(viewer);
    at = at->second.empty() ? awaited_.erase(at) : std::next(at);
  }
}

void Relay::on_viewer_message(ViewerId viewer, wire::Raw message, Time now) {
  auto const wanted = wire::as<KeyframeWanted>(message);
  if (!wanted) return;
  if (auto* const stream = watched(wanted->stream, viewer)) {
    stream->budget.on_wanted(*wanted, now);
    ask_for_keyframe(*stream, now);
  }
}

bool Relay::on_quality_order(ViewerId viewer, QualityOrder const& order) {
  auto const* const stream = watched(order.stream, viewer);
  if (!stream || !stream->camera) return false;
  orders_.push_back({stream->camera, wire::body_of(order)});
  return true;
}

void Relay::watch(Stream& stream, bool on) {
  if (stream.camera) orders_.push_back({stream.camera, wire::body_of(Subscribe{stream.info.stream, on})});
}

std::optional<Piece> Relay::next(Stream& stream, Time now) {
  while (auto const piece = stream.pacer.next(now)) {
    auto const at = stream.frames.find(piece->frame);
    if (at == stream.frames.end()) continue;
    auto const& frame = at->second;
    cut_block({frame.stream, frame.number, stamp_us(Time(frame.captured)), frame.key}, frame.data,
              options_.block_bytes, piece->block, block_);
    return piece;
  }
  return std::nullopt;
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
  for (auto const& [id, stream] : streams_) all.push_back(stream.info);
  return all;
}

}  // namespace cy::media
