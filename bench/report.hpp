// What a benchmark measured, as a table for people and as JSON for scripts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cy::bench {

using Value = std::variant<std::string, double, std::int64_t>;
using Row = std::vector<std::pair<std::string, Value>>;  // in the order of the table's columns

// A row is one case. Keys carry their unit: p50_us, frames_sent, agent_cpu_pct. A column that a
// row does not have stays empty in the table and absent in the JSON.
class Report {
 public:
  explicit Report(std::string bench) : bench_(std::move(bench)) {}

  void add(Row row) { rows_.push_back(std::move(row)); }
  std::vector<Row> const& rows() const { return rows_; }

  std::string table() const;
  std::string json() const;  // {"bench": name, "rows": [{…}]}

  // Prints the table and, if `json_file` is not empty, writes the JSON there.
  // Throws std::runtime_error when the file cannot be written.
  void publish(std::string const& json_file) const;

 private:
  std::string bench_;
  std::vector<Row> rows_;
};

// The value below which the share q (0…1) of the samples lies, by nearest rank; reorders them.
// Not a number if there are none.
double quantile(std::vector<double>& samples, double q);

}  // namespace cy::bench
