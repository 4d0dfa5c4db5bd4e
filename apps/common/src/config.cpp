#include <cy/app/config.hpp>
#include <cy/base/toml.hpp>

#include <fstream>
#include <set>
#include <sstream>

namespace cy::app {

struct Config::Impl {
  std::string name;
  toml::table root;
  std::vector<std::string> faults;
  std::vector<std::shared_ptr<Table::Impl>> opened;

  void complain(int line, std::string_view key, std::string_view why) {
    faults.push_back(line > 0 ? fmt::format("{}:{}: {}: {}", name, line, key, why)
                              : fmt::format("{}: {}: {}", name, key, why));
  }
};

struct Table::Impl {
  std::shared_ptr<Config::Impl> config;
  toml::table const* table = nullptr;
  std::string path;  // "robot[1].limits"
  std::set<std::string, std::less<>> known;
  bool any_key = false;

  std::string full(std::string_view key) const {
    return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
  }
  toml::node const* find(std::string_view key) {
    known.emplace(key);
    return table ? table->get(key) : nullptr;
  }
  void complain(toml::node const* node, std::string_view key, std::string_view why) {
    auto const line = node    ? static_cast<int>(node->source().begin.line)
                      : table ? static_cast<int>(table->source().begin.line)
                              : 0;
    config->complain(line, full(key), why);
  }
};

namespace {
std::string list(std::vector<std::string_view> const& words) {
  std::string text;
  for (auto const word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}
}  // namespace

std::string Table::text(std::string_view key, std::optional<std::string> otherwise) {
  auto const* node = impl_->find(key);
  if (!node) {
    if (!otherwise) impl_->complain(nullptr, key, "is missing; a text is needed");
    return otherwise.value_or("");
  }
  if (auto const value = node->value_exact<std::string>()) return *value;
  impl_->complain(node, key, "must be a text in quotes");
  return otherwise.value_or("");
}

bool Table::flag(std::string_view key, bool otherwise) {
  auto const* node = impl_->find(key);
  if (!node) return otherwise;
  if (auto const value = node->value_exact<bool>()) return *value;
  impl_->complain(node, key, "must be true or false");
  return otherwise;
}

double Table::number(std::string_view key, double otherwise, double least, double most) {
  auto const* node = impl_->find(key);
  if (!node) return otherwise;
  auto const value = node->is_number() ? node->value<double>() : std::nullopt;
  if (value && *value >= least && *value <= most) return *value;
  impl_->complain(node, key, fmt::format("must be a number from {} to {}", least, most));
  return otherwise;
}

long Table::integer(std::string_view key, long otherwise, long least, long most) {
  auto const* node = impl_->find(key);
  if (!node) return otherwise;
  if (auto const value = node->value_exact<std::int64_t>(); value && *value >= least && *value <= most)
    return *value;
  impl_->complain(node, key, fmt::format("must be a whole number from {} to {}", least, most));
  return otherwise;
}

Duration Table::milliseconds(std::string_view key, Duration otherwise, Duration least, Duration most) {
  return from_seconds(
      number(key, cy::milliseconds(otherwise), cy::milliseconds(least), cy::milliseconds(most)) / 1000.0);
}

std::size_t Table::choice(std::string_view key, std::size_t otherwise,
                          std::vector<std::string_view> const& allowed) {
  auto const* node = impl_->find(key);
  if (!node) return otherwise;
  if (auto const value = node->value_exact<std::string>())
    for (std::size_t i = 0; i < allowed.size(); ++i)
      if (*value == allowed[i]) return i;
  impl_->complain(node, key, fmt::format("must be one of: {}", list(allowed)));
  return otherwise;
}

Table Table::table(std::string_view key) {
  auto impl = std::make_shared<Impl>();
  impl->config = impl_->config;
  impl->path = impl_->full(key);
  if (auto const* node = impl_->find(key)) {
    impl->table = node->as_table();
    if (!impl->table) impl_->complain(node, key, fmt::format("must be a table: [{}]", impl->path));
  }
  impl_->config->opened.push_back(impl);
  return Table(impl);
}

std::vector<Table> Table::tables(std::string_view key) {
  std::vector<Table> all;
  auto const* node = impl_->find(key);
  if (!node) return all;
  auto const* array = node->as_array();
  if (!array || !array->is_homogeneous(toml::node_type::table)) {
    impl_->complain(node, key, fmt::format("must be tables: [[{}]]", impl_->full(key)));
    return all;
  }
  for (auto const& item : *array) {
    auto impl = std::make_shared<Impl>();
    impl->config = impl_->config;
    impl->path = fmt::format("{}[{}]", impl_->full(key), all.size() + 1);
    impl->table = item.as_table();
    impl_->config->opened.push_back(impl);
    all.push_back(Table(impl));
  }
  return all;
}

std::vector<std::pair<std::string, std::string>> Table::pairs() {
  std::vector<std::pair<std::string, std::string>> all;
  impl_->any_key = true;
  if (!impl_->table) return all;
  for (auto const& [key, node] : *impl_->table) {
    if (auto const text = node.value<std::string>()) {
      all.emplace_back(key.str(), *text);
    } else if (node.is_value()) {
      std::ostringstream out;
      out << std::boolalpha;
      node.visit([&](auto const& value) {
        if constexpr (toml::is_value<decltype(value)>) out << value.get();
      });
      all.emplace_back(key.str(), out.str());
    } else {
      impl_->complain(&node, key.str(), "must be a text, a number, or true or false");
    }
  }
  return all;
}

void Table::reject(std::string_view key, std::string_view why) {
  impl_->complain(impl_->table ? impl_->table->get(key) : nullptr, key, why);
}

Table Config::root() {
  if (!impl_->opened.empty()) return Table(impl_->opened.front());
  auto impl = std::make_shared<Table::Impl>();
  impl->config = impl_;
  impl->table = &impl_->root;
  impl_->opened.push_back(impl);
  return Table(impl);
}

Result<void> Config::finish() {
  for (auto const& table : impl_->opened) {
    if (!table->table || table->any_key) continue;
    for (auto const& [key, node] : *table->table)
      if (!table->known.contains(key.str())) {
        std::vector<std::string_view> allowed(table->known.begin(), table->known.end());
        table->complain(&node, key.str(), fmt::format("is not known here; allowed are: {}", list(allowed)));
      }
  }
  // The tables hold the file and the file holds the tables: let go.
  impl_->opened.clear();
  if (impl_->faults.empty()) return {};
  std::string all;
  for (auto const& one : impl_->faults) all += (all.empty() ? "" : "\n") + one;
  return tl::unexpected(Fault{all});
}

Result<Config> parse_config(std::string_view text, std::string const& name) {
  auto parsed = toml::parse(text, name);
  if (!parsed) {
    auto const& error = parsed.error();
    return fault("{}:{}: {}", name, error.source().begin.line, error.description());
  }
  Config config;
  config.impl_ = std::make_shared<Config::Impl>();
  config.impl_->name = name;
  config.impl_->root = std::move(parsed).table();
  return config;
}

Result<Config> read_config(std::string const& path) {
  std::ifstream in(path);
  if (!in) return fault("{}: cannot be read", path);
  std::ostringstream text;
  text << in.rdbuf();
  return parse_config(text.str(), path);
}

}  // namespace cy::app
