// SPDX-License-Identifier: Apache-2.0
//
// OpenSSL's objects with an owner.
#pragma once

#include <openssl/ssl.h>

#include <memory>

namespace perdure {
inline namespace v0 {
namespace net {

template <auto free>
struct FreedBy {
    template <class T>
    void operator()(T* object) const noexcept {
        free(object);
    }
};

using SslContext = std::unique_ptr<SSL_CTX, FreedBy<SSL_CTX_free>>;
using Ssl = std::unique_ptr<SSL, FreedBy<SSL_free>>;
using SslSession = std::unique_ptr<SSL_SESSION, FreedBy<SSL_SESSION_free>>;

}  // namespace net
}  // namespace v0
}  // namespace perdure
