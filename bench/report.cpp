#include "report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

namespace cy::bench {
namespace {

std::string text_of(Value const& value) {
  if (auto const* text = std::get_if<std::string>(&value)) return *text;
  if (auto const* number = std::get_if<double>(&value)) return fmt::format("{:.1f}", *number);
  return fmt::format("{}", std::get<std::int64_t>(value));
}

Value const* find(Row const& row, std::string const& key) {
  auto const at = std::find_if(row.begin(), row.end(), [&](auto const& cell) { return cell.first == key; });
  return at == row.end() ? nullptr : &at->second;
}

std::vector<std::string> columns_of(std::vector<Row> const& rows) {
  std::vector<std::string> columns;
  for (auto const& row : rows)
    for (auto const& cell : row)
      if (std::find(columns.begin(), columns.end(), cell.first) == columns.end())
        columns.push_back(cell.first);
  return columns;
}

}  // namespace

std::string Report::table() const {
  auto const columns = columns_of(rows_);
  std::vector<std::size_t> widths;
  for (auto const& column : columns) {
    auto width = column.size();
    for (auto const& row : rows_)
      if (auto const* value = find(row, column)) width = std::max(width, text_of(*value).size());
    widths.push_back(width);
  }

  auto line = [&](auto const& cell) {
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i) text += cell(i) + (i + 1 < columns.size() ? "  " : "\n");
    return text;
  };
  auto table = line([&](std::size_t i) { return fmt::format("{:<{}}", columns[i], widths[i]); });
  for (auto const& row : rows_)
    table += line([&](std::size_t i) {
      auto const* value = find(row, columns[i]);
      if (value == nullptr) return std::string(widths[i], ' ');
      auto const words = std::holds_alternative<std::string>(*value);
      return words ? fmt::format("{:<{}}", text_of(*value), widths[i])
                   : fmt::format("{:>{}}", text_of(*value), widths[i]);
    });
  return table;
}

std::string Report::json() const {
  auto rows = nlohmann::ordered_json::array();
  for (auto const& row : rows_) {
    auto object = nlohmann::ordered_json::object();
    for (auto const& [key, value] : row)
      std::visit([&object, name = key](auto const& v) { object[name] = v; }, value);
    rows.push_back(std::move(object));
  }
  return nlohmann::ordered_json{{"bench", bench_}, {"rows", std::move(rows)}}.dump(2) + "\n";
}

void Report::publish(std::string const& json_file) const {
  fmt::print("{}", table());
  if (json_file.empty()) return;
  std::ofstream out(json_file);
  out << json();
  out.close();
  if (!out) throw std::runtime_error(fmt::format("cannot write {}", json_file));
}

double quantile(std::vector<double>& samples, double q) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  auto const count = static_cast<double>(samples.size());
  auto const rank = static_cast<std::ptrdiff_t>(std::ceil(std::clamp(q, 0.0, 1.0) * count));
  auto const at = samples.begin() + std::max<std::ptrdiff_t>(rank - 1, 0);
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

}  // namespace cy::bench
