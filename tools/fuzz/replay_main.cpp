// Runs a fuzzer's target where there is no libFuzzer: over its whole corpus, with every crash that
// was ever found, and then a short run of mutations of it. Seeded, so a failure comes again; the
// input that is running stands in a file that a crash leaves behind.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

// Cuts, doubles, flips and splices, a few at a time, as libFuzzer's mutators do.
Input mutated(std::vector<Input> const& corpus, std::mt19937_64& random) {
  auto const below = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random() % n); };
  auto input = corpus[below(corpus.size())];
  for (auto steps = 1 + below(4); steps > 0; --steps) {
    auto const at = below(input.size() + 1);
    switch (below(6)) {
      case 0:
        if (at < input.size()) input[at] ^= static_cast<std::uint8_t>(1u << below(8));
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<std::uint8_t>(random());
        break;
      case 2:
        input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), static_cast<std::uint8_t>(random()));
        break;
      case 3:
        input.resize(at);
        break;
      case 4: {
        auto const& other = corpus[below(corpus.size())];
        auto const from = below(other.size() + 1);
        input.resize(at);
        input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
        break;
      }
      default:
        input.erase(input.begin() + static_cast<std::ptrdiff_t>(at),
                    input.begin() + static_cast<std::ptrdiff_t>(std::min(input.size(), at + below(8))));
    }
    if (input.size() > 65'536) input.resize(65'536);
  }
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  auto mutations = 500;
  std::vector<Input> corpus;
  auto const load = [&](fs::path const& path) {
    std::ifstream in(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  };
  for (auto i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]).starts_with("--mutations=")) {
      mutations = std::atoi(argv[i] + 12);
    } else if (fs::is_directory(argv[i])) {
      std::vector<fs::path> files;
      for (auto const& entry : fs::recursive_directory_iterator(argv[i]))
        if (entry.is_regular_file()) files.push_back(entry.path());
      std::sort(files.begin(), files.end());
      for (auto const& file : files) load(file);
    } else {
      load(argv[i]);
    }
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "no input was found\n");
    return 1;
  }
  for (auto const& input : corpus) LLVMFuzzerTestOneInput(input.data(), input.size());

  auto const last = fs::path(argv[0]).filename().string() + ".last";
  std::mt19937_64 random(1);
  for (auto i = 0; i < mutations; ++i) {
    auto const input = mutated(corpus, random);
    {
      std::ofstream out(last, std::ios::binary);
      out.write(reinterpret_cast<char const*>(input.data()), static_cast<std::streamsize>(input.size()));
    }
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  fs::remove(last);
  std::printf("%zu inputs and %d mutations of them ran\n", corpus.size(), mutations);
  return 0;
}
