#include "udp.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace cy::bench {
namespace {

static_assert(sizeof(sockaddr_in) == 16);

[[noreturn]] void fail(char const* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

sockaddr_in address(std::string const& host, std::uint16_t port) {
  sockaddr_in a = {};
  a.sin_family = AF_INET;
  a.sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &a.sin_addr) != 1) {
    errno = EINVAL;
    fail("the host must be an IPv4 address");
  }
  return a;
}

sockaddr const* generic(sockaddr_in const& a) {
  return reinterpret_cast<sockaddr const*>(&a);
}

}  // namespace

UdpSocket::UdpSocket() : fd_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  if (fd_ < 0) fail("socket");
}

UdpSocket::~UdpSocket() {
  close(fd_);
}

void UdpSocket::bind(std::string const& host) {
  auto const a = address(host, 0);
  if (::bind(fd_, generic(a), sizeof a) != 0) fail("bind");
}

void UdpSocket::connect(std::string const& host, std::uint16_t port) {
  auto const a = address(host, port);
  if (::connect(fd_, generic(a), sizeof a) != 0) fail("connect");
}

void UdpSocket::receive_for_at_most(std::chrono::milliseconds time) {
  timeval const t{time.count() / 1000, time.count() % 1000 * 1000};
  if (setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t) != 0) fail("SO_RCVTIMEO");
}

std::uint16_t UdpSocket::port() const {
  sockaddr_in a = {};
  socklen_t size = sizeof a;
  if (getsockname(fd_, reinterpret_cast<sockaddr*>(&a), &size) != 0) fail("getsockname");
  return ntohs(a.sin_port);
}

void UdpSocket::send(Bytes bytes) {
  if (::send(fd_, bytes.data(), bytes.size(), 0) < 0) fail("send");
}

std::optional<std::size_t> UdpSocket::receive(MutableBytes into) {
  auto const size = recv(fd_, into.data(), into.size(), 0);
  if (size >= 0) return static_cast<std::size_t>(size);
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return std::nullopt;
  fail("recv");
}

std::size_t UdpSocket::receive_and_remember(MutableBytes into) {
  socklen_t size = sizeof sender_;
  auto const got = recvfrom(fd_, into.data(), into.size(), 0, reinterpret_cast<sockaddr*>(sender_), &size);
  if (got < 0) fail("recvfrom");
  return static_cast<std::size_t>(got);
}

void UdpSocket::answer(Bytes bytes) {
  auto const* to = reinterpret_cast<sockaddr const*>(sender_);
  if (sendto(fd_, bytes.data(), bytes.size(), 0, to, sizeof sender_) < 0) fail("sendto");
}

}  // namespace cy::bench
