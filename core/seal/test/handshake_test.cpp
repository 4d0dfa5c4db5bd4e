#include <gtest/gtest.h>

#include "seal_fixture.hpp"
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace cy::seal {
namespace {

struct Vector {
  std::map<std::string, Buffer> fields;
  std::vector<std::pair<Buffer, Buffer>> messages;
};

std::vector<Vector> read_vectors() {
  std::ifstream in(CY_SOURCE_DIR "/core/seal/test/data/noise_ik.txt");
  std::vector<Vector> vectors;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string name, a, b;
    words >> name >> a >> b;
    if (name == "vector") {
      vectors.emplace_back();
    } else if (name == "message") {
      vectors.back().messages.emplace_back(from_hex(a), from_hex(b));
    } else if (!name.empty() && name != "#") {
      vectors.back().fields[name] = from_hex(a);
    }
  }
  return vectors;
}

Buffer seal_bare(Sealer& sealer, Bytes plain) {
  auto bytes = copy_of(plain);
  bytes.resize(plain.size() + tag_size);
  EXPECT_EQ(sealer.seal(bytes, plain.size(), {}), bytes.size());
  return bytes;
}

TEST(Handshake, passes_the_public_vectors) {
  auto const vectors = read_vectors();
  ASSERT_EQ(vectors.size(), 2U);
  for (auto const& vector : vectors) {
    auto const& f = vector.fields;
    auto const station = make_key_pair(key_from(f.at("init_static")));
    auto const agent = make_key_pair(key_from(f.at("resp_static")));
    ASSERT_EQ(copy_of(agent.public_key.bytes), f.at("init_remote_static"));
    Initiator initiator(station, agent.public_key, f.at("init_prologue"));
    Responder responder(agent, f.at("resp_prologue"));
    auto const& m = vector.messages;
    ASSERT_EQ(m.size(), 6U);

    auto const hello = initiator.write_hello(key_from(f.at("init_ephemeral")), m[0].first);
    ASSERT_TRUE(hello);
    EXPECT_EQ(*hello, m[0].second);
    auto const read = responder.read_hello(m[0].second);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->payload, m[0].first);
    EXPECT_EQ(read->initiator, station.public_key);

    EXPECT_EQ(responder.write_reply(key_from(f.at("resp_ephemeral")), m[1].first), m[1].second);
    auto const reply = initiator.read_reply(m[1].second);
    ASSERT_TRUE(reply);
    EXPECT_EQ(*reply, m[1].first);

    auto ours = initiator.split();
    auto theirs = responder.split();
    EXPECT_EQ(ours.hash, theirs.hash);
    if (f.contains("handshake_hash")) {
      EXPECT_EQ(copy_of(ours.hash), f.at("handshake_hash"));
    }

    Sealer sealers[] = {Sealer(std::move(ours.send)), Sealer(std::move(theirs.send))};
    Opener openers[] = {Opener(std::move(theirs.receive)), Opener(std::move(ours.receive))};
    for (std::size_t i = 2; i < m.size(); ++i) {
      auto const way = i % 2;
      EXPECT_EQ(seal_bare(sealers[way], m[i].first), m[i].second) << "message " << i;
      auto sealed = m[i].second;
      auto const opened = openers[way].open(sealed, {}, static_cast<std::uint32_t>(i / 2 - 1));
      ASSERT_TRUE(opened) << "message " << i;
      EXPECT_EQ(copy_of(opened->plain()), m[i].first);
      EXPECT_EQ(opened->sequence(), i / 2 - 1);
    }
  }
}

class HandshakeOfTwo : public testing::Test {
 protected:
  KeyPair station = make_key_pair(test_key(1));
  KeyPair agent = make_key_pair(test_key(2));
  Buffer prologue = copy_of(bytes_of("cylib 1"));
  Initiator initiator{station, agent.public_key, prologue};
  Responder responder{agent, prologue};
  Buffer hello = *initiator.write_hello(test_key(3), bytes_of("capabilities"));
};

TEST_F(HandshakeOfTwo, refuses_a_changed_hello_and_still_takes_the_right_one) {
  for (std::size_t i = 0; i < hello.size(); ++i) {
    for (auto const flip : {0x01, 0x80}) {
      auto changed = hello;
      changed[i] = static_cast<std::uint8_t>(changed[i] ^ flip);
      auto const read = responder.read_hello(changed);
      // X25519 ignores the top bit of a public key, but the hash does not.
      ASSERT_FALSE(read) << "byte " << i;
      EXPECT_EQ(read.error(), SealFault::bad_tag) << "byte " << i;
    }
  }
  ASSERT_TRUE(responder.read_hello(hello));
}

