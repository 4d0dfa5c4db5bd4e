#include <cy/station/site.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace cy::station {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest = 32U * 1024 * 1024;  // a page is well under one

std::string_view type_of(std::string_view extension) {
  constexpr std::pair<std::string_view, std::string_view> types[] = {
      {".html", "text/html; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".mjs", "text/javascript; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".json", "application/json"},
      {".map", "application/json"},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".ico", "image/x-icon"},
      {".woff2", "font/woff2"},
      {".wasm", "application/wasm"},
      {".txt", "text/plain; charset=utf-8"},
  };
  for (auto const& [known, type] : types)
    if (known == extension) return type;
  return "application/octet-stream";
}

// FNV-1a, 64 bits: tells versions of a file apart, and guards nothing.
std::uint64_t hash_of(Bytes bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (auto const byte : bytes) hash = (hash ^ byte) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

Result<Site> Site::read(std::string const& folder) {
  Site site;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(folder, error); !error && at != fs::end(at);
       at.increment(error)) {
    std::error_code unknown;
    if (at->is_symlink(unknown) || !at->is_regular_file(unknown)) continue;
    if (at->file_size(unknown) > largest) return fault("{}: too large for a page", at->path().string());
    std::ifstream in(at->path(), std::ios::binary);
    SiteFile file;
    file.data.assign(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    if (!in) return fault("{}: cannot be read", at->path().string());
    file.type = type_of(at->path().extension().string());
    file.etag = fmt::format("\"{:016x}-{:x}\"", hash_of(file.data), file.data.size());
    site.files_.emplace("/" + at->path().lexically_relative(folder).generic_string(),
                        std::make_shared<SiteFile const>(std::move(file)));
  }
  if (error) return fault("the page's folder {}: {}", folder, error.message());
  auto const index = site.files_.find("/index.html");
  if (index == site.files_.end())
    return fault("the page's folder {} has no index.html; build the page, or say where it is with --web",
                 folder);
  site.files_["/"] = index->second;
  return site;
}

std::shared_ptr<SiteFile const> Site::find(std::string_view target) const {
  auto const file = files_.find(target.substr(0, target.find_first_of("?#")));
  return file == files_.end() ? nullptr : file->second;
}

}  // namespace cy::station
