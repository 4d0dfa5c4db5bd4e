// Seats: who comes, who goes, and what falls due.
#include <cy/station/viewer_desk.hpp>

#include <algorithm>

namespace cy::station {
namespace {

constexpr std::size_t longest_name = 48;  // bytes; the agent cuts at 64
constexpr std::size_t most_left = 64;

// Without control characters, without blanks at the ends, cut between characters.
std::string tidy(std::string_view wished) {
  std::string name;
  for (auto const c : wished)
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && !(name.empty() && c == ' ')) name += c;
  if (name.size() > longest_name) {
    auto cut = longest_name;
    while (cut > 0 && (static_cast<unsigned char>(name[cut]) & 0xc0) == 0x80) --cut;
    name.resize(cut);
  }
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name;
}

}  // namespace

ViewerDesk::ViewerDesk(DeskOptions options, Random random) : options_(std::move(options)), random_(random) {}

ViewerDesk::Seat* ViewerDesk::find(ConnectionId viewer) {
  auto const at = seats_.find(viewer.value);
  return at == seats_.end() || at->second.closing ? nullptr : &at->second;
}

std::size_t ViewerDesk::viewers() const {
  return static_cast<std::size_t>(std::count_if(
      seats_.begin(), seats_.end(), [](auto const& at) { return at.second.greeted && !at.second.closing; }));
}

std::vector<Counter> ViewerDesk::counters() const {
  std::vector<Counter> all;
  for (auto const& [reason, n] : counts_) all.push_back({"page: " + reason, n});
  auto dropped = pictures_dropped_;
  for (auto const& [id, seat] : seats_) dropped += seat.outbox.dropped();
  if (dropped > 0) all.push_back({"page: picture dropped for a slow page", dropped});
  return all;
}

// ---- coming and going --------------------------------------------------------------------

void ViewerDesk::on_opened(ConnectionId viewer, Time now) {
  Seat seat;
  seat.connection = viewer;
  seat.opened = seat.heard = now;
  seat.outbox = Outbox(options_.outbox);
  seats_.emplace(viewer.value, std::move(seat));
}

void ViewerDesk::on_closed(ConnectionId viewer, std::string_view why, Time now) {
  auto const at = seats_.find(viewer.value);
  if (at == seats_.end()) return;
  auto seat = std::move(at->second);
  seats_.erase(at);
  leave(seat, why, now);
}

void ViewerDesk::close(Seat& seat, std::string why) {
  if (seat.closing) return;
  give_back(seat, fmt::format("{}'s page is sent away ({})", seat.name, why));
  seat.closing = true;
  effects_.emplace_back(desk::Close{seat.connection, std::move(why)});
}

void ViewerDesk::leave(Seat& seat, std::string_view why, Time now) {
  pictures_dropped_ += seat.outbox.dropped();
  give_back(seat, fmt::format("{}'s page is gone ({})", seat.name, why));
  if (seat.person) effects_.emplace_back(desk::Dismiss{seat.person});
  if (!seat.greeted) return;
  std::erase_if(left_, [&](auto const& one) { return now >= one.second.until; });
  if (!seat.resume.empty() && left_.size() < most_left)
    left_[seat.resume] = {seat.number, now + options_.resume};
  tell_viewers();
  follow_streams(now);
}

// The lease goes back at once; nobody else shall wait until the agent misses this person.
void ViewerDesk::give_back(Seat& seat, std::string_view why) {
  for (auto const& [robot, hold] : seat.holds) {
    Target const target{Resource{robot}, seat.person, hold.lease};
    send(target, wire::body_of(Disarm{DisarmReason::person, std::string(why)}), options_.event_deadline, {});
    send(target, wire::body_of(ReleaseLease{}), options_.event_deadline, {});
  }
  while (!seat.holds.empty()) lose(seat, seat.holds.begin()->first);
}

void ViewerDesk::lose(Seat& seat, std::uint16_t robot) {
  if (seat.holds.erase(robot) == 0) return;
  tell(seat, Holding::head.type, robot, shared(Holding{RobotId{robot}, false}));
}

void ViewerDesk::on_ending() {
  for (auto& [id, seat] : seats_) close(seat, "the station ends");
}