TEST_F(HandshakeOfTwo, refuses_a_changed_reply_and_still_takes_the_right_one) {
  ASSERT_TRUE(responder.read_hello(hello));
  auto const reply = responder.write_reply(test_key(4), bytes_of("welcome"));
  for (std::size_t i = 0; i < reply.size(); ++i) {
    auto changed = reply;
    changed[i] ^= 0x10;
    ASSERT_FALSE(initiator.read_reply(changed)) << "byte " << i;
  }
  for (std::size_t size = 0; size < reply.size(); ++size) {
    auto const read = initiator.read_reply(Bytes(reply).first(size));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error(), size < reply_overhead ? SealFault::short_ : SealFault::bad_tag);
  }
  auto const read = initiator.read_reply(reply);
  ASSERT_TRUE(read);
  EXPECT_EQ(text_of(*read), "welcome");
  EXPECT_EQ(initiator.split().hash, responder.split().hash);
}

TEST_F(HandshakeOfTwo, refuses_a_hello_cut_anywhere) {
  for (std::size_t size = 0; size < hello.size(); ++size) {
    auto const read = responder.read_hello(Bytes(hello).first(size));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error(), size < hello_overhead ? SealFault::short_ : SealFault::bad_tag);
  }
}

TEST_F(HandshakeOfTwo, refuses_a_hello_for_somebody_else_or_of_another_protocol) {
  auto const other = make_key_pair(test_key(9));
  Responder wrong_agent(other, prologue);
  EXPECT_EQ(wrong_agent.read_hello(hello).error(), SealFault::bad_tag);
  Responder wrong_protocol(agent, bytes_of("cylib 2"));
  EXPECT_EQ(wrong_protocol.read_hello(hello).error(), SealFault::bad_tag);
}

TEST_F(HandshakeOfTwo, refuses_keys_of_low_order) {
  auto zero_ephemeral = hello;
  std::fill_n(zero_ephemeral.begin(), key_size, std::uint8_t{0});
  EXPECT_EQ(responder.read_hello(zero_ephemeral).error(), SealFault::bad_key);
  Initiator misled(station, PublicKey{}, prologue);
  EXPECT_EQ(misled.write_hello(test_key(3), {}).error(), SealFault::bad_key);
  ASSERT_TRUE(responder.read_hello(hello));
  auto reply = responder.write_reply(test_key(4), {});
  std::fill_n(reply.begin(), key_size, std::uint8_t{0});
  EXPECT_EQ(initiator.read_reply(reply).error(), SealFault::bad_key);
}

TEST_F(HandshakeOfTwo, refuses_a_reply_by_somebody_who_lacks_the_responders_key) {
  // The thief knows everything that was sent, and answers with a key pair of its own.
  auto const thief = make_key_pair(test_key(8));
  Initiator to_thief(station, thief.public_key, prologue);
  auto const other_hello = *to_thief.write_hello(test_key(3), bytes_of("capabilities"));
  Responder stolen(thief, prologue);
  ASSERT_TRUE(stolen.read_hello(other_hello));
  EXPECT_EQ(initiator.read_reply(stolen.write_reply(test_key(4), {})).error(), SealFault::bad_tag);
}

TEST_F(HandshakeOfTwo, makes_other_keys_for_other_ephemerals) {
  ASSERT_TRUE(responder.read_hello(hello));
  ASSERT_TRUE(initiator.read_reply(responder.write_reply(test_key(4), {})));
  Responder again(agent, prologue);
  ASSERT_TRUE(again.read_hello(hello));
  again.write_reply(test_key(5), {});
  EXPECT_NE(again.split().hash, responder.split().hash);
  EXPECT_FALSE(std::ranges::equal(again.split().send.bytes(), responder.split().send.bytes()));
  EXPECT_TRUE(std::ranges::equal(initiator.split().receive.bytes(), responder.split().send.bytes()));
  EXPECT_FALSE(std::ranges::equal(initiator.split().receive.bytes(), initiator.split().send.bytes()));
}

using HandshakeDeathTest = HandshakeOfTwo;
TEST_F(HandshakeDeathTest, calls_out_of_order_are_a_broken_invariant) {
  EXPECT_DEATH(static_cast<void>(initiator.split()), "");
  EXPECT_DEATH(static_cast<void>(responder.write_reply(test_key(4), {})), "");
  EXPECT_DEATH(static_cast<void>(initiator.write_hello(test_key(4), {})), "");
}

}  // namespace
}  // namespace cy::seal
