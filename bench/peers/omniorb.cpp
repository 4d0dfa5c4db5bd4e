// omniORB: a two-way CORBA call over TCP, in clear and through its TLS transport.
#include <fmt/format.h>
#include <omniORB4/CORBA.h>
#include <unistd.h>

#include "echo.hh"
#include "make.hpp"
#include "server_process.hpp"
#include <algorithm>
#include <filesystem>
#include <fstream>
#ifdef CY_BENCH_OMNIORB_TLS
#include <omniORB4/sslContext.h>

#include "certificate.hpp"
#endif

namespace cy::bench {
namespace {

[[noreturn]] void fail(std::string_view system, CORBA::SystemException const& e) {
  throw std::runtime_error(fmt::format("{}: CORBA::{}, minor {}", system, e._name(), e.NP_minorString()));
}

CORBA::ORB_var make_orb(std::vector<std::string> words) {
  // Without the warning that a process without credentials has no TLS.
  words.insert(words.begin(), {"bench_link", "-ORBtraceLevel", "0"});
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  auto argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  return CORBA::ORB_init(argc, argv.data());
}

#ifdef CY_BENCH_OMNIORB_TLS
// A folder with a key and a self-signed certificate for both sides, gone with the process.
class Credentials {
 public:
  Credentials() {
    auto pattern = (std::filesystem::temp_directory_path() / "cy-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("omniorb_tls: no temporary folder");
    folder_ = pattern;
    write_certificate(file());
  }
  ~Credentials() {
    std::error_code ignored;  // what is left of a temporary folder hurts nobody
    std::filesystem::remove_all(folder_, ignored);
  }
  Credentials(Credentials const&) = delete;
  Credentials& operator=(Credentials const&) = delete;
  std::string file() const { return folder_ / "both.pem"; }

 private:
  std::filesystem::path folder_;
};

Credentials const& credentials() {
  static Credentials const one;
  return one;
}

// omniORB keeps the pointers, so the text must stay.
void use_credentials(std::string const& file) {
  static std::string kept;
  kept = file;
  sslContext::certificate_authority_file = kept.c_str();
  sslContext::key_file = kept.c_str();
  sslContext::key_file_password = "";
}
#endif

// One ORB a process: omniORB has no more. It reaches servers by TCP and by TLS, as their
// references say.
CORBA::ORB_ptr client_orb() {
  static CORBA::ORB_var const orb = [] {
#ifdef CY_BENCH_OMNIORB_TLS
    use_credentials(credentials().file());
    return make_orb({"-ORBclientTransportRule", "* ssl,tcp"});
#else
    return make_orb({});
#endif
  }();
  return orb;
}

class OmniOrb final : public Peer {
 public:
  explicit OmniOrb(bool tls) : tls_(tls) {}

  std::string_view name() const override { return tls_ ? "omniorb_tls" : "omniorb"; }

  void start(PeerOptions const& options) override {
    auto const orb = client_orb();
    std::vector<std::string> arguments;
#ifdef CY_BENCH_OMNIORB_TLS
    if (tls_) arguments.push_back(credentials().file());
#endif
    auto const announced = server_.start(name(), options, arguments);
    try {
      CORBA::Object_var const object = orb->string_to_object(announced.at(0).c_str());
      echo_ = CyBench::Echo::_narrow(object);
      if (CORBA::is_nil(echo_)) throw std::runtime_error(fmt::format("{}: not an echo", name()));
      omniORB::setClientCallTimeout(echo_, static_cast<CORBA::ULong>(options.timeout.count()));
    } catch (CORBA::SystemException const& e) {
      fail(name(), e);
    }
  }

  bool round_trip(Bytes payload) override {
    auto const size = static_cast<CORBA::ULong>(payload.size());
    // omniORB only reads what it is lent here.
    CyBench::Octets const lent(size, size, const_cast<CORBA::Octet*>(payload.data()), false);
    try {
      CyBench::Octets_var const answer = echo_->repeat(lent);
      if (!std::equal(payload.begin(), payload.end(), answer->get_buffer(),
                      answer->get_buffer() + answer->length()))
        throw WrongAnswer(std::string(name()));
    } catch (CORBA::TIMEOUT const&) {
      return false;
    } catch (CORBA::TRANSIENT const&) {
      return false;
    } catch (CORBA::SystemException const& e) {
      fail(name(), e);
    }
    return true;
  }

 private:
  bool tls_;
  ServerProcess server_;
  CyBench::Echo_var echo_;
};

class EchoServant final : public POA_CyBench::Echo {
 public:
  CyBench::Octets* repeat(CyBench::Octets const& payload) override { return new CyBench::Octets(payload); }
};

int serve(std::string const& endpoint, std::string_view system) {
  try {
    auto const orb = make_orb({"-ORBendPoint", endpoint});
    CORBA::Object_var const object = orb->resolve_initial_references("RootPOA");
    PortableServer::POA_var const poa = PortableServer::POA::_narrow(object);
    PortableServer::POAManager_var const manager = poa->the_POAManager();
    manager->activate();
    EchoServant servant;
    PortableServer::ObjectId_var const id = poa->activate_object(&servant);
    CyBench::Echo_var const echo = servant._this();
    CORBA::String_var const reference = orb->object_to_string(echo);
    announce(std::string(reference));
    end_with_parent();
    orb->run();
  } catch (CORBA::SystemException const& e) {
    fail(system, e);
  }
  return 0;
}

}  // namespace

std::unique_ptr<Peer> make_omniorb() {
  return std::make_unique<OmniOrb>(false);
}

int serve_omniorb(std::vector<std::string> const& arguments) {
  return serve(fmt::format("giop:tcp:{}:0", arguments.at(0)), "omniorb");
}

#ifdef CY_BENCH_OMNIORB_TLS
std::unique_ptr<Peer> make_omniorb_tls() {
  return std::make_unique<OmniOrb>(true);
}

int serve_omniorb_tls(std::vector<std::string> const& arguments) {
  use_credentials(arguments.at(1));
  return serve(fmt::format("giop:ssl:{}:0", arguments.at(0)), "omniorb_tls");
}
#endif

}  // namespace cy::bench
