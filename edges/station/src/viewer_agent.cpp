// What comes from the agent.
#include <cy/station/viewer_desk.hpp>
#include <cy/station/words.hpp>

namespace cy::station {
namespace {

// A state that was sent before the grant may come after it.
constexpr Duration grant_settles = 1s;

float rate(std::uint64_t now, std::uint64_t before, Duration span) {
  return now < before ? 0.0F : static_cast<float>(static_cast<double>(now - before) / seconds(span));
}

}  // namespace

// ---- endings -----------------------------------------------------------------------------

void ViewerDesk::on_ended(Ticket ticket, command::Ended const& ended, Time now) {
  auto const at = under_way_.find(ticket.value);
  if (at == under_way_.end()) return;
  auto const done = at->second;
  under_way_.erase(at);
  if (done.stop) return on_stop_ended(*done.stop, ended);
  auto* const seat = find(done.viewer);
  if (!seat) return;
  --seat->events;

  auto const robot = done.robot.value;
  auto const applied = ended.ending == Ending::applied;
  if (done.type == RequestLease::head.type) {
    auto const granted =
        applied && ended.reply ? wire::as<LeaseGranted>(wire::view(*ended.reply)) : std::nullopt;
    if (granted) on_granted(*seat, robot, granted->lease, now);
    if (ended.ending == Ending::refused && ended.why == Refusal::busy) seat->wishes.insert(robot);
  }
  auto const gave = done.type == ReleaseLease::head.type || done.type == GrantLease::head.type;
  auto const had_none = ended.ending == Ending::refused && ended.why == Refusal::no_lease;
  if ((gave && applied) || had_none) lose(*seat, robot);

  auto const control = controls_.find(robot);
  answer(done.viewer, done.token, ended,
         words_for(done.type, ended, control == controls_.end() ? nullptr : &control->second, link_));
}

void ViewerDesk::on_stop_ended(StopKey key, command::Ended const& ended) {
  auto const at = stopping_.find(key);
  if (at == stopping_.end()) return;
  at->second.under_way = false;
  auto const refused = ended.ending == Ending::refused && ended.why != Refusal::full;
  if (ended.ending == Ending::applied || refused) {
    auto const askers = std::move(at->second.askers);
    stopping_.erase(at);
    auto const control = controls_.find(key.first);
    auto const text =
        words_for(Stop::head.type, ended, control == controls_.end() ? nullptr : &control->second, link_);
    for (auto const& asker : askers) answer(asker.viewer, asker.token, ended, text);
    return;
  }
  // Not acknowledged: on and on. What was refused for want of room waits for the next report.
  if (ended.ending != Ending::refused && linked()) send_stop(key, at->second);
}

void ViewerDesk::on_granted(Seat& seat, std::uint16_t robot, LeaseId lease, Time now) {
  for (auto& [id, other] : seats_)
    if (other.connection != seat.connection) lose(other, robot);
  seat.wishes.erase(robot);
  auto const control = controls_.find(robot);
  auto const seen = control != controls_.end() && control->second.lease == lease;
  if (seen) self_ = control->second.holder_station;
  seat.holds[robot] = {lease, seen, now};
  tell(seat, Holding::head.type, robot, shared(Holding{RobotId{robot}, true}));
}

// ---- the link ----------------------------------------------------------------------------

void ViewerDesk::on_link(session::LinkState state, std::string_view why, Time now) {
  using session::LinkState;
  auto const before = link_;
  switch (state) {
    case LinkState::connecting:
      if (link_ != AgentLink::searching) link_ = AgentLink::gone;
      break;
    case LinkState::up:
      link_ = AgentLink::up;
      break;
    case LinkState::late:
      link_ = AgentLink::late;
      break;
    case LinkState::lost:
      link_ = AgentLink::lost;
      break;
    case LinkState::gone:
      link_ = AgentLink::gone;
      break;
  }
  report_.why = why;
  auto const over = link_ == AgentLink::gone && before != AgentLink::gone && before != AgentLink::searching;
  auto const fresh = link_ == AgentLink::up && (before == AgentLink::searching || before == AgentLink::gone);
  if (over || fresh) new_session(why);
  if (fresh) ++report_.session;
  tell_link();  // at once: what the agent says next is of this session
  if (linked()) resend_stops();
  order_keyframes(now);
  effects_.emplace_back(desk::Measure{});
}

// The agent of a new session knows no lease of the old one, and counts anew.
void ViewerDesk::new_session(std::string_view why) {
  self_ = {};
  controls_.clear();
  std::erase_if(kept_, [](Kept const& one) {
    return one.type == RobotStatus::head.type || one.type == ControlState::head.type ||
           one.type == TaskState::head.type;
  });
  for (auto& [id, seat] : seats_) {
    seat.wishes.clear();
    if (seat.holds.empty()) continue;
    while (!seat.holds.empty()) lose(seat, seat.holds.begin()->first);
    notify(seat, NoticeLevel::warning,
           fmt::format("Control is lost with the link to the agent ({}). Take control again to drive", why));
  }
  tell_viewers();
}

void ViewerDesk::on_measured(desk::Measure const& asked, LinkView const& link, std::vector<Counter> extra,
                             Time now) {
  if (asked.viewer) {
    auto* const seat = find(asked.viewer);
    if (!seat) return;
    seat->measuring = false;
    if (seat->pinged) {
      seat->measuring = true;
      effects_.emplace_back(desk::Measure{seat->connection, *std::exchange(seat->pinged, std::nullopt)});
    }
    if (!seat->welcomed) return;
    seat->outbox.answer(
        shared(PagePong{asked.stamp, link.agent_clock.value_or(0), link.agent_stamp.value_or(0)}));
    if (seat->outbox.overfull()) return close(*seat, "the page takes no answers");
    return write(*seat);
  }

  auto& report = report_;
  auto const& statistics = link.statistics;
  report.rtt_ms = statistics.rtt ? static_cast<float>(milliseconds(*statistics.rtt)) : 0.0F;
  report.jitter_ms = static_cast<float>(milliseconds(statistics.jitter));
  report.loss = static_cast<float>(statistics.loss);
  report.loop_ms.reset();
  for (auto const& [robot, control] : controls_)
    if (control.mode == Mode::driving)
      report.loop_ms = static_cast<float>(static_cast<double>(control.loop_age_us) * 1e-3);
  report.agent_clock_us = link.agent_clock.value_or(0);
  if (measured_at_ && now > *measured_at_) {
    report.in_rate = rate(statistics.bytes_in, bytes_in_, now - *measured_at_);
    report.out_rate = rate(statistics.bytes_out, bytes_out_, now - *measured_at_);
  }
  measured_at_ = now;
  bytes_in_ = statistics.bytes_in;
  bytes_out_ = statistics.bytes_out;
  report.counters = counters_of(link.drops);
  for (auto const& [reason, count] : agent_drops_)
    report.counters.push_back({"at the agent: " + reason, count});
  for (auto& counter : counters()) report.counters.push_back(std::move(counter));
  for (auto& counter : extra) report.counters.push_back(std::move(counter));
  tell_link();
}

void ViewerDesk::tell_link() {
  report_.state = link_;
  report_.address = options_.agent;
  auto const message = shared(report_);
  keep(LinkReport::head.type, 0, message);
  tell_all(LinkReport::head.type, 0, message);
}

// ---- states ------------------------------------------------------------------------------

void ViewerDesk::on_agent(AgentPulse const& pulse) {
  agent_drops_ = pulse.drops;
}

void ViewerDesk::on_inventory(Inventory const& inventory) {
  robots_.clear();
  for (auto const& robot : inventory.robots) robots_.insert(robot.id.value);
  auto const message = shared(inventory);
  keep(Inventory::head.type, 0, message);
  tell_all(Inventory::head.type, 0, message);
}

void ViewerDesk::on_device(DeviceState const& device) {
  auto const message = shared(device);
  keep(DeviceState::head.type, device.device.value, message);
  tell_all(DeviceState::head.type, device.device.value, message);
}

void ViewerDesk::on_status(RobotStatus const& status) {
  auto const message = shared(status);
  keep(RobotStatus::head.type, status.robot.value, message);
  tell_all(RobotStatus::head.type, status.robot.value, message);
}

void ViewerDesk::on_task(TaskState const& task) {
  auto const message = shared(task);
  keep(TaskState::head.type, task.resource.value, message);
  tell_all(TaskState::head.type, task.resource.value, message);
}

void ViewerDesk::on_stream(media::StreamInfo const& stream, Time now) {
  auto const message = shared(stream);
  keep(media::StreamInfo::head.type, stream.stream.value, message);
  tell_all(media::StreamInfo::head.type, stream.stream.value, message);
  if (announced_.insert(stream.stream.value).second) follow_streams(now);
}

void ViewerDesk::on_control(ControlState const& control, Time now) {
  auto const robot = control.resource.value;
  auto const known = controls_.find(robot);
  // Late ones would take back what is newer.
  if (known != controls_.end() && static_cast<std::int32_t>(control.revision - known->second.revision) < 0)
    return count("state out of order");
  auto const driver = known == controls_.end() ? std::string() : known->second.holder_name;
  controls_[robot] = control;
  auto const message = shared(control);
  keep(ControlState::head.type, robot, message);

  for (auto& [id, seat] : seats_) {
    auto const hold = seat.holds.find(robot);
    if (hold != seat.holds.end() && hold->second.lease == control.lease) {
      hold->second.seen = true;
      self_ = control.holder_station;
    } else if (hold != seat.holds.end() && (hold->second.seen || now >= hold->second.since + grant_settles)) {
      lose(seat, robot);
    }
    // A lease that was handed over is seen here only, and only by who had asked for it. Persons
    // of other stations may have the same number; until this one's own is known, the name decides.
    auto const ours = self_ ? control.holder_station == self_ : control.holder_name == seat.name;
    if (control.lease && ours && control.holder_person == seat.person && seat.wishes.contains(robot))
      on_granted(seat, robot, control.lease, now);
  }
  tell_all(ControlState::head.type, robot, message);
  if (driver != control.holder_name) tell_viewers();
}

void ViewerDesk::on_picture(media::Picture picture, Time now) {
  auto const at = streams_.find(picture.stream.value);
  if (at == streams_.end()) return;
  if (picture.key) at->second.budget.on_keyframe(picture.number, now);
  auto passing = std::make_shared<Passing>();
  passing->data = std::make_shared<Buffer const>(std::exchange(picture.data, {}));
  passing->head = std::move(picture);
  passing->came = now;
  auto const stream = passing->head.stream.value;
  for (auto& [id, seat] : seats_) {
    if (!seat.welcomed || seat.closing || !seat.streams.contains(stream)) continue;
    if (seat.outbox.picture(passing) == Outbox::Fate::queued) {
      write(seat);
      continue;
    }
    media::KeyframeWanted wish;
    wish.stream = passing->head.stream;
    wish.none = true;
    at->second.budget.on_wanted(wish, now);
  }
  order_keyframes(now);
}

}  // namespace cy::station
