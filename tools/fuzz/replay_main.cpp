// Runs a fuzzer's target over files and folders, for compilers without libFuzzer: the corpus and
// every crash that was ever found stay tests.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size);

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  auto count = 0;
  auto const run = [&](fs::path const& path) {
    std::ifstream in(path, std::ios::binary);
    std::vector<char> const bytes{std::istreambuf_iterator<char>(in), {}};
    LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size());
    ++count;
  };
  for (auto i = 1; i < argc; ++i) {
    if (fs::is_directory(argv[i])) {
      for (auto const& entry : fs::recursive_directory_iterator(argv[i]))
        if (entry.is_regular_file()) run(entry.path());
    } else {
      run(argv[i]);
    }
  }
  std::printf("%d inputs replayed\n", count);
  return count > 0 ? 0 : 1;
}
