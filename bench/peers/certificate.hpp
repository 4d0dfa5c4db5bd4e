// A key and a certificate that vouches for itself, for peers that want TLS.
#pragma once

#include <string>

namespace cy::bench {

// Writes a P-256 key and its certificate, valid for a day, into one PEM file that only the owner
// can read. Throws std::runtime_error.
void write_certificate(std::string const& file);

}  // namespace cy::bench
