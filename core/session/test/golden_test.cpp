// Datagrams of released versions stay what they are, byte for byte, and stay readable.
#include <gtest/gtest.h>

#include "world.hpp"
#include <fstream>

namespace cy::session {
namespace {

constexpr Time then = Time{} + 1000s;

std::string hex(Bytes bytes) {
  std::string text;
  for (auto const b : bytes) text += fmt::format("{:02x}", b);
  return text;
}
Buffer unhex(std::string const& text) {
  Buffer bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

// Lines of "name hex"; # begins a comment.
std::map<std::string, std::string> const& golden() {
  static auto const all = [] {
    std::map<std::string, std::string> found;
    std::ifstream file(CY_SOURCE_DIR "/core/session/test/data/golden.txt");
    for (std::string name, text; file >> name;) {
      if (name[0] == '#') {
        std::getline(file, text);
        continue;
      }
      file >> text;
      found[name] = text;
    }
    return found;
  }();
  return all;
}
std::string golden(std::string const& name) {
  auto const found = golden().find(name);
  return found == golden().end() ? "not in the file" : found->second;
}

Keys sealed_keys() {
  std::array<std::uint8_t, 32> one, two;
  one.fill(0x11);
  two.fill(0x22);
  return SealedKeys{seal::Sealer(seal::CipherKey(one)), seal::Opener(seal::CipherKey(two))};
}
Keys receiving_keys() {
  std::array<std::uint8_t, 32> one, two;
  one.fill(0x11);
  two.fill(0x22);
  return SealedKeys{seal::Sealer(seal::CipherKey(two)), seal::Opener(seal::CipherKey(one))};
}
Buffer data_of(Keys keys) {
  Link link(std::move(keys), 0x0a0b0c, 0x0d0e0f, ipv4(10, 0, 0, 1, 4747), {}, then);
  link.post(Heartbeat{1, 2, 3, 4});
  link.post(wire::Raw{0xc001, bytes_of("golden")});
  Outbox out;
  link.flush(then, out);
  return copy_of(std::as_const(out).bytes(0));
}
Buffer hello_of(bool clear) {
  auto const station = key_pair(1), agent = key_pair(2);
  DialerOptions options;
  options.clear = clear;
  Dialer dialer(
      station, agent.public_key, ipv4(10, 0, 0, 1, 4747), {"cylib 0.1.0", "station", {"a", "b"}},
      [] { return key_pair(3).secret_key.clone(); }, options, Random{Seed{1}});
  Outbox out;
  dialer.start(then, out);
  return copy_of(std::as_const(out).bytes(0));
}

TEST(Golden, DatagramsAreWrittenAsEver) {
  EXPECT_EQ(hex(hello_of(false)), golden("hello"));
  EXPECT_EQ(hex(hello_of(true)), golden("clear_hello"));
  EXPECT_EQ(hex(data_of(sealed_keys())), golden("data"));
  EXPECT_EQ(hex(data_of(ClearKeys{})), golden("clear_data"));
}

TEST(Golden, HellosAreReadAsEver) {
  for (auto const* name : {"hello", "clear_hello"}) {
    ListenerOptions options;
    options.allow_clear = options.clear_from_anywhere = true;
    World w{Seed{1}, options};
    w.keep = true;
    w.at_agent(unhex(golden(name)), ipv4(10, 0, 0, 2, 5000));
    EXPECT_EQ(w.listener->drops().total(), 0u) << name;
    ASSERT_EQ(w.agent_sent.size(), 1u) << name;
  }
}

TEST(Golden, DataIsReadAsEver) {
  for (auto const* name : {"data", "clear_data"}) {
    auto const clear = std::string(name) == "clear_data";
    Link link(clear ? Keys(ClearKeys{}) : receiving_keys(), 0x0d0e0f, 0x0a0b0c, ipv4(10, 0, 0, 2, 5000), {},
              then);
    auto datagram = unhex(golden(name));
    auto const messages = link.on_datagram(datagram, ipv4(10, 0, 0, 2, 5000), then);
    ASSERT_TRUE(messages) << name;
    wire::Walk walk(*messages);
    auto const message = walk.next();
    ASSERT_TRUE(message);
    EXPECT_EQ(message->type, 0xc001);
    EXPECT_EQ(text_of(message->payload), "golden");
    EXPECT_EQ(link.peer_stamp(), stamp_us(then));
  }
}

}  // namespace
}  // namespace cy::session
