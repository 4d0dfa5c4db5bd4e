#include <cy/media/parity.hpp>
#include <cy/media/relay.hpp>

#include <algorithm>

namespace cy::media {
namespace {

FrameHead head_of(CodedFrame const& frame) {
  return {frame.stream, frame.number, stamp_us(Time(frame.captured)), frame.key};
}

void put_row(CodedFrame const& frame, std::size_t blocks, std::size_t row, Buffer const& data,
             VideoBlock& into) {
  name_block(head_of(frame), frame.data.size(), blocks, blocks + row, into);
  into.data = data;
}

}  // namespace

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
    if (auto const wish = awaited_.extract(id))
      for (auto const viewer : wish.mapped()) join(stream, viewer);
  }
  stream.info = std::move(info);
  changed_ = true;
  if (!created && stream.camera == camera) return;
  // A camera that has just come counts anew, and knows of nobody; what its forerunner left is old.
  stream.camera = camera;
  stream.newest.reset();
  stream.captured.clear();
  stream.frames.clear();
  stream.sent.clear();
  stream.resends.clear();
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
  std::size_t rows = 0;
  for (auto& [id, viewer] : stream->viewers) {
    rows = std::max(rows, viewer.redundancy.rows_for(blocks));
    viewer.credit =
        std::min(options_.resend_burst, viewer.credit + options_.resend_share * static_cast<double>(blocks));
  }
  auto const own = stream->taken++;
  if (stream->pacer.on_frame(own, frame.key, blocks + rows, now)) {
    auto parity = parity_rows(frame.data, blocks, 0, rows);
    stream->frames.emplace(own, Outgoing{std::move(frame), blocks, std::move(parity), rows, {}});
  }
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
  join(*stream, viewer);
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
  if (auto const report = wire::as<ReceiverReport>(message)) {
    if (auto* const stream = watched(report->stream, viewer))
      stream->viewers.at(viewer).redundancy.on_report(*report);
    return;
  }
  if (auto const wanted = wire::as<BlocksWanted>(message)) {
    if (auto* const stream = watched(wanted->stream, viewer)) on_blocks_wanted(*stream, viewer, *wanted);
    return;
  }
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

void Relay::join(Stream& stream, ViewerId viewer) {
  stream.viewers.try_emplace(viewer, Viewer{Redundancy(options_.redundancy), options_.resend_burst});
}

// Fresh rows of parity, as many as are missing and as may be lost again on the way. When a frame has no
// rows left, or its viewer no credit, the receiver has to do without.
void Relay::on_blocks_wanted(Stream& stream, ViewerId viewer, BlocksWanted const& wanted) {
  auto const at = std::find_if(stream.sent.begin(), stream.sent.end(),
                               [&](Outgoing const& o) { return o.frame.number == wanted.frame; });
  if (at == stream.sent.end() || wanted.missing == 0) return;
  auto& answered = at->asked[viewer];
  if (wanted.ask <= answered) return;
  answered = wanted.ask;
  auto const missing = std::min<std::size_t>(wanted.missing, at->blocks);
  auto const left = max_coded - std::min(max_coded, at->blocks + at->rows);
  auto& [redundancy, credit] = stream.viewers.at(viewer);
  auto const spare = std::max<std::size_t>(1, redundancy.rows_for(missing));
  auto const count = std::min({missing + spare, left, static_cast<std::size_t>(credit)});
  credit -= static_cast<double>(count);
  auto const rows = parity_rows(at->frame.data, at->blocks, at->rows, count);
  for (std::size_t i = 0; i < count; ++i) {
    VideoBlock block;
    put_row(at->frame, at->blocks, at->rows + i, rows[i], block);
    stream.resends.emplace_back(viewer, std::move(block));
  }
  at->rows += count;
}

void Relay::on_sent(Stream& stream, std::uint32_t own) {
  auto sent = stream.frames.extract(own);
  if (!sent) return;
  if (stream.sent.size() == kept) stream.sent.pop_front();
  sent.mapped().parity.clear();
  stream.sent.push_back(std::move(sent.mapped()));
}

void Relay::watch(Stream& stream, bool on) {
  if (stream.camera) orders_.push_back({stream.camera, wire::body_of(Subscribe{stream.info.stream, on})});
}

std::optional<Piece> Relay::next(Stream& stream, Time now) {
  while (auto const piece = stream.pacer.next(now)) {
    auto const at = stream.frames.find(piece->frame);
    if (at == stream.frames.end()) continue;
    auto const& frame = at->second;
    if (piece->block < frame.blocks)
      cut_block(head_of(frame.frame), frame.frame.data, options_.block_bytes, piece->block, block_);
    else
      put_row(frame.frame, frame.blocks, piece->block - frame.blocks,
              frame.parity[piece->block - frame.blocks], block_);
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
    if (!stream.resends.empty()) return Time{};
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