std::string ViewerDesk::name_for(Seat const& seat, std::string_view wished) const {
  auto const tidied = tidy(wished);
  auto const base = tidied.empty() ? fmt::format("viewer {}", seat.number) : tidied;
  auto name = base;
  // Two of one name could not be told apart by whoever hands control over.
  auto const taken = [&] {
    return std::any_of(seats_.begin(), seats_.end(), [&](auto const& at) {
      auto const& other = at.second;
      return other.greeted && !other.closing && other.connection != seat.connection && other.name == name;
    });
  };
  for (auto n = 2; taken(); ++n) name = fmt::format("{} ({})", base, n);
  return name;
}

void ViewerDesk::on_hello(Seat& seat, PageHello const& hello, Time now) {
  if (hello.version != page_version)
    return close(seat, "this page is of another version than the station: reload it");
  if (seat.greeted) {  // a change of name
    seat.wished = hello.person;
    return rename(seat, now);
  }
  std::uint32_t number = 0;
  if (!hello.resume.empty()) {
    for (auto& [id, other] : seats_) {
      if (!other.greeted || other.closing || other.resume != hello.resume) continue;
      number = other.number;
      close(other, "this page connected anew");
      other.resume.clear();
    }
    if (auto const at = left_.find(hello.resume); at != left_.end()) {
      if (now < at->second.until) number = at->second.number;
      left_.erase(at);
    }
  }
  if (viewers() >= options_.most_viewers) {
    count("too many viewers");
    return close(seat, fmt::format("{} pages look on already: close one", viewers()));
  }
  seat.number = number != 0 ? number : next_number_++;
  seat.resume = fmt::format("{:016x}{:016x}", random_.next(), random_.next());
  seat.name = name_for(seat, hello.person);
  seat.greeted = true;
  effects_.emplace_back(desk::Introduce{seat.connection, seat.name, options_.role});
}

void ViewerDesk::rename(Seat& seat, Time now) {
  if (!seat.wished || !seat.person || now < seat.renamed + options_.rename_gap) return;
  seat.renamed = now;
  auto name = name_for(seat, *std::exchange(seat.wished, std::nullopt));
  if (name == seat.name) return;
  seat.name = std::move(name);
  effects_.emplace_back(desk::Rename{seat.person, seat.name, options_.role});
  tell_viewers();
}

void ViewerDesk::on_introduced(ConnectionId viewer, PersonId person, Time now) {
  auto const at = seats_.find(viewer.value);
  if (at == seats_.end()) {
    effects_.emplace_back(desk::Dismiss{person});
    return;
  }
  at->second.person = person;
  if (!at->second.closing) welcome(at->second, now);
}

void ViewerDesk::welcome(Seat& seat, Time now) {
  StationHello hello;
  hello.viewer = seat.number;
  hello.person = seat.person;
  hello.name = options_.name;
  hello.software = options_.software;
  hello.resume = seat.resume;
  hello.drive_lifetime_ms = static_cast<float>(milliseconds(options_.drive_lifetime));
  hello.drive_period_ms = static_cast<float>(milliseconds(options_.drive_period));
  seat.welcomed = true;
  say(seat, shared(hello));
  for (auto const& one : kept_) tell(seat, one.type, one.about, one.message);
  for (auto const robot : robots_)
    tell(seat, Holding::head.type, robot, shared(Holding{RobotId{robot}, seat.holds.contains(robot)}));
  tell_viewers();
  effects_.emplace_back(desk::Measure{});
  if (!next_report_) next_report_ = now + options_.report_period;
}

// ---- writing -----------------------------------------------------------------------------

void ViewerDesk::write(Seat& seat) {
  if (seat.closing || seat.write_due || seat.writing || seat.outbox.empty()) return;
  seat.write_due = true;
  effects_.emplace_back(desk::Write{seat.connection});
}

std::vector<Shared> ViewerDesk::take(ConnectionId viewer, Time now) {
  auto* const seat = find(viewer);
  if (!seat) return {};
  seat->write_due = false;
  seat->writing = now;
  return seat->outbox.take(now);
}

void ViewerDesk::on_written(ConnectionId viewer, Time) {
  auto* const seat = find(viewer);
  if (!seat) return;
  seat->writing.reset();
  write(*seat);
}

