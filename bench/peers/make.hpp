// The makers and servers behind systems(), one pair a system.
#pragma once

#include "peer.hpp"

namespace cy::bench {

std::unique_ptr<Peer> make_raw_udp();
int serve_raw_udp(std::vector<std::string> const& arguments);

std::unique_ptr<Peer> make_sealed_udp();
int serve_sealed_udp(std::vector<std::string> const& arguments);

std::unique_ptr<Peer> make_zeromq();
std::unique_ptr<Peer> make_zeromq_curve();
int serve_zeromq(std::vector<std::string> const& arguments);
int serve_zeromq_curve(std::vector<std::string> const& arguments);

std::unique_ptr<Peer> make_omniorb();
std::unique_ptr<Peer> make_omniorb_tls();
int serve_omniorb(std::vector<std::string> const& arguments);
int serve_omniorb_tls(std::vector<std::string> const& arguments);

}  // namespace cy::bench
