#include <cy/app/keys.hpp>
#include <cy/net/loop.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace cy::app {
namespace {

Result<std::string> read_text(std::string const& path) {
  std::ifstream in(path);
  if (!in) return fault("{}: {}", path, std::strerror(errno));
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Writes a new file; one that is there is a fault.
Result<void> create_file(std::string const& path, std::string_view text, mode_t mode) {
  auto const file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) {
    if (errno == EEXIST) return fault("{} is there already; it is not replaced unless asked for", path);
    return fault("{}: {}", path, std::strerror(errno));
  }
  while (!text.empty()) {
    auto const written = ::write(file, text.data(), text.size());
    if (written <= 0) break;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  auto const ok = text.empty() && ::fchmod(file, mode) == 0 && ::fsync(file) == 0;
  auto const why = errno;
  ::close(file);
  if (ok) return {};
  ::unlink(path.c_str());
  return fault("{}: {}", path, std::strerror(why));
}

// A reader sees the old contents or the new ones, whole, and never under other rights than `mode`.
Result<void> replace_file(std::string const& path, std::string_view text, mode_t mode) {
  std::error_code error;
  auto const linked = std::filesystem::canonical(path, error);  // what a link points to, not the link
  auto const target = error ? path : linked.string();
  auto const next = fmt::format("{}.{}", target, ::getpid());
  if (auto const created = create_file(next, text, mode); !created) return created;
  struct stat before {};
  if (::stat(target.c_str(), &before) == 0 &&
      (before.st_uid != ::geteuid() || before.st_gid != ::getegid()) &&
      ::lchown(next.c_str(), before.st_uid, before.st_gid) != 0) {
    ::unlink(next.c_str());
    return fault("{} belongs to another user: {}", path, std::strerror(errno));
  }
  if (::rename(next.c_str(), target.c_str()) == 0) return {};
  auto const why = errno;
  ::unlink(next.c_str());
  return fault("{}: {}", path, std::strerror(why));
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

Result<seal::KeyPair> write_new_key(std::string const& path, bool replace) {
  auto pair = seal::make_key_pair(net::system_entropy());
  auto text = seal::to_text(pair.secret_key) + "\n";
  auto const written = replace ? replace_file(path, text, 0600) : create_file(path, text, 0600);
  seal::wipe({reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
  if (!written) return tl::unexpected(written.error());
  if (auto const pub = replace_file(path + ".pub", seal::to_text(pair.public_key) + "\n", 0644); !pub)
    return tl::unexpected(pub.error());
  return pair;
}

Result<seal::KeyPair> read_key(std::string const& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0)
    return fault("key {}: {}; `cy keygen {}` makes one", path, std::strerror(errno), path);
  if ((info.st_mode & 077) != 0)
    return fault("key {}: others can read it; `chmod 600 {}` keeps it secret", path, path);
  auto text = read_text(path);
  if (!text) return tl::unexpected(text.error());
  auto secret = seal::parse_secret_key(*text);
  seal::wipe({reinterpret_cast<std::uint8_t*>(text->data()), text->size()});
  if (!secret) return fault("key {}: {}", path, secret.error().what);
  return seal::make_key_pair(std::move(*secret));
}

Result<seal::PublicKey> read_public_key(std::string const& text_or_path) {
  if (text_or_path.starts_with("cy-public:")) return seal::parse_public_key(text_or_path);
  auto const text = read_text(text_or_path);
  if (!text) return tl::unexpected(text.error());
  auto key = seal::parse_public_key(*text);
  if (!key) return fault("{}: {}", text_or_path, key.error().what);
  return key;
}

Result<std::vector<TrustedKey>> read_trust(std::string const& path,
                                           std::vector<std::string_view> const& roles) {
  std::vector<TrustedKey> all;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return all;
  std::ifstream in(path);
  if (!in) return fault("{}: {}", path, std::strerror(errno));
  std::string line;
  for (auto number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line);
    TrustedKey entry;
    std::string key;
    if (!(words >> entry.role) || entry.role.starts_with('#')) continue;
    auto known = false;
    std::string allowed;
    for (auto const role : roles) {
      known = known || entry.role == role;
      allowed += (allowed.empty() ? "" : ", ") + std::string(role);
    }
    if (!known) return fault("{}:{}: '{}' is no role; allowed are: {}", path, number, entry.role, allowed);
    if (!(words >> key)) return fault("{}:{}: the key is missing; ROLE KEY NAME is expected", path, number);
    auto const parsed = seal::parse_public_key(key);
    if (!parsed) return fault("{}:{}: {}", path, number, parsed.error().what);
    entry.key = *parsed;
    std::getline(words >> std::ws, entry.name);
    if (entry.name.empty()) entry.name = seal::fingerprint(entry.key);
    all.push_back(std::move(entry));
  }
  return all;
}

Result<void> append_trust(std::string const& path, TrustedKey const& entry) {
  // A line is an entry: a name with a line end in it would be one more.
  if (has_control_characters(entry.name) || has_control_characters(entry.role))
    return fault("the name has a control character in it");
  std::string text;
  auto mode = mode_t{0644};
  if (struct stat info{}; ::stat(path.c_str(), &info) == 0) {
    auto const before = read_text(path);
    if (!before) return tl::unexpected(before.error());
    text = *before;
    mode = info.st_mode & 0777;
  }
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += fmt::format("{} {} {}\n", entry.role, seal::to_text(entry.key), entry.name);
  return replace_file(path, text, mode);
}

}  // namespace cy::app