void ViewerDesk::keep(wire::Type type, std::uint16_t about, Shared const& message) {
  for (auto& one : kept_)
    if (one.type == type && one.about == about) {
      one.message = message;
      return;
    }
  kept_.push_back({type, about, message});
}

void ViewerDesk::tell(Seat& seat, wire::Type type, std::uint16_t about, Shared message) {
  if (!seat.welcomed || seat.closing) return;
  seat.outbox.state(type, about, std::move(message));
  write(seat);
}

void ViewerDesk::tell_all(wire::Type type, std::uint16_t about, Shared const& message) {
  for (auto& [id, seat] : seats_) tell(seat, type, about, message);
}

void ViewerDesk::tell_viewers() {
  Viewers all;
  for (auto const& [id, seat] : seats_)
    if (seat.greeted && !seat.closing) all.viewers.push_back({seat.number, seat.name, seat.hidden});
  for (auto const& [robot, control] : controls_)
    if (all.driver.empty() && control.lease) all.driver = control.holder_name;
  tell_all(Viewers::head.type, 0, shared(all));
}

void ViewerDesk::notify(Seat& seat, NoticeLevel level, std::string text) {
  if (!seat.welcomed || seat.closing) return;
  say(seat, shared(Notice{level, std::move(text)}));
}

// The one door for what is never dropped: a page that lets too much of it wait is given up.
void ViewerDesk::say(Seat& seat, Shared answer) {
  if (seat.closing) return;
  seat.outbox.answer(std::move(answer));
  if (seat.outbox.overfull()) {
    count("a page took no answers");
    return close(seat, "the page takes no answers");
  }
  write(seat);
}

// ---- time --------------------------------------------------------------------------------

void ViewerDesk::on_time(Time now) {
  for (auto& [id, seat] : seats_) {
    if (seat.closing) continue;
    if (!seat.greeted && now >= seat.opened + options_.greeting) close(seat, "the page did not say hello");
    if (seat.writing && now >= *seat.writing + options_.write_patience) {
      count("a page took nothing");
      close(seat, "the page takes nothing any more");
    }
    if (!seat.holds.empty() && now >= seat.heard + options_.silence) {
      count("a driving page went silent");
      give_back(seat, fmt::format("{}'s page went silent", seat.name));
      notify(seat, NoticeLevel::warning,
             "Control was given up: this page had gone silent. Take control again to drive");
    }
    rename(seat, now);
  }
  for (auto& [key, stopping] : stopping_) {
    std::erase_if(stopping.askers, [&](Asker const& asker) {
      if (now < asker.since + options_.stop_patience) return false;
      answer(asker.viewer, asker.token, {{}, Ending::expired_maybe_applied, Refusal::none, {}},
             linked()
                 ? "the stop is not confirmed yet: it is sent on and on"
                 : "the stop is not confirmed: there is no link to the agent; it is sent as soon as there "
                   "is one. The agent stops the robot by itself when its link is lost");
      return true;
    });
  }
  if (next_report_ && now >= *next_report_) {
    effects_.emplace_back(desk::Measure{});
    resend_stops();
    auto const anybody = viewers() > 0 || !stopping_.empty();
    next_report_ = anybody ? std::optional(now + options_.report_period) : std::nullopt;
  }
  follow_streams(now);
}

std::optional<Time> ViewerDesk::deadline() const {
  std::optional<Time> first = next_report_;
  auto const consider = [&](std::optional<Time> t) {
    if (t && (!first || *t < *first)) first = t;
  };
  for (auto const& [id, seat] : seats_) {
    if (seat.closing) continue;
    if (!seat.greeted) consider(seat.opened + options_.greeting);
    if (seat.writing) consider(*seat.writing + options_.write_patience);
    if (!seat.holds.empty()) consider(seat.heard + options_.silence);
    if (seat.wished && seat.person) consider(seat.renamed + options_.rename_gap);
  }
  for (auto const& [key, stopping] : stopping_)
    for (auto const& asker : stopping.askers) consider(asker.since + options_.stop_patience);
  for (auto const& [id, stream] : streams_)
    if (stream.unwatched)
      consider(*stream.unwatched + options_.linger);
    else if (linked())
      consider(stream.budget.deadline());
  return first;
}

}  // namespace cy::station
