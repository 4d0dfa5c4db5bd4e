// What pages ask.
#include <cy/station/viewer_desk.hpp>
#include <cy/station/words.hpp>

#include <algorithm>
#include <cmath>

namespace cy::station {
namespace {

constexpr float oldest_input_ms = 10'000;
constexpr std::size_t most_streams = 16;
constexpr std::size_t most_askers = 32;

// What a page may have sent on. Persons and sessions are the station's own business: a page must
// not speak for another one, or raise its own role.
bool may_send(wire::Type type) {
  constexpr wire::Type users = 0xc000;
  if (type == Introduce::head.type || type == Dismiss::head.type) return false;
  auto const device = type > Drive::head.type && type < 0x1000;
  auto const control = type >= 0x2000 && type < 0x3000;
  return device || control || type >= users;
}

}  // namespace

void ViewerDesk::on_data(ConnectionId viewer, Bytes messages, Time now) {
  wire::Walk walk(messages);
  while (auto const message = walk.next()) {
    auto* const seat = find(viewer);
    if (!seat) return;
    seat->heard = now;
    on_message(*seat, *message, now);
  }
  if (walk.fault()) count("malformed message");
  auto* const seat = find(viewer);
  if (!seat) return;
  if (auto const view = std::exchange(seat->view, std::nullopt)) see(*seat, *view, now);
}

void ViewerDesk::on_message(Seat& seat, wire::Raw message, Time now) {
  auto const with = [&](auto const& decoded, auto handle) {
    if (decoded)
      handle(*decoded);
    else
      count("malformed message");
  };
  if (message.type == PageHello::head.type)
    return with(wire::as<PageHello>(message), [&](auto const& hello) { on_hello(seat, hello, now); });
  if (!seat.greeted) return count("message before the hello");
  switch (message.type) {
    case PageDrive::head.type:
      return with(wire::as<PageDrive>(message), [&](auto const& drive) { on_drive(seat, drive, now); });
    case PageCommand::head.type:
      return with(wire::as<PageCommand>(message),
                  [&](auto const& command) { on_command(seat, command, now); });
    case PageView::head.type:
      return with(wire::as<PageView>(message), [&](auto const& view) { on_view(seat, view); });
    case PagePing::head.type:
      return with(wire::as<PagePing>(message), [&](auto const& ping) {
        if (seat.measuring) {
          seat.pinged = ping.stamp;
          return;
        }
        seat.measuring = true;
        effects_.emplace_back(desk::Measure{seat.connection, ping.stamp});
      });
    case PageShown::head.type:
      return with(wire::as<PageShown>(message), [&](auto const& shown) {
        ++shown_.pictures;
        shown_.age_ms = shown.age_ms;
      });
    default:
      count("unknown message");
  }
}

// ---- set-points --------------------------------------------------------------------------

void ViewerDesk::on_drive(Seat& seat, PageDrive const& drive, Time now) {
  auto const robot = drive.robot.value;
  auto const hold = seat.holds.find(robot);
  if (hold == seat.holds.end()) return count("drive without control");
  if (!finite(drive.twist) || !std::isfinite(drive.age_ms)) return count("drive not finite");
  // Without an echo the age of the whole loop is not known, and nothing may move by it.
  if (drive.echo_us == 0) return count("drive without an echo");
  auto const last = seat.drives.find(robot);
  if (last != seat.drives.end() && static_cast<std::int32_t>(drive.number - last->second) <= 0)
    return count("drive out of order");
  seat.drives[robot] = drive.number;
  auto const age = std::clamp(drive.age_ms, 0.0F, oldest_input_ms);
  effects_.emplace_back(desk::SendSetPoint{{Resource{robot}, seat.person, hold->second.lease},
                                           wire::body_of(Drive{drive.twist}),
                                           now - from_seconds(static_cast<double>(age) * 1e-3),
                                           drive.echo_us,
                                           drive.picture});
}

// ---- events ------------------------------------------------------------------------------

Ticket ViewerDesk::send(Target target, wire::Body what, Duration longest, UnderWay under_way) {
  Ticket const ticket{next_ticket_++};
  under_way.robot = target.resource;
  under_way.type = what.type;
  under_way_.emplace(ticket.value, under_way);
  effects_.emplace_back(desk::SendEvent{ticket, target, std::move(what), longest});
  return ticket;
}

void ViewerDesk::answer(ConnectionId viewer, std::uint32_t token, command::Ended const& ended,
                        std::string text) {
  if (auto* const seat = find(viewer))
    say(*seat, shared(PageEnded{token, ended.ending, ended.why, std::move(text)}));
}

void ViewerDesk::on_command(Seat& seat, PageCommand command, Time now) {
  auto const type = command.what.type;
  auto const refuse = [&](Refusal why, std::string text) {
    answer(seat.connection, command.token, {{}, Ending::refused, why, {}}, std::move(text));
  };
  // Anybody may stop, whatever else is the matter with this page.
  if (type == Stop::head.type) return on_stop(seat, std::move(command), now);
  if (!may_send(type))
    return refuse(Refusal::unknown_command, fmt::format("a page may not send message {:#06x}", type));
  if (!command.robot) return refuse(Refusal::unknown_robot, "choose a robot first");
  if (seat.events >= options_.most_events)
    return refuse(Refusal::full, "too much is under way: wait a moment, and try again");
  // What would be done whenever the link comes back is not what the person wants by then.
  if (link_ == AgentLink::searching || link_ == AgentLink::gone) {
    command::Ended const ended{{}, Ending::expired_unsent, Refusal::none, {}};
    return answer(seat.connection, command.token, ended, words_for(type, ended, nullptr, link_));
  }
  auto const hold = seat.holds.find(command.robot.value);
  Target const target{Resource{command.robot.value}, seat.person,
                      hold == seat.holds.end() ? LeaseId{} : hold->second.lease};
  ++seat.events;
  send(target, std::move(command.what), options_.event_deadline,
       {seat.connection, command.token, {}, {}, {}});
}

void ViewerDesk::on_stop(Seat& seat, PageCommand command, Time now) {
  auto how = wire::as<Stop>(wire::view(command.what)).value_or(Stop{});
  // Obeyed whatever it says: of what is not known here, all robots are stopped, in the usual way.
  if (!robots_.contains(command.robot.value)) command.robot = {};
  if (how.kind > StopKind::category_2) how.kind = Stop{}.kind;
  StopKey const key{command.robot.value, static_cast<std::uint8_t>(how.kind)};
  auto& stopping = stopping_[key];
  if (stopping.askers.size() >= most_askers) {
    auto const oldest = stopping.askers.front();
    stopping.askers.erase(stopping.askers.begin());
    answer(oldest.viewer, oldest.token, {{}, Ending::superseded, Refusal::none, {}},
           "stop was pressed again");
  }
  stopping.askers.push_back({seat.connection, command.token, now});
  if (!next_report_) next_report_ = now + options_.report_period;
  if (stopping.under_way) return;
  stopping.target = {Resource{command.robot.value}, seat.person, {}};
  stopping.what = wire::body_of(how);
  send_stop(key, stopping);
}

void ViewerDesk::send_stop(StopKey key, Stopping& stopping) {
  stopping.under_way = true;
  send(stopping.target, stopping.what, options_.stop_deadline, {{}, 0, {}, {}, key});
}

void ViewerDesk::resend_stops() {
  if (!linked()) return;
  for (auto& [key, stopping] : stopping_)
    if (!stopping.under_way) send_stop(key, stopping);
}

// ---- pictures ----------------------------------------------------------------------------

// The newest of several counts; what they wish for adds up.
void ViewerDesk::on_view(Seat& seat, PageView view) {
  if (seat.view)
    for (auto const stream : seat.view->keyframes)
      if (view.keyframes.size() < most_streams) view.keyframes.push_back(stream);
  seat.view = std::move(view);
}

void ViewerDesk::see(Seat& seat, PageView const& view, Time now) {
  std::set<std::uint16_t> wanted;
  if (!view.hidden)
    for (auto const stream : view.streams)
      if (wanted.size() < most_streams) wanted.insert(stream);
  for (auto const stream : seat.streams)
    if (!wanted.contains(stream)) seat.outbox.forget(media::StreamId{stream});
  for (auto const stream : wanted) {
    auto const at = streams_.find(stream);
    if (!seat.streams.contains(stream) && at != streams_.end()) at->second.budget.on_join();
  }
  seat.streams = std::move(wanted);
  auto const changed = seat.hidden != view.hidden;
  seat.hidden = view.hidden;
  follow_streams(now);
  for (auto const stream : view.keyframes) {
    auto const at = streams_.find(stream);
    if (at == streams_.end() || !seat.streams.contains(stream)) continue;
    media::KeyframeWanted wish;
    wish.stream = media::StreamId{stream};
    wish.none = true;
    at->second.budget.on_wanted(wish, now);
  }
  order_keyframes(now);
  if (changed) tell_viewers();
}

// One subscription for a stream, however many look on; it ends when nobody has for a while.
void ViewerDesk::follow_streams(Time now) {
  std::set<std::uint16_t> wanted;
  for (auto const& [id, seat] : seats_)
    if (!seat.closing) wanted.insert(seat.streams.begin(), seat.streams.end());
  for (auto const id : wanted) {
    // A page can name any; one that is announced later is followed then.
    if (!announced_.contains(id)) continue;
    auto const [at, fresh] = streams_.try_emplace(id);
    at->second.unwatched.reset();
    if (!fresh) continue;
    at->second.budget = media::KeyframeBudget(options_.keyframes);
    effects_.emplace_back(desk::Subscribe{media::StreamId{id}, true});
  }
  for (auto at = streams_.begin(); at != streams_.end();) {
    auto& [id, stream] = *at;
    if (!wanted.contains(id) && !stream.unwatched) stream.unwatched = now;
    if (!stream.unwatched || now < *stream.unwatched + options_.linger) {
      ++at;
      continue;
    }
    effects_.emplace_back(desk::Subscribe{media::StreamId{id}, false});
    at = streams_.erase(at);
  }
  order_keyframes(now);
}

void ViewerDesk::order_keyframes(Time now) {
  for (auto& [id, stream] : streams_)
    if (!stream.unwatched && linked() && stream.budget.take(now))
      effects_.emplace_back(desk::WantKeyframe{media::StreamId{id}});
}

}  // namespace cy::station
