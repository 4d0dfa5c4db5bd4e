// The text form of an emulated network, as `cy emulate` and the tests take it.
//
//   delay=20ms,jitter=3ms,loss=2%,ge=1.05/20,rate=3Mbit,queue=300ms,dup=0.1%,reorder=1%,seed=7
//   d20l2                     a preset by name
//   burst,rate=2Mbit,seed=3   a preset with changes; keys after it override
//
//   delay, jitter, queue,  a time: us, ms, s; `late` is how long `reorder` holds one back
//   late
//   loss, dup, reorder     a percentage: 2%
//   ge                     good→bad / bad→good in percent a datagram, and, if wanted, the loss in
//                          the bad and in the good state: 1.05/20, 1.05/20/80, 1.05/20/80/0.5
//   rate                   bit, kbit, Mbit, Gbit (a second, powers of 1000); rate=none, ge=none
//                          lift what a preset or an earlier step set
//   step                   a later change: step=8s:rate=0.8Mbit+loss=1% (keys joined by '+'); `down`
//                          is an outage, `up` ends it: step=5s:down,step=6s:up; may come often
//   period                 a time, after which the steps start again
//   seed                   a whole number
//
// Presets: clean (nothing), d20l2 (20 ms, 2 % loss), d50l5 (50 ms, 5 % loss), burst (20 ms,
// Gilbert-Elliott 1.05 % / 20 %, everything lost while bad: 5 % in all), step (20 ms, the rate
// falls from 3 Mbit/s to 0.8 Mbit/s after 10 s and comes back after 20 s).
#pragma once

#include <cy/base/random.hpp>
#include <cy/base/result.hpp>
#include <cy/emulate/path.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace cy::emulate {

struct Spec {
  Schedule schedule{};
  Seed seed{1};
};

// Faults name the key and what is allowed there.
Result<Spec> parse_spec(std::string_view text);

// "clean", "d20l2", …: for help texts and completion.
std::vector<std::string_view> preset_names();

// The same spec as text: parse_spec(to_text(s)) is s again.
std::string to_text(Spec const& spec);

}  // namespace cy::emulate
