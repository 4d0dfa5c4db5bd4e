#include "web_server.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

namespace cy::station {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;

constexpr auto request_patience = std::chrono::seconds(10);
constexpr auto linger = std::chrono::seconds(1);
constexpr auto close_patience = std::chrono::seconds(2);
constexpr std::size_t longest_reason = 120;  // RFC 6455 §5.5: 125 bytes with the code

tcp::endpoint native(Endpoint const& e) {
  if (is_ipv4(e)) {
    asio::ip::address_v4::bytes_type bytes{e.address[12], e.address[13], e.address[14], e.address[15]};
    return {asio::ip::address_v4(bytes), e.port};
  }
  asio::ip::address_v6::bytes_type bytes;
  std::copy(e.address.begin(), e.address.end(), bytes.begin());
  return {asio::ip::address_v6(bytes), e.port};
}

std::string_view plain(beast::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

struct WebServer::Impl {
  class Socket;

  Impl(WebOptions const& o, Site s, WebHandlers h)
      : options(o), site(std::move(s)), handlers(std::move(h)), door(o.listen.port) {}

  void turn(Turned why) { ++turned[static_cast<std::size_t>(why)]; }
  void accept();

  WebOptions options;
  Site site;
  WebHandlers handlers;
  Door door;
  std::optional<Time> due;
  std::size_t connections = 0;
  std::uint32_t next_socket = 1;
  std::map<std::uint32_t, std::weak_ptr<Socket>> sockets;
  std::array<std::uint64_t, turned_kinds> turned{};
  // Below what visits and sockets refer to, since the context lets go of them when it goes.
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard{context.get_executor()};
  tcp::acceptor acceptor{context};
  asio::steady_timer timer{context};
};

using Server = WebServer::Impl;

// ---- a socket ----------------------------------------------------------------------------

// From the upgrade on. Lives as long as a read is under way.
class WebServer::Impl::Socket : public std::enable_shared_from_this<Socket> {
 public:
  Socket(Impl& server, tcp::socket socket)
      : server_(server), stream_(std::move(socket)), id_{server.next_socket++} {
    ++server_.connections;
  }
  ~Socket() { --server_.connections; }

  void start(http::request<http::empty_body> const& request) {
    auto limits = websocket::stream_base::timeout::suggested(beast::role_type::server);
    limits.handshake_timeout = std::chrono::seconds(5);
    limits.idle_timeout = std::chrono::seconds(10);  // pinged after half of it: finds dead peers
    limits.keep_alive_pings = true;
    stream_.set_option(limits);
    stream_.read_message_max(server_.options.largest_message);
    stream_.binary(true);
    stream_.async_accept(request, [self = shared_from_this()](beast::error_code error) {
      if (error) return self->server_.turn(Turned::upgrade);
      self->opened_ = true;
      self->server_.sockets[self->id_.value] = self;
      self->server_.handlers.on_opened(self->id_);
      self->read();
    });
  }

  void write(std::vector<Shared> pieces) {
    writing_ = std::move(pieces);
    std::vector<asio::const_buffer> buffers;
    for (auto const& piece : writing_) buffers.emplace_back(piece->data(), piece->size());
    stream_.async_write(buffers, [self = shared_from_this()](beast::error_code error, std::size_t) {
      self->writing_.clear();
      if (self->close_why_) return self->say_goodbye();
      if (!error) self->server_.handlers.on_written(self->id_);
    });
  }

  void close(std::string_view why) {
    if (close_why_ || !opened_) return;
    close_why_ = std::string(why.substr(0, longest_reason));
    if (writing_.empty()) say_goodbye();
    // A peer that takes nothing does not take the goodbye either.
    patience_.emplace(server_.context, close_patience);
    patience_->async_wait([weak = weak_from_this()](beast::error_code error) {
      if (auto const self = weak.lock(); self && !error) self->cut();
    });
  }

 private:
  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (error) return self->ended(error);
      if (!self->stream_.got_binary()) {
        self->server_.turn(Turned::text_message);
        self->close("messages are binary");
      } else if (!self->close_why_) {
        auto const data = self->buffer_.cdata();
        self->server_.handlers.on_data(self->id_,
                                       Bytes(static_cast<std::uint8_t const*>(data.data()), data.size()));
      }
      self->buffer_.consume(self->buffer_.size());
      self->read();
    });
  }

  void ended(beast::error_code error) {
    if (error == websocket::error::message_too_big) server_.turn(Turned::long_message);
    if (error == beast::error::timeout) server_.turn(Turned::silent);
    server_.sockets.erase(id_.value);
    if (patience_) patience_->cancel();
    if (!std::exchange(opened_, false)) return;
    auto const why = close_why_                                   ? *close_why_
                     : error == websocket::error::closed          ? "closed by the browser"
                     : error == beast::error::timeout             ? "no sign of life"
                     : error == websocket::error::message_too_big ? "message too long"
                                                                  : "the connection broke";
    server_.handlers.on_closed(id_, why);
    cut();
  }

  void say_goodbye() {
    websocket::close_reason reason(websocket::close_code::normal);
    reason.reason.assign(close_why_->data(), close_why_->size());
    stream_.async_close(reason, [self = shared_from_this()](beast::error_code) {});
  }

  void cut() {
    beast::error_code ignored;
    beast::get_lowest_layer(stream_).socket().close(ignored);
  }

  Impl& server_;
  websocket::stream<beast::tcp_stream> stream_;
  ConnectionId id_;
  bool opened_ = false;
  beast::flat_buffer buffer_;
  std::vector<Shared> writing_;
  std::optional<std::string> close_why_;
  std::optional<asio::steady_timer> patience_;
};

