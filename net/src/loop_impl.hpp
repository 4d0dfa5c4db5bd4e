// What the sources of this room share: the Asio context behind a Loop.
#pragma once

#include <cy/net/loop.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

namespace cy::net {

namespace asio = boost::asio;

struct Loop::Impl {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard{context.get_executor()};
  std::unique_ptr<asio::signal_set> signals;
};

}  // namespace cy::net
