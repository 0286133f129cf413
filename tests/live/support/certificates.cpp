// SPDX-License-Identifier: Apache-2.0
#include "live/support/certificates.hpp"

#include <cstdio>

#include "net/tls_identity.hpp"

namespace perdure::live {
namespace {

using perdure::testing::Identity;
using perdure::testing::make_identity;

constexpr long an_hour = 3600;
const char* const names = "DNS:localhost,IP:127.0.0.1,IP:::1";

std::string save(const TempDir& home, const char* name, const Identity& identity) {
    const std::string path = home.file(name);
    std::FILE* const file = std::fopen(path.c_str(), "we");
    perdure::testing::write_pem(file, identity);
    std::fclose(file);
    return path;
}

}  // namespace

Certificates::Certificates(const TempDir& home) {
    const Identity authority = make_identity("", "perdure test authority");
    const auto issue = [&](const char* name, const char* alternatives, long valid_for) {
        return save(home, name, make_identity(alternatives, name, valid_for, &authority));
    };
    ca = save(home, "ca.pem", authority);
    good = issue("good.pem", names, an_hour);
    wrong_name = issue("wrong_name.pem", "DNS:elsewhere.invalid", an_hour);
    expired = issue("expired.pem", names, -an_hour);
    self_signed = save(home, "self_signed.pem", make_identity(names, "self_signed.pem"));
    client = issue("client.pem", "DNS:client.invalid", an_hour);
}

}  // namespace perdure::live