namespace {

// ---- plain requests ----------------------------------------------------------------------

class Visit : public std::enable_shared_from_this<Visit> {
 public:
  Visit(Server& server, tcp::socket socket) : server_(server), stream_(std::move(socket)) {
    ++server_.connections;
  }
  ~Visit() { --server_.connections; }

  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(server_.options.largest_header));
    parser_->body_limit(0);
    stream_.expires_after(request_patience);
    http::async_read(
        stream_, buffer_, *parser_, [self = shared_from_this()](beast::error_code error, std::size_t) {
          if (!error) return self->on_request();
          auto const half = error == beast::error::timeout && self->buffer_.size() > 0;
          if (half) self->server_.turn(Turned::silent);
          auto const left = error == http::error::end_of_stream || error == asio::error::connection_reset;
          if (left || error == beast::error::timeout || error == asio::error::operation_aborted)
            return self->end();
          self->refuse(error == http::error::header_limit ? http::status::request_header_fields_too_large
                                                          : http::status::bad_request,
                       Turned::bad_request, "this request cannot be read");
        });
  }

 private:
  void on_request() {
    auto const& request = parser_->get();
    host_ = std::string(plain(request[http::field::host]));
    if (!server_.door.host_allowed(host_))
      return refuse(http::status::misdirected_request, Turned::host,
                    "this station answers to 127.0.0.1, localhost and [::1] with its own port only");
    auto const target = plain(request.target());
    if (request.method() != http::verb::get && request.method() != http::verb::head)
      return refuse(http::status::method_not_allowed, Turned::method, "only GET and HEAD");
    if (target == "/ws") return upgrade();
    auto const file = server_.site.find(target);
    if (!file) return refuse(http::status::not_found, Turned::path, "there is no such file");
    send(*file);
  }

  void upgrade() {
    auto const& request = parser_->get();
    if (!websocket::is_upgrade(request))
      return refuse(http::status::upgrade_required, Turned::upgrade,
                    "this is where the page's socket connects");
    if (!server_.door.origin_allowed(plain(request[http::field::origin])))
      return refuse(http::status::forbidden, Turned::origin, "only the station's own page may connect");
    stream_.expires_never();  // the socket has time-outs of its own
    std::make_shared<Server::Socket>(server_, stream_.release_socket())->start(request);
  }

  void send(SiteFile const& file) {
    auto const& request = parser_->get();
    auto const fresh = plain(request[http::field::if_none_match]) == file.etag;
    auto response = make(fresh ? http::status::not_modified : http::status::ok);
    response->set(http::field::etag, file.etag);
    if (!fresh) {
      response->set(http::field::content_type, beast::string_view(file.type.data(), file.type.size()));
      response->content_length(file.data.size());
      if (request.method() == http::verb::get) response->body() = file.data;
    }
    answer(std::move(response), parser_->keep_alive());
  }

  void refuse(http::status status, Turned why, std::string_view text) {
    server_.turn(why);
    auto response = make(status);
    response->set(http::field::content_type, "text/plain; charset=utf-8");
    if (status == http::status::method_not_allowed) response->set(http::field::allow, "GET, HEAD");
    response->body() = copy_of(bytes_of(text));
    response->body().push_back('\n');
    response->content_length(response->body().size());
    answer(std::move(response), false);
  }

  using Response = http::response<http::vector_body<std::uint8_t>>;
  std::shared_ptr<Response> make(http::status status) const {
    auto response = std::make_shared<Response>(status, 11);
    // A foreign name is not repeated.
    auto const known = server_.door.host_allowed(host_);
    auto const own = fmt::format("127.0.0.1:{}", server_.options.listen.port);
    for (auto const& [name, value] : headers_for(known ? std::string_view(host_) : own))
      response->set(beast::string_view(name.data(), name.size()), value);
    return response;
  }

  void answer(std::shared_ptr<Response> response, bool keep_alive) {
    response->keep_alive(keep_alive);
    stream_.expires_after(request_patience);
    auto const serializer =
        std::make_shared<http::response_serializer<http::vector_body<std::uint8_t>>>(*response);
    auto const head = parser_->get().method() == http::verb::head;
    auto const done = [self = shared_from_this(), response, serializer, keep_alive](beast::error_code error,
                                                                                    std::size_t) {
      if (!error && keep_alive) return self->read();
      self->end();
    };
    // To HEAD the header alone, as it would be for GET.
    if (head)
      http::async_write_header(stream_, *serializer, done);
    else
      http::async_write(stream_, *serializer, done);
  }

  // Reads on for a moment: to close with bytes unread would reset the connection, and the answer
  // would be lost with it.
  void end() {
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.expires_after(linger);
    rest();
  }
  void rest() {
    stream_.async_read_some(asio::buffer(rest_),
                            [self = shared_from_this()](beast::error_code error, std::size_t) {
                              if (!error) self->rest();
                            });
  }

  Server& server_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  std::string host_;
  std::array<char, 1024> rest_{};
};

}  // namespace

