// What the tests of this room share: fixed keys, hexadecimal, and datagrams as a session makes them.
#pragma once

#include <cy/base/bytes.hpp>
#include <cy/base/random.hpp>
#include <cy/seal/handshake.hpp>
#include <cy/seal/transport.hpp>

#include <string_view>

namespace cy::seal {

inline Buffer from_hex(std::string_view hex) {
  auto const digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  Buffer bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(digit(hex[i]) * 16 + digit(hex[i + 1])));
  }
  return bytes;
}

template <class Key = SecretKey>
Key key_from(Bytes bytes) {
  return Key(bytes.first<32>());
}

// Entropy of the tests' kind: the same for the same seed.
template <class Key = SecretKey>
Key test_key(std::uint64_t seed) {
  Random random{Seed{seed}};
  Key key;
  for (auto& byte : key.bytes()) byte = static_cast<std::uint8_t>(random.next());
  return key;
}

inline constexpr std::size_t head_size = 8;

// Four bytes of head, four of sequence, `text`, tag.
inline Buffer sealed_datagram(Sealer& sealer, std::string_view text) {
  Buffer datagram(head_size + text.size() + tag_size);
  datagram[0] = 0xc1;
  store_le(datagram.data() + 4, static_cast<std::uint32_t>(sealer.next_sequence()));
  std::copy(text.begin(), text.end(), datagram.begin() + head_size);
  auto const body = MutableBytes(datagram).subspan(head_size);
  sealer.seal(body, text.size(), Bytes(datagram).first(head_size));
  return datagram;
}

// Opens a copy, so that the same datagram can come again. Precondition: at least a head.
inline tl::expected<std::string, SealFault> open_datagram(Opener& opener, Buffer datagram) {
  auto const low = load_le<std::uint32_t>(datagram.data() + 4);
  auto const opened =
      opener.open(MutableBytes(datagram).subspan(head_size), Bytes(datagram).first(head_size), low);
  if (!opened) return tl::unexpected(opened.error());
  return std::string(text_of(opened->plain()));
}

}  // namespace cy::seal
