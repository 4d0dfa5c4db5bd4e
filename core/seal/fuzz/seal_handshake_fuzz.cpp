// Foreign bytes at every state of the handshake and of the transport. The first byte picks the
// state; the rest is one message, or several datagrams with a length byte before each.
// Invariants: bytes that no key holder wrote are refused, and afterwards the right ones work.
#include <cy/base/check.hpp>
#include <cy/seal/clear.hpp>
#include <cy/seal/handshake.hpp>
#include <cy/seal/transport.hpp>

using namespace cy;
using namespace cy::seal;

namespace {

SecretKey key_of(std::uint8_t fill) {
  SecretKey key;
  for (auto& byte : key.bytes()) byte = fill;
  return key;
}

struct Two {
  KeyPair station = make_key_pair(key_of(1));
  KeyPair agent = make_key_pair(key_of(2));
  Initiator initiator{station, agent.public_key, bytes_of("fuzz")};
  Responder responder{agent, bytes_of("fuzz")};
  Buffer hello = *initiator.write_hello(key_of(3), bytes_of("hello"));
};

// `changes` are exclusive-ored over a right message: the fuzzer gets past the lengths at once.
Buffer changed(Buffer message, Bytes changes) {
  for (std::size_t i = 0; i < changes.size() && i < message.size(); ++i) message[i] ^= changes[i];
  return message;
}

void hello_state(Bytes input, bool over_the_right_one) {
  Two two;
  auto const message = over_the_right_one ? changed(two.hello, input) : copy_of(input);
  if (message != two.hello) CY_CHECK(!two.responder.read_hello(message));
  CY_CHECK(two.responder.read_hello(two.hello));
}

void reply_state(Bytes input, bool over_the_right_one) {
  Two two;
  CY_CHECK(two.responder.read_hello(two.hello));
  auto const reply = two.responder.write_reply(key_of(4), bytes_of("reply"));
  auto const message = over_the_right_one ? changed(reply, input) : copy_of(input);
  if (message != reply) CY_CHECK(!two.initiator.read_reply(message));
  CY_CHECK(two.initiator.read_reply(reply));
  CY_CHECK(two.initiator.split().hash == two.responder.split().hash);
}

void transport_state(Bytes input) {
  Sealer sealer{CipherKey(key_of(5).bytes())};
  Opener opener{CipherKey(key_of(5).bytes())};
  Buffer const head{1, 2, 3, 4};
  while (input.size() >= 5) {
    auto const size = std::min<std::size_t>(input[0], input.size() - 5);
    auto const low = load_le<std::uint32_t>(input.data() + 1);
    auto forged = copy_of(input.subspan(5, size));
    auto const before = opener.next_sequence();
    CY_CHECK(!opener.open(forged, head, low));
    CY_CHECK(opener.next_sequence() == before);
    if ((low & 7) == 0) sealer.advance_epoch();
    Buffer right(size + tag_size, 0x55);
    auto const sequence = sealer.next_sequence();
    sealer.seal(right, size, head);
    auto const opened = opener.open(right, head, static_cast<std::uint32_t>(sequence));
    CY_CHECK(opened && opened->sequence() == sequence && opened->plain().size() == size);
    input = input.subspan(5 + size);
  }
}

void clear_state(Bytes input) {
  ClearOpener opener;
  while (input.size() >= 5) {
    auto const size = std::min<std::size_t>(input[0], input.size() - 5);
    auto const low = load_le<std::uint32_t>(input.data() + 1);
    auto datagram = copy_of(input.subspan(5, size));
    auto const opened = opener.open(datagram, {}, low);
    if (opened) {
      CY_CHECK(opened->plain().size() + check_size == size);
      CY_CHECK(opener.open(datagram, {}, low).error() == SealFault::replayed);
    }
    input = input.subspan(5 + size);
  }
}

void key_state(Bytes input) {
  auto const key = parse_public_key(text_of(input));
  if (key) CY_CHECK(parse_public_key(to_text(*key)).value() == *key);
  static_cast<void>(parse_secret_key(text_of(input)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  Bytes const input(data + 1, size - 1);
  switch (data[0] % 7) {
    case 0:
      hello_state(input, false);
      break;
    case 1:
      hello_state(input, true);
      break;
    case 2:
      reply_state(input, false);
      break;
    case 3:
      reply_state(input, true);
      break;
    case 4:
      transport_state(input);
      break;
    case 5:
      clear_state(input);
      break;
    default:
      key_state(input);
      break;
  }
  return 0;
}
