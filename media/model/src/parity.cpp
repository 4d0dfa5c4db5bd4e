#include <cy/base/check.hpp>
#include <cy/media/parity.hpp>

#include <isa-l/erasure_code.h>

namespace cy::media {
namespace {

// ISA-L's tables for one coefficient.
constexpr std::size_t table_size = 32;

std::uint8_t cauchy(std::size_t blocks, std::size_t row, std::size_t column) {
  return gf_inv(static_cast<std::uint8_t>((blocks + row) ^ column));
}

// The blocks of a frame as ISA-L wants them: all of one size, the last one filled up.
class Shares {
 public:
  Shares(Bytes frame, std::size_t blocks)
      : frame_(frame), size_((frame.size() + blocks - 1) / blocks), last_(size_) {
    auto const rest = frame.subspan((blocks - 1) * size_);
    std::copy(rest.begin(), rest.end(), last_.begin());
  }
  std::size_t size() const { return size_; }
  std::uint8_t const* at(std::size_t block) const {
    return (block + 1) * size_ <= frame_.size() ? frame_.data() + block * size_ : last_.data();
  }

 private:
  Bytes frame_;
  std::size_t size_;
  Buffer last_;
};

// outputs = coefficients (a row for each output) · sources
void multiply(std::size_t size, std::vector<std::uint8_t const*> const& sources, Buffer& coefficients,
              std::vector<std::uint8_t*>& outputs) {
  auto const k = static_cast<int>(sources.size()), rows = static_cast<int>(outputs.size());
  Buffer tables(table_size * sources.size() * outputs.size());
  ec_init_tables(k, rows, coefficients.data(), tables.data());
  // Sources are only read; ISA-L's signature does not say so.
  std::vector<std::uint8_t*> from(sources.size());
  std::transform(sources.begin(), sources.end(), from.begin(),
                 [](std::uint8_t const* p) { return const_cast<std::uint8_t*>(p); });
  ec_encode_data(static_cast<int>(size), k, rows, tables.data(), from.data(), outputs.data());
}

}  // namespace

std::optional<std::size_t> row_of(VideoBlock const& block) {
  std::size_t const size = block.size, blocks = block.blocks, index = block.block;
  if (size == 0 || blocks == 0 || index < blocks || index >= max_coded) return std::nullopt;
  auto const share = (size + blocks - 1) / blocks;
  if ((blocks - 1) * share >= size || block.data.size() != share) return std::nullopt;
  return index - blocks;
}

std::vector<Buffer> parity_rows(Bytes frame, std::size_t blocks, std::size_t first, std::size_t count) {
  CY_CHECK(blocks > 0 && blocks + first + count <= max_coded);
  Shares const shares(frame, blocks);
  std::vector<std::uint8_t const*> sources;
  for (std::size_t i = 0; i < blocks; ++i) sources.push_back(shares.at(i));
  Buffer coefficients;
  std::vector<Buffer> rows(count, Buffer(shares.size()));
  std::vector<std::uint8_t*> outputs;
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t i = 0; i < blocks; ++i) coefficients.push_back(cauchy(blocks, first + row, i));
    outputs.push_back(rows[row].data());
  }
  if (count > 0) multiply(shares.size(), sources, coefficients, outputs);
  return rows;
}

bool restore(MutableBytes frame, std::vector<bool> const& have, std::span<ParityRow const> rows) {
  auto const blocks = have.size();
  std::vector<std::size_t> present, missing;
  for (std::size_t i = 0; i < blocks; ++i) (have[i] ? present : missing).push_back(i);
  auto const gaps = missing.size();
  if (gaps > rows.size()) return false;
  if (gaps == 0) return true;

  // Each row is Σ c·present + Σ c·missing. The second part's matrix is square and Cauchy, so it has an
  // inverse; what is missing is that times (row + Σ c·present), here in one pass over all.
  Buffer square, inverse(gaps * gaps);
  for (std::size_t r = 0; r < gaps; ++r)
    for (auto const m : missing) square.push_back(cauchy(blocks, rows[r].row, m));
  CY_CHECK(gf_invert_matrix(square.data(), inverse.data(), static_cast<int>(gaps)) == 0);
  Buffer coefficients;
  for (std::size_t m = 0; m < gaps; ++m) {
    auto const* const solve = inverse.data() + m * gaps;
    for (auto const p : present) {
      std::uint8_t sum = 0;
      for (std::size_t r = 0; r < gaps; ++r) sum ^= gf_mul(solve[r], cauchy(blocks, rows[r].row, p));
      coefficients.push_back(sum);
    }
    coefficients.insert(coefficients.end(), solve, solve + gaps);
  }

  Shares const shares(frame, blocks);
  std::vector<std::uint8_t const*> sources;
  for (auto const p : present) sources.push_back(shares.at(p));
  for (std::size_t r = 0; r < gaps; ++r) sources.push_back(rows[r].data.data());
  std::vector<Buffer> found(gaps, Buffer(shares.size()));
  std::vector<std::uint8_t*> outputs;
  for (auto& one : found) outputs.push_back(one.data());
  multiply(shares.size(), sources, coefficients, outputs);
  for (std::size_t m = 0; m < gaps; ++m) {
    auto const place = frame.subspan(missing[m] * shares.size());
    std::copy_n(found[m].begin(), std::min(place.size(), shares.size()), place.begin());
  }
  return true;
}

}  // namespace cy::media
