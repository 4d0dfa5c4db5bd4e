#include "certificate.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace cy::bench {
namespace {

struct Free {
  void operator()(EVP_PKEY* p) const { EVP_PKEY_free(p); }
  void operator()(X509* p) const { X509_free(p); }
  void operator()(X509_EXTENSION* p) const { X509_EXTENSION_free(p); }
  void operator()(std::FILE* p) const { std::fclose(p); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

void require(bool good) {
  if (!good) throw std::runtime_error("OpenSSL cannot make a certificate");
}

}  // namespace

void write_certificate(std::string const& file) {
  Owned<EVP_PKEY> const key(EVP_EC_gen("P-256"));
  Owned<X509> const certificate(X509_new());
  require(key != nullptr && certificate != nullptr);
  auto* const x = certificate.get();
  require(X509_set_version(x, X509_VERSION_3) == 1);
  require(ASN1_INTEGER_set(X509_get_serialNumber(x), 1) == 1);
  require(X509_gmtime_adj(X509_getm_notBefore(x), -3600) != nullptr);
  require(X509_gmtime_adj(X509_getm_notAfter(x), 24 * 3600) != nullptr);
  require(X509_set_pubkey(x, key.get()) == 1);
  auto* const subject = X509_get_subject_name(x);
  unsigned char const name[] = "cy bench";
  require(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0) == 1);
  require(X509_set_issuer_name(x, subject) == 1);
  Owned<X509_EXTENSION> const authority(
      X509V3_EXT_conf_nid(nullptr, nullptr, NID_basic_constraints, "critical,CA:TRUE"));
  require(authority != nullptr && X509_add_ext(x, authority.get(), -1) == 1);
  require(X509_sign(x, key.get(), EVP_sha256()) > 0);

  auto const fd = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  require(fd >= 0);
  Owned<std::FILE> const out(fdopen(fd, "w"));
  require(out != nullptr);
  require(PEM_write_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1);
  require(PEM_write_X509(out.get(), x) == 1);
}

}  // namespace cy::bench
