// SPDX-License-Identifier: Apache-2.0
//
// Certificates for one test, made in memory.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>
#include <string>

namespace perdure::testing {

template <auto free>
struct FreedBy {
    template <class T>
    void operator()(T* object) const noexcept {
        free(object);
    }
};
using Key = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, FreedBy<X509_free>>;

struct Identity {
    Key key;
    Certificate certificate;
};

inline void extend(X509* x509, int what, const char* value) {
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value);
    X509_add_ext(x509, extension, -1);
    X509_EXTENSION_free(extension);
}

// `alternatives` as OpenSSL writes them ("DNS:a,IP:127.0.0.1"), may be empty. Without an issuer it
// is signed by itself.
inline Identity make_identity(const std::string& alternatives, const char* common_name = "test",
                              long valid_for_seconds = 3600, const Identity* issuer = nullptr) {
    Identity made{Key{EVP_EC_gen("P-256")}, Certificate{X509_new()}};
    X509* const x509 = made.certificate.get();
    X509_set_version(x509, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
    X509_gmtime_adj(X509_getm_notBefore(x509), -7200);
    X509_gmtime_adj(X509_getm_notAfter(x509), valid_for_seconds);
    X509_set_pubkey(x509, made.key.get());
    X509_NAME* const name = X509_get_subject_name(x509);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(common_name), -1, -1, 0);
    X509_set_issuer_name(x509, issuer ? X509_get_subject_name(issuer->certificate.get()) : name);
    if (!issuer) extend(x509, NID_basic_constraints, "critical,CA:TRUE");
    if (!alternatives.empty()) extend(x509, NID_subject_alt_name, alternatives.c_str());
    X509_sign(x509, issuer ? issuer->key.get() : made.key.get(), EVP_sha256());
    return made;
}

// The certificate and its key in one file.
inline void write_pem(std::FILE* file, const Identity& identity, const char* password = nullptr) {
    PEM_write_X509(file, identity.certificate.get());
    PEM_write_PrivateKey(file, identity.key.get(), password ? EVP_aes_128_cbc() : nullptr, nullptr,
                         0, nullptr, const_cast<char*>(password));
}

}  // namespace perdure::testing
