// Key files and the list of trusted keys.
//
// A secret key's file holds one line, cy-secret:…, and is readable by its owner only; its public
// key stands beside it in FILE.pub. A trust file has a line for each trusted key:
//
//   operator cy-public:…  a name up to the end of the line      # roles: observer operator editor manager
#pragma once

#include <cy/seal/key.hpp>

#include <vector>

namespace cy::app {

// Faults when the file is there already, unless `replace`. The secret is never readable by others.
Result<seal::KeyPair> write_new_key(std::string const& path, bool replace);
// Faults when others can read it.
Result<seal::KeyPair> read_key(std::string const& path);
// A public key: its own text, or the path of a .pub file.
Result<seal::PublicKey> read_public_key(std::string const& text_or_path);

struct TrustedKey {
  std::string role;
  seal::PublicKey key;
  std::string name;
};
// An absent file trusts nobody. Faults name file and line.
Result<std::vector<TrustedKey>> read_trust(std::string const& path,
                                           std::vector<std::string_view> const& roles);
// Faults when the name has a control character. The file is replaced as a whole: who reads it
// meanwhile finds the old list or the new one.
Result<void> append_trust(std::string const& path, TrustedKey const& entry);

}  // namespace cy::app
