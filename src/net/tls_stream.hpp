// SPDX-License-Identifier: Apache-2.0
//
// What does a TLS context hold, and how is a stream made from it?
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "net/tls_handles.hpp"
#include "net/tls_sessions.hpp"
#include "perdure/net/tls.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

// Unchanged once made, apart from the sessions; any thread.
struct TlsContext::Inside {
    Inside(SslContext made, const TlsOptions& options)
        : context{std::move(made)},
          server_name{options.server_name},
          verify{options.verify},
          sessions{options.sessions} {}

    SslContext context;
    std::string server_name;
    TlsVerify verify;
    TlsSessions sessions;
};

std::unique_ptr<TlsStream> tls_stream(std::shared_ptr<TlsContext::Inside> inside, Socket socket,
                                      std::string_view host, std::uint16_t port);
// OpenSSL calls this with a stream's SSL when its server has given a session; 0: we keep no reference.
int remember_session(SSL* ssl, SSL_SESSION* session);

}  // namespace net
}  // namespace v0
}  // namespace perdure
