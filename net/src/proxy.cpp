#include <cy/net/proxy.hpp>

namespace cy::net {
namespace {
void add(emulate::Counters& sum, emulate::Counters const& one) {
  sum.sent += one.sent;
  sum.lost += one.lost;
  sum.queue_dropped += one.queue_dropped;
  sum.duplicated += one.duplicated;
  sum.held_back += one.held_back;
  sum.delivered += one.delivered;
}
}  // namespace

Proxy::Proxy(Loop& loop, ProxyOptions options)
    : loop_(loop), options_(std::move(options)), timer_(loop, [this] { settle(); }) {}

Result<std::unique_ptr<Proxy>> Proxy::open(Loop& loop, ProxyOptions options) {
  std::unique_ptr<Proxy> proxy(new Proxy(loop, std::move(options)));
  auto port = UdpPort::open(
      loop, proxy->options_.listen, {},
      [p = proxy.get()](MutableBytes datagram, Endpoint const& from) { p->on_client(datagram, from); },
      [p = proxy.get()] { p->settle(); });
  if (!port) return tl::unexpected(port.error());
  proxy->port_ = std::move(*port);
  return proxy;
}

void Proxy::on_client(MutableBytes datagram, Endpoint const& from) {
  auto& client = clients_[from];
  if (!client) {
    if (clients_.size() > options_.max_clients) {
      clients_.erase(from);
      return;
    }
    client = std::make_unique<Client>(
        Client{from, nullptr, emulate::Pipe(options_.there, Seed{options_.seed.value + 2 * clients_.size()}),
               emulate::Pipe(options_.back, Seed{options_.seed.value + 2 * clients_.size() + 1})});
    auto const any = is_ipv4(options_.target) ? ipv4(0, 0, 0, 0, 0) : Endpoint{};
    auto port = UdpPort::open(
        loop_, any, {},
        [c = client.get()](MutableBytes answer, Endpoint const&) { c->back.on_datagram(answer, now()); },
        [this] { settle(); });
    if (!port) {
      clients_.erase(from);
      return;
    }
    client->port = std::move(*port);
  }
  client->there.on_datagram(datagram, now());
}

void Proxy::settle() {
  std::optional<Time> due;
  auto const t = now();
  for (auto& [from, client] : clients_) {
    for (auto const& delivery : client->there.drain(t)) out_.add(options_.target, delivery.bytes);
    if (!out_.empty()) client->port->send(out_);
    for (auto const& delivery : client->back.drain(t)) out_.add(from, delivery.bytes);
    if (!out_.empty()) port_->send(out_);
    for (auto const next : {client->there.deadline(), client->back.deadline()})
      if (next && (!due || *next < *due)) due = next;
  }
  timer_.set(due);
}

Proxy::Counters Proxy::counters() const {
  Counters sum;
  sum.clients = clients_.size();
  for (auto const& [from, client] : clients_) {
    add(sum.there, client->there.counters());
    add(sum.back, client->back.counters());
  }
  return sum;
}

}  // namespace cy::net
