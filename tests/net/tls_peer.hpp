// SPDX-License-Identifier: Apache-2.0
//
// A TLS server in memory, at the other end of a socket pair: no threads, no waiting.
#pragma once

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "net/tls_identity.hpp"
#include "perdure/net/socket.hpp"
#include "perdure/net/tls.hpp"

namespace perdure::testing {

using ServerContext = std::unique_ptr<SSL_CTX, FreedBy<SSL_CTX_free>>;
using ServerSide = std::unique_ptr<SSL, FreedBy<SSL_free>>;

// Removed at the end of the test.
class PemFile {
public:
    explicit PemFile(const Identity& identity, const char* password = nullptr) {
        const int fd = ::mkstemp(path_.data());
        std::FILE* const file = ::fdopen(fd, "w");
        write_pem(file, identity, password);
        std::fclose(file);
    }
    PemFile(const PemFile&) = delete;
    PemFile& operator=(const PemFile&) = delete;
    ~PemFile() { ::unlink(path_.c_str()); }

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    std::string path_ = "/tmp/perdure-tls-XXXXXX";
};

struct ServerOptions {
    int most_version = TLS1_3_VERSION;
    int verify = SSL_VERIFY_NONE;  // of the client's certificate
};

inline ServerContext make_server(const Identity& identity, ServerOptions options = {}) {
    ServerContext context{SSL_CTX_new(TLS_server_method())};
    SSL_CTX_use_certificate(context.get(), identity.certificate.get());
    SSL_CTX_use_PrivateKey(context.get(), identity.key.get());
    SSL_CTX_set_max_proto_version(context.get(), options.most_version);
    SSL_CTX_set_verify(context.get(), options.verify, nullptr);
    constexpr unsigned char id[] = "perdure";
    SSL_CTX_set_session_id_context(context.get(), id, sizeof id);
    return context;
}

// Both ends of one connection, turned in lockstep by one thread.
class Link {
public:
    Link(net::TlsContext& client_context, SSL_CTX* server_context, std::string_view host,
         std::uint16_t port = 443) {
        int ends[2] = {-1, -1};
        if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) return;
        client = client_context.over(net::Socket{ends[0]}, host, port);
        far = net::Socket{ends[1]};
        server.reset(SSL_new(server_context));
        SSL_set_fd(server.get(), far.fd());
        SSL_set_accept_state(server.get());
    }

    // The last answer of the client's handshake.
    [[nodiscard]] net::Io shake_hands() const {
        net::Io io{.kind = net::IoKind::would_block};
        bool far_done = false;
        for (int round = 0; round < 20 && io.kind == net::IoKind::would_block; ++round) {
            io = client->handshake();
            far_done = far_done || SSL_do_handshake(server.get()) == 1;
            ERR_clear_error();
        }
        if (io.kind == net::IoKind::done && !far_done) SSL_do_handshake(server.get());
        ERR_clear_error();
        return io;
    }
    void say(std::string_view text) const {
        SSL_write(server.get(), text.data(), static_cast<int>(text.size()));
    }
    [[nodiscard]] std::string hear(std::size_t most = 100) const {
        std::string text(most, '\0');
        std::size_t bytes = 0;
        SSL_read_ex(server.get(), text.data(), most, &bytes);
        ERR_clear_error();
        text.resize(bytes);
        return text;
    }
    // What the client reads next; the last Io is kept.
    std::string read() {
        char buffer[100];
        last = client->read(buffer);
        return std::string(buffer, last.bytes);
    }
    void close_far() {
        SSL_set_quiet_shutdown(server.get(), 1);
        server.reset();
        far.close();
    }

    std::unique_ptr<net::TlsStream> client;
    net::Socket far;
    ServerSide server;
    net::Io last;
};

}  // namespace perdure::testing
