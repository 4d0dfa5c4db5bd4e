#include <cy/net/proxy.hpp>

#include <algorithm>

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

Proxy::Client* Proxy::admit(Endpoint const& from) {
  if (auto const known = clients_.find(from); known != clients_.end()) return known->second.get();
  if (clients_.size() >= options_.max_clients) {
    auto const quiet = std::min_element(clients_.begin(), clients_.end(), [](auto const& a, auto const& b) {
      return a.second->heard < b.second->heard;
    });
    add(gone_.there, quiet->second->there.counters());
    add(gone_.back, quiet->second->back.counters());
    clients_.erase(quiet);
  }
  auto const number = gone_.clients++;
  auto client = std::make_unique<Client>(
      Client{from, nullptr, emulate::Pipe(options_.there, Seed{options_.seed.value + 2 * number}),
             emulate::Pipe(options_.back, Seed{options_.seed.value + 2 * number + 1}), now()});
  auto const any = is_ipv4(options_.target) ? ipv4(0, 0, 0, 0, 0) : Endpoint{};
  auto port = UdpPort::open(
      loop_, any, {},
      [c = client.get()](MutableBytes answer, Endpoint const&) { c->back.on_datagram(answer, now()); },
      [this] { settle(); });
  if (!port) return nullptr;
  client->port = std::move(*port);
  return (clients_[from] = std::move(client)).get();
}

void Proxy::on_client(MutableBytes datagram, Endpoint const& from) {
  auto* client = admit(from);
  if (!client) return;
  client->heard = now();
  client->there.on_datagram(datagram, client->heard);
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
  auto sum = gone_;
  for (auto const& [from, client] : clients_) {
    add(sum.there, client->there.counters());
    add(sum.back, client->back.counters());
  }
  return sum;
}

}  // namespace cy::net
