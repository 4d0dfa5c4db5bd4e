#include <cy/net/udp.hpp>

#include <boost/asio/ip/udp.hpp>
#include <boost/asio/post.hpp>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <sched.h>
#include <sys/socket.h>

#include "loop_impl.hpp"
#include <cerrno>
#include <cstring>

namespace cy::net {
namespace {

constexpr unsigned batch = 16;
// Looking finds something this rarely: it is left for as many datagrams as `rest`.
constexpr double spin_pays = 0.1;
constexpr unsigned spin_rest = 16;
// An answer from another core is here before; from this core it can only come after a yield.
constexpr Duration yield_after = 10us;
// Datagrams may come without a gap; after so long, timers and other ports have their turn. A turn
// costs some 20 µs: with shorter slices it shows in one round trip out of a hundred.
constexpr Duration slice = 1ms;

sockaddr_in6 address_of(Endpoint const& e) {
  sockaddr_in6 a{};
  a.sin6_family = AF_INET6;
  a.sin6_port = htons(e.port);
  std::memcpy(a.sin6_addr.s6_addr, e.address.data(), 16);
  return a;
}
Endpoint endpoint_of(sockaddr_in6 const& a) {
  Endpoint e;
  std::memcpy(e.address.data(), a.sin6_addr.s6_addr, 16);
  e.port = ntohs(a.sin6_port);
  return e;
}

}  // namespace

struct UdpPort::Impl : std::enable_shared_from_this<UdpPort::Impl> {
  Impl(Loop& loop, UdpOptions const& o, OnDatagram d, OnBatch b)
      : socket(loop.impl().context), options(o), on_datagram(std::move(d)), on_batch(std::move(b)) {
    for (unsigned i = 0; i < batch; ++i) {
      vectors[i] = {buffers[i].data(), buffers[i].size()};
      incoming[i] = {};
      incoming[i].msg_hdr.msg_iov = &vectors[i];
      incoming[i].msg_hdr.msg_iovlen = 1;
      incoming[i].msg_hdr.msg_name = &from[i];
    }
  }

  void wait() {
    socket.async_wait(asio::ip::udp::socket::wait_read, [self = shared_from_this()](auto error) {
      if (error) return;
      self->receive();
    });
  }

  // One batch; true if there was anything.
  bool receive_batch() {
    for (auto& message : incoming) message.msg_hdr.msg_namelen = sizeof(sockaddr_in6);
    auto const count = ::recvmmsg(socket.native_handle(), incoming, batch, MSG_DONTWAIT, nullptr);
    if (count <= 0) return false;
    for (auto i = 0; i < count && socket.is_open(); ++i)
      on_datagram(MutableBytes(buffers[i]).first(incoming[i].msg_len), endpoint_of(from[i]));
    if (socket.is_open()) on_batch();
    return true;
  }

  // Takes what is there and looks for more while that pays; then the loop may sleep.
  void receive() {
    for (auto const slice_end = now() + slice; socket.is_open();) {
      auto const any = receive_batch();
      auto const at = now();
      if (any) {
        if (looking) found += (1.0 - found) / 16.0;
        looking = may_look();
        look_until = at + options.spin;
      } else if (!looking || at >= look_until) {
        if (looking) found_nothing();
        return wait();
      } else if (at >= look_until - options.spin + yield_after) {
        // Whoever is to send the next one may be waiting for this very core.
        ::sched_yield();
      }
      if (at < slice_end) continue;
      asio::post(socket.get_executor(), [self = shared_from_this()] { self->receive(); });
      return;
    }
  }

  bool may_look() {
    if (resting == 0) return options.spin > 0ns;
    --resting;
    return false;
  }
  void found_nothing() {
    looking = false;
    found -= found / 16.0;
    if (found >= spin_pays) return;
    resting = spin_rest;
    found = 0.5;
  }

  asio::ip::udp::socket socket;
  UdpOptions options;
  OnDatagram on_datagram;
  OnBatch on_batch;
  std::array<std::array<std::uint8_t, 2048>, batch> buffers{};
  iovec vectors[batch]{};
  sockaddr_in6 from[batch]{};
  mmsghdr incoming[batch]{};
  double found = 0.5;  // how often looking found something, smoothed
  unsigned resting = 0;
  bool looking = false;
  Time look_until{};
  std::uint64_t unsent = 0;
};

UdpPort::UdpPort(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
UdpPort::~UdpPort() {
  boost::system::error_code ignored;
  impl_->socket.close(ignored);
}

Result<std::unique_ptr<UdpPort>> UdpPort::open(Loop& loop, Endpoint bind, UdpOptions const& options,
                                               OnDatagram on_datagram, OnBatch on_batch) {
  auto impl = std::make_shared<Impl>(loop, options, std::move(on_datagram), std::move(on_batch));
  boost::system::error_code error;
  impl->socket.open(asio::ip::udp::v6(), error);
  if (error) return fault("UDP socket: {}", error.message());
  auto const handle = impl->socket.native_handle();
  int const off = 0;
  ::setsockopt(handle, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  ::setsockopt(handle, SOL_SOCKET, SO_RCVBUF, &options.receive_buffer, sizeof options.receive_buffer);
  if (options.dscp > 0) {
    int const tos = options.dscp << 2;
    ::setsockopt(handle, IPPROTO_IP, IP_TOS, &tos, sizeof tos);
    ::setsockopt(handle, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof tos);
  }
  auto const address = address_of(bind);
  if (::bind(handle, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0)
    return fault("UDP {} cannot be used: {}", to_string(bind), std::strerror(errno));
  impl->socket.non_blocking(true, error);
  impl->wait();
  return std::unique_ptr<UdpPort>(new UdpPort(std::move(impl)));
}

Endpoint UdpPort::local() const {
  sockaddr_in6 address{};
  socklen_t size = sizeof address;
  ::getsockname(impl_->socket.native_handle(), reinterpret_cast<sockaddr*>(&address), &size);
  return endpoint_of(address);
}

void UdpPort::send(session::Outbox& out) {
  auto const handle = impl_->socket.native_handle();
  for (std::size_t at = 0; at < out.size();) {
    auto const count = std::min<std::size_t>(batch, out.size() - at);
    sockaddr_in6 to[batch];
    iovec vectors[batch];
    mmsghdr outgoing[batch]{};
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = address_of(out.to(at + i));
      auto const bytes = out.bytes(at + i);
      vectors[i] = {const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
      outgoing[i].msg_hdr.msg_name = &to[i];
      outgoing[i].msg_hdr.msg_namelen = sizeof to[i];
      outgoing[i].msg_hdr.msg_iov = &vectors[i];
      outgoing[i].msg_hdr.msg_iovlen = 1;
    }
    auto const sent = ::sendmmsg(handle, outgoing, static_cast<unsigned>(count), MSG_DONTWAIT);
    if (sent > 0) {
      at += static_cast<std::size_t>(sent);
    } else {
      // One that cannot go (full buffer, no route, a refused port's ICMP) must not hold up the rest.
      if (errno != ECONNREFUSED) ++impl_->unsent;
      if (errno == EAGAIN || errno == ENOBUFS) {
        impl_->unsent += out.size() - at - 1;
        break;
      }
      ++at;
    }
  }
  out.clear();
}

std::uint64_t UdpPort::unsent() const {
  return impl_->unsent;
}

}  // namespace cy::net
