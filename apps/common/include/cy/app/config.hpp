// TOML configuration, read strictly: every fault names file, line, key and what is allowed, and
// all faults of a file are told at once. A key that nobody asked for is a fault, too.
//
//   auto file = app::read_config("agent.toml");
//   auto agent = file->table("agent");
//   auto name = agent.text("name", "agent");
//   if (auto faults = file->finish(); !faults) …
#pragma once

#include <cy/base/result.hpp>
#include <cy/base/time.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cy::app {

class Config;

// A table of the file; an absent one answers with defaults.
class Table {
 public:
  std::string text(std::string_view key, std::optional<std::string> otherwise = {});
  bool flag(std::string_view key, bool otherwise);
  double number(std::string_view key, double otherwise, double least, double most);
  long integer(std::string_view key, long otherwise, long least, long most);
  // The key's name ends in _ms.
  Duration milliseconds(std::string_view key, Duration otherwise, Duration least, Duration most);
  // One of `allowed`; its index.
  std::size_t choice(std::string_view key, std::size_t otherwise,
                     std::vector<std::string_view> const& allowed);
  Table table(std::string_view key);
  std::vector<Table> tables(std::string_view key);
  // All pairs as text, whatever they are called.
  std::vector<std::pair<std::string, std::string>> pairs();
  // A fault of the caller's own about this key.
  void reject(std::string_view key, std::string_view why);

 private:
  friend class Config;
  struct Impl;
  explicit Table(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

class Config {
 public:
  Table root();
  Table table(std::string_view key) { return root().table(key); }
  // Nothing, or every fault of the file, a line each.
  Result<void> finish();

 private:
  friend Result<Config> read_config(std::string const& path);
  friend Result<Config> parse_config(std::string_view text, std::string const& name);
  struct Impl;
  std::shared_ptr<Impl> impl_;
  friend class Table;
};

Result<Config> read_config(std::string const& path);
Result<Config> parse_config(std::string_view text, std::string const& name);

}  // namespace cy::app
