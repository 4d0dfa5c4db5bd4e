#include "handshake.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cy::arcos {
namespace {

// The order in which ARIA tries them.
constexpr std::array<unsigned, 5> bauds{9600, 38400, 115200, 19200, 57600};
constexpr unsigned silences_before_probing = 2;

}  // namespace

std::string_view Handshake::step() const {
  switch (step_) {
    case Step::idle:
      return "channel";
    case Step::first:
    case Step::draining:
      return "SYNC0";
    case Step::second:
      return "SYNC1";
    case Step::third:
      return "SYNC2";
    case Step::over:
      return "OPEN";
  }
  return "SYNC0";
}

void Handshake::start(First first, Time now) {
  if (first == First::stop) return restart(now);
  again(10ms, now);
}

void Handshake::restart(Time now) {
  effects_.push_back(Send{encode(Order::stop)});
  again(10ms, now);
}

void Handshake::sync(Step step, Time now) {
  step_ = step;
  effects_.push_back(Send{encode(step == Step::first ? sync0 : step == Step::second ? sync1 : sync2)});
  due_ = now + (baud_ == baud_asked_ || heard_ ? patience : probing);
}

// Begins at SYNC0 after a pause in which nothing counts.
void Handshake::again(Duration pause, Time now) {
  if (++tries_ > tries_max) {
    fail(fmt::format("{} attempts without agreement, the last answer was {}", tries_max, last_));
    return;
  }
  step_ = Step::draining;
  due_ = now + pause;
}

void Handshake::on_packet(Bytes payload, Time now) {
  if (step_ == Step::idle || step_ == Step::over || payload.empty()) return;
  auto const id = payload[0];
  auto const echo = payload.size() == 1;
  if (id == static_cast<std::uint8_t>(Order::stop) && echo) {
    stop_echoed_ = true;
    return;
  }
  if (step_ == Step::draining) return;
  heard_ = true;
  last_ = fmt::format("packet 0x{:02x} of {} bytes", id, payload.size());

  if (step_ == Step::first && id == 0 && echo) return sync(Step::second, now);
  if (step_ == Step::second && id == 1 && echo) return sync(Step::third, now);
  if (step_ == Step::third && id == 2 && !echo) {
    auto const identity = decode_identity(payload);
    if (!identity) {
      effects_.push_back(Remark{"the answer to SYNC2 does not hold three names; beginning again"});
      return again(100ms, now);
    }
    step_ = Step::over;
    due_.reset();
    if (baud_ != baud_asked_)
      effects_.push_back(Remark{fmt::format("the controller answers at {} baud, not at {}; set baud = {}",
                                            baud_, baud_asked_, baud_)});
    effects_.push_back(Done{*identity});
    return;
  }
  if (is_reset(id) && echo) {
    effects_.push_back(Remark{"the controller says that it was reset; beginning again"});
    return again(drain_time, now);
  }
  if (id <= 2) return again(100ms, now);
  effects_.push_back(Remark{
      fmt::format("{} came instead of an echo: still open from an earlier client; closing that", last_)});
  effects_.push_back(Send{encode(Order::close, 1)});
  // On a serial line the end of a session puts the controller back to the rate that its FLASH says:
  // what was heard at this one counts no longer.
  if (baud_asked_ != 0) {
    heard_ = false;
    silences_ = std::min(silences_, silences_before_probing);
  }
  again(drain_time, now);
}

void Handshake::on_time(Time now) {
  if (!due_ || now < *due_) return;
  if (step_ == Step::draining) return sync(Step::first, now);
  silent(now);
}

// Nothing came in answer to a SYNC.
void Handshake::silent(Time now) {
  if (step_ == Step::first && stop_echoed_) {
    step_ = Step::over;
    due_.reset();
    effects_.push_back(Reopen{});
    return;
  }
  ++silences_;
  auto const serial = baud_asked_ != 0 && !heard_;
  if (serial && silences_ > silences_before_probing) {
    auto const at = silences_ - silences_before_probing - 1;
    if (at < bauds.size()) {
      baud_ = bauds[at];
      effects_.push_back(UseBaud{baud_});
      effects_.push_back(Send{encode(Order::close, 1)});
      return again(100ms, now);
    }
    if (at == bauds.size()) {
      baud_ = baud_asked_;
      effects_.push_back(UseBaud{baud_});
      effects_.push_back(Send{encode(Order::open, 1)});
      return again(100ms, now);
    }
    return fail("no answer, at none of 9600, 19200, 38400, 57600 and 115200 baud");
  }
  if (silences_ >= silences_max) {
    return fail(last_.empty() ? std::string("no answer")
                              : fmt::format("no answer any more; the last thing that came was {}", last_));
  }
  if (silences_ == 4) effects_.push_back(Send{encode(Order::open, 1)});
  again(silences_ == 4 ? Duration(100ms) : Duration(10ms), now);
}

void Handshake::fail(std::string what) {
  auto const where = std::string(step());
  step_ = Step::over;
  due_.reset();
  effects_.push_back(Failed{where, std::move(what)});
}

}  // namespace cy::arcos