// ---- the server --------------------------------------------------------------------------

void WebServer::Impl::accept() {
  acceptor.async_accept([this](beast::error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted) return;
    if (error) {  // out of descriptors: look again in a moment, and do not spin
      auto const later = std::make_shared<asio::steady_timer>(context, std::chrono::milliseconds(100));
      later->async_wait([this, later](beast::error_code) { accept(); });
      return;
    }
    if (connections >= options.most_connections) {
      turn(Turned::connections);
      beast::error_code ignored;
      socket.close(ignored);
    } else {
      beast::error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      socket.set_option(asio::socket_base::send_buffer_size(options.send_buffer), ignored);
      std::make_shared<Visit>(*this, std::move(socket))->read();
    }
    accept();
  });
}

Result<std::unique_ptr<WebServer>> WebServer::open(WebOptions const& options, Site site,
                                                   WebHandlers handlers) {
  // Said here, too, since no other caller may forget it.
  if (!is_loopback(options.listen)) return fault("{} is not loopback", to_string(options.listen));
  auto impl = std::make_unique<Impl>(options, std::move(site), std::move(handlers));
  auto const where = native(options.listen);
  beast::error_code error;
  impl->acceptor.open(where.protocol(), error);
  if (!error) impl->acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) impl->acceptor.bind(where, error);
  if (!error) impl->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    return fault("listen {}: {}; is another station running? --listen chooses another port",
                 to_string(options.listen), error.message());
  impl->options.listen.port = impl->acceptor.local_endpoint().port();
  impl->door = Door(impl->options.listen.port);
  impl->accept();
  return std::unique_ptr<WebServer>(new WebServer(std::move(impl)));
}

WebServer::WebServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WebServer::~WebServer() = default;

Endpoint WebServer::local() const {
  return impl_->options.listen;
}
void WebServer::run() {
  impl_->context.run();
}
void WebServer::stop() {
  impl_->context.stop();
}
void WebServer::post(std::function<void()> work) {
  asio::post(impl_->context, std::move(work));
}

void WebServer::set_timer(std::optional<Time> due) {
  if (due == impl_->due) return;
  impl_->due = due;
  if (!due) {
    impl_->timer.cancel();
    return;
  }
  impl_->timer.expires_after(std::max<Duration>(*due - net::now(), 0ns));
  impl_->timer.async_wait([this](beast::error_code error) {
    if (error) return;
    impl_->due.reset();
    impl_->handlers.on_time();
  });
}

void WebServer::write(ConnectionId socket, std::vector<Shared> pieces) {
  auto const at = impl_->sockets.find(socket.value);
  if (at == impl_->sockets.end()) return;
  if (auto const one = at->second.lock()) one->write(std::move(pieces));
}

void WebServer::close(ConnectionId socket, std::string_view why) {
  auto const at = impl_->sockets.find(socket.value);
  if (at == impl_->sockets.end()) return;
  if (auto const one = at->second.lock()) one->close(why);
}

std::vector<Counter> WebServer::counters() const {
  std::vector<Counter> all;
  for (std::size_t i = 0; i < turned_kinds; ++i)
    if (impl_->turned[i] > 0)
      all.push_back({"http: " + std::string(wire::name_of(static_cast<Turned>(i))), impl_->turned[i]});
  return all;
}

}  // namespace cy::station
