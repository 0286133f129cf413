// SPDX-License-Identifier: Apache-2.0
#include "net/tls_stream.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "net/tls_wire.hpp"
#include "perdure/net/address.hpp"

namespace perdure {
inline namespace v0 {
namespace net {
namespace {

// The server's words about our certificate.
bool refuses_certificate(unsigned long error) {
    if (ERR_GET_LIB(error) != ERR_LIB_SSL) return false;
    switch (ERR_GET_REASON(error)) {
        case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
        case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
        case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
        case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
        case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
        case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
        case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
        case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED: return true;
        default: return false;
    }
}

class OpenSslStream final : public TlsStream {
public:
    OpenSslStream(std::shared_ptr<TlsContext::Inside> inside, Socket socket, std::string_view host,
                  std::uint16_t port)
        : inside_{std::move(inside)}, peer_{std::to_string(port).append(":").append(host)} {
        wire_.socket = std::move(socket);
        ERR_clear_error();
        if (!open()) {
            end(ENOMEM, "no memory for TLS");
        } else if (!ask_for(inside_->server_name.empty() ? host : inside_->server_name)) {
            end(EKEYREJECTED, "no host name that a certificate could be checked for");
        }
        ERR_clear_error();
    }
    ~OpenSslStream() override { say_goodbye(); }

    Io handshake() override {
        if (ended_) return *ended_;
        if (done_) return {};
        ERR_clear_error();
        wire_.begin();
        const int answer = SSL_do_handshake(ssl_.get());
        if (answer != 1) return not_done(answer);
        done_ = true;
        return {};
    }
    Io read(std::span<char> into) override {
        if (ended_) return *ended_;
        ERR_clear_error();
        std::size_t bytes = 0;
        wire_.begin();
        const int answer = SSL_read_ex(ssl_.get(), into.data(), into.size(), &bytes);
        if (answer == 1) return Io{.bytes = bytes};
        const Io io = not_done(answer);
        return io.kind == IoKind::would_block && wire_.paused ? Io{} : io;
    }
    Io write(std::string_view text) override {
        if (ended_) return *ended_;
        ERR_clear_error();
        std::size_t bytes = 0;
        wire_.begin();
        const int answer = SSL_write_ex(ssl_.get(), text.data(), text.size(), &bytes);
        return answer == 1 ? Io{.bytes = bytes} : not_done(answer);
    }
    [[nodiscard]] Ready blocked_on() const noexcept override { return blocked_on_; }
    [[nodiscard]] bool quiet() override;
    [[nodiscard]] std::string_view trouble() const noexcept override { return trouble_; }
    [[nodiscard]] int fd() const noexcept override { return wire_.socket.fd(); }
    void reset() noexcept override;

    [[nodiscard]] bool resumed() const noexcept override {
        return done_ && SSL_session_reused(ssl_.get()) == 1;
    }
    [[nodiscard]] std::string_view version() const noexcept override {
        return done_ ? SSL_get_version(ssl_.get()) : "";
    }

    void remember(SslSession session) { inside_->sessions.put(peer_, std::move(session)); }

private:
    bool open();
    bool ask_for(std::string_view name);
    Io not_done(int answer);
    Io explain();
    Io end(int error, std::string_view why);
    void say_goodbye() noexcept;

    std::shared_ptr<TlsContext::Inside> inside_;
    std::string peer_;  // the port first, which no host name can imitate
    TlsWire wire_;
    Ssl ssl_;  // after the wire, so that it goes first
    std::string trouble_;
    std::optional<Io> ended_;
    Ready blocked_on_ = Ready::read;
    bool done_ = false;
};

bool OpenSslStream::open() {
    ssl_.reset(SSL_new(inside_->context.get()));
    BIO* const bio = ssl_ ? bio_over(wire_) : nullptr;
    if (!bio) return false;
    SSL_set_bio(ssl_.get(), bio, bio);
    SSL_set_app_data(ssl_.get(), this);
    SSL_set_connect_state(ssl_.get());
    if (const SslSession session = inside_->sessions.take(peer_))
        SSL_set_session(ssl_.get(), session.get());
    return true;
}

bool OpenSslStream::ask_for(std::string_view name) {
    X509_VERIFY_PARAM* const check = SSL_get0_param(ssl_.get());
    if (const auto address = Address::parse(name, 0)) {
        const std::string host = address->host();
        return X509_VERIFY_PARAM_set1_ip_asc(check, host.substr(0, host.find('%')).c_str()) == 1;
    }
    if (name.ends_with('.')) name.remove_suffix(1);
    // OpenSSL takes an empty name for the wish to check none.
    if (name.empty()) return inside_->verify == TlsVerify::off;
    X509_VERIFY_PARAM_set_hostflags(check, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
                                               X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
    return X509_VERIFY_PARAM_set1_host(check, name.data(), name.size()) == 1 &&
           SSL_set_tlsext_host_name(ssl_.get(), std::string{name}.c_str()) == 1;
}

Io OpenSslStream::not_done(int answer) {
    switch (SSL_get_error(ssl_.get(), answer)) {
        case SSL_ERROR_WANT_READ: blocked_on_ = Ready::read; return {.kind = IoKind::would_block};
        case SSL_ERROR_WANT_WRITE: blocked_on_ = Ready::write; return {.kind = IoKind::would_block};
        case SSL_ERROR_ZERO_RETURN: ended_ = Io{.kind = IoKind::closed}; return *ended_;
        default: return explain();
    }
}

Io OpenSslStream::explain() {
    const unsigned long error = ERR_peek_error();
    const long verdict = done_ ? X509_V_OK : SSL_get_verify_result(ssl_.get());
    if (verdict != X509_V_OK && inside_->verify == TlsVerify::on)
        return end(EKEYREJECTED, X509_verify_cert_error_string(verdict));
    if (error == 0 && wire_.error != 0) return end(wire_.error, "");
    const char* const reason = ERR_reason_error_string(error);
    return end(refuses_certificate(error) ? EKEYREJECTED : EPROTO, reason ? reason : "TLS failed");
}

Io OpenSslStream::end(int error, std::string_view why) {
    trouble_ = why;
    ended_ = Io{.kind = IoKind::failed, .error = error};
    ERR_clear_error();
    return *ended_;
}

bool OpenSslStream::quiet() {
    if (ended_ || !done_) return false;
    if (SSL_has_pending(ssl_.get()) == 0 && wire_.socket.quiet()) return true;
    // There is something: a ticket is taken in by looking, and then nothing is left.
    ERR_clear_error();
    char first = 0;
    std::size_t bytes = 0;
    wire_.begin();
    const int answer = SSL_peek_ex(ssl_.get(), &first, 1, &bytes);
    if (answer == 1 || wire_.paused) return false;
    return not_done(answer).kind == IoKind::would_block && blocked_on_ == Ready::read &&
           SSL_has_pending(ssl_.get()) == 0;
}

void OpenSslStream::reset() noexcept {
    if (!ended_) ended_ = Io{.kind = IoKind::closed};
    wire_.socket.reset();
}

void OpenSslStream::say_goodbye() noexcept {
    if (ended_ || !done_) return;
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
    ERR_clear_error();
}

}  // namespace

std::unique_ptr<TlsStream> tls_stream(std::shared_ptr<TlsContext::Inside> inside, Socket socket,
                                      std::string_view host, std::uint16_t port) {
    return std::make_unique<OpenSslStream>(std::move(inside), std::move(socket), host, port);
}

int remember_session(SSL* ssl, SSL_SESSION* session) {
    // A copy: a connection that does not end with a goodbye takes its own session along.
    if (SslSession copy{SSL_SESSION_dup(session)})
        static_cast<OpenSslStream*>(SSL_get_app_data(ssl))->remember(std::move(copy));
    return 0;
}

}  // namespace net
}  // namespace v0
}  // namespace perdure
