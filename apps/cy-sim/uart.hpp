// What a serial line makes of bytes when its two ends are at different rates: 8 data bits, one stop
// bit, each bit read in its middle, as a UART does. Pure.
#pragma once

#include <cy/base/bytes.hpp>

namespace cy::sim {

// Bits a second; 0 hears and says nothing. The bytes come back to back; the line rests before and after.
Buffer as_heard(Bytes sent, unsigned sender, unsigned receiver);

}  // namespace cy::sim
