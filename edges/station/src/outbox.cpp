#include <cy/station/outbox.hpp>

namespace cy::station {
namespace {

// All of a Picture message but its data, which is the last field.
Shared head_of(Passing const& passing, Time now) {
  auto head = passing.head;
  auto const waited = std::chrono::duration_cast<std::chrono::microseconds>(now - passing.came).count();
  head.age_us += static_cast<std::uint32_t>(std::max<std::int64_t>(waited, 0));
  auto const size = passing.data->size();
  auto const before = wire::size_of_fields(head) - 1;  // the count of no data is one byte
  auto const inner = before + wire::varint_size(size) + size;
  Buffer bytes(2 + wire::varint_size(inner) + before + 1);
  wire::Writer writer(bytes.data());
  writer.number(media::Picture::head.type);
  writer.varint(inner);
  writer.fields(head);
  bytes.resize(bytes.size() - 1 + wire::varint_size(size));
  wire::Writer(bytes.data() + bytes.size() - wire::varint_size(size)).varint(size);
  return std::make_shared<Buffer const>(std::move(bytes));
}

}  // namespace

void Outbox::answer(Shared message) {
  answers_.push_back(std::move(message));
}

void Outbox::state(wire::Type type, std::uint16_t about, Shared message) {
  auto const key = std::uint32_t{type} << 16 | about;
  // Not in the place of the old one: what was told between them comes first.
  std::erase_if(states_, [&](State const& one) { return one.key == key; });
  states_.push_back({key, std::move(message)});
}

Outbox::Fate Outbox::picture(std::shared_ptr<Passing const> picture) {
  auto& stream = streams_[picture->head.stream.value];
  if (picture->head.key) {
    dropped_ += stream.waiting.size();
    stream.waiting.clear();
    stream.clean = true;
  } else if (!stream.clean) {
    ++dropped_;
    return Fate::waits_for_key;
  } else if (stream.waiting.size() >= options_.most_pictures) {
    dropped_ += stream.waiting.size() + 1;
    stream.waiting.clear();
    stream.clean = false;
    return Fate::dropped;
  }
  stream.waiting.push_back(std::move(picture));
  return Fate::queued;
}

bool Outbox::empty() const {
  if (!answers_.empty() || !states_.empty()) return false;
  for (auto const& [id, stream] : streams_)
    if (!stream.waiting.empty()) return false;
  return true;
}

std::vector<Shared> Outbox::take(Time now) {
  std::vector<Shared> pieces;
  std::size_t bytes = 0;
  auto const add = [&](Shared piece) {
    bytes += piece->size();
    pieces.push_back(std::move(piece));
  };
  for (; !answers_.empty() && bytes < options_.batch; answers_.pop_front()) add(std::move(answers_.front()));
  for (; !states_.empty() && bytes < options_.batch; states_.pop_front())
    add(std::move(states_.front().message));
  for (auto& [id, stream] : streams_)
    for (; !stream.waiting.empty() && bytes < options_.batch; stream.waiting.pop_front()) {
      add(head_of(*stream.waiting.front(), now));
      add(stream.waiting.front()->data);
    }
  return pieces;
}

}  // namespace cy::station
