// SPDX-License-Identifier: Apache-2.0
#include <openssl/err.h>

#include <utility>

#include "net/tls_stream.hpp"

namespace perdure {
inline namespace v0 {
namespace net {
namespace {

// The reason without OpenSSL's own details, which name the file.
Fail unusable(std::string_view option) {
    const char* const reason = ERR_reason_error_string(ERR_peek_error());
    std::string message = "TlsOptions::" + std::string{option} + " cannot be used";
    if (reason) message.append(": ").append(reason);
    ERR_clear_error();
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "tls-options",
                 .message = std::move(message)});
}

Result<void> trust(SSL_CTX* context, const TlsOptions& options) {
    if (options.verify == TlsVerify::off) return {};
    if (options.ca_file.empty() && options.ca_path.empty()) {
        if (!SSL_CTX_set_default_verify_paths(context)) return unusable("ca_file");
        return {};
    }
    if (!options.ca_file.empty() && !SSL_CTX_load_verify_file(context, options.ca_file.c_str()))
        return unusable("ca_file");
    if (!options.ca_path.empty() && !SSL_CTX_load_verify_dir(context, options.ca_path.c_str()))
        return unusable("ca_path");
    return {};
}

// OpenSSL would ask on the terminal for the password of a key.
int no_password(char*, int, int, void*) { return -1; }

Result<void> identify(SSL_CTX* context, const TlsOptions& options) {
    SSL_CTX_set_default_passwd_cb(context, no_password);
    if (options.certificate_file.empty()) {
        if (!options.key_file.empty()) return unusable("key_file");
        return {};
    }
    const char* const certificate = options.certificate_file.c_str();
    if (SSL_CTX_use_certificate_chain_file(context, certificate) != 1)
        return unusable("certificate_file");
    const char* const key = options.key_file.empty() ? certificate : options.key_file.c_str();
    if (SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(context) != 1)
        return unusable("key_file");
    return {};
}

void set_ways(SSL_CTX* context, const TlsOptions& options) {
    SSL_CTX_set_min_proto_version(context, options.least == TlsVersion::v1_3 ? TLS1_3_VERSION
                                                                             : TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY);
    // One system call for a record instead of two: its head and its body.
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_verify(context, options.verify == TlsVerify::on ? SSL_VERIFY_PEER : SSL_VERIFY_NONE,
                       nullptr);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, remember_session);
}

}  // namespace

Result<std::shared_ptr<TlsContext>> TlsContext::make(const TlsOptions& options) {
    ERR_clear_error();
    SslContext context{SSL_CTX_new(TLS_client_method())};
    if (!context) {
        ERR_clear_error();
        return fail({.cause = Cause::exhausted, .code = "tls", .message = "no memory for TLS"});
    }
    set_ways(context.get(), options);
    if (auto trusted = trust(context.get(), options); !trusted)
        return fail(std::move(trusted).error());
    if (auto identified = identify(context.get(), options); !identified)
        return fail(std::move(identified).error());
    ERR_clear_error();
    return std::make_shared<TlsContext>(std::make_shared<Inside>(std::move(context), options));
}

TlsContext::TlsContext(std::shared_ptr<Inside> inside) noexcept : inside_{std::move(inside)} {}

std::unique_ptr<TlsStream> TlsContext::over(Socket socket, std::string_view host,
                                            std::uint16_t port) {
    return tls_stream(inside_, std::move(socket), host, port);
}

std::size_t TlsContext::sessions() const { return inside_->sessions.count(); }

}  // namespace net
}  // namespace v0
}  // namespace perdure
