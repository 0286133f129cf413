// SPDX-License-Identifier: Apache-2.0
//
// Who is at the other end, and who else can read along? TLS over a connected socket: at least 1.2,
// the certificate and the host name checked.
//
//     const auto tls = net::TlsContext::make({.ca_file = "ca.pem"});
//     auto stream = (*tls)->over(std::move(socket), "db.internal", 443);
//     const Io io = stream->handshake();
//     if (io.kind == IoKind::failed) return fail(net::tls_failure(*stream, io));
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "perdure/net/failures.hpp"
#include "perdure/net/socket.hpp"
#include "perdure/net/stream.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace net {

enum class TlsVerify : std::uint8_t { on, off };
enum class TlsVersion : std::uint8_t { v1_2, v1_3 };

struct TlsOptions {
    std::string ca_file{};  // PEM; with ca_path also empty, what the system trusts
    std::string ca_path{};
    std::string server_name{};       // asked for and checked instead of the host
    std::string certificate_file{};  // our own, PEM with its chain, if the server wants one
    std::string key_file{};          // its key; empty: in certificate_file too
    TlsVerify verify = TlsVerify::on;
    TlsVersion least = TlsVersion::v1_2;
    std::size_t sessions = 100;  // remembered, so that a second handshake is a short one
};

// As any stream, used by one thread at a time.
//
// A write that would block may have put part of a record on the wire, which no server can read
// without the rest. It is finished by a write that begins with the same bytes, wherever they now
// lie. A failed `Io` carries the system's error, or EKEYREJECTED where one side refused the other's
// certificate, or EPROTO for any other trouble of TLS; an end without TLS's own goodbye is such
// trouble, because anybody can forge it.
class TlsStream : public Stream {
public:
    // Whether the handshake was a short one, from a remembered session.
    [[nodiscard]] virtual bool resumed() const noexcept = 0;
    // "TLSv1.3"; empty before the handshake is done.
    [[nodiscard]] virtual std::string_view version() const noexcept = 0;
};

// Shared by threads. Streams keep what they need of it alive.
class TlsContext {
public:
    // Cause `invalid` for a file that cannot be used. Names the option, never the path.
    static Result<std::shared_ptr<TlsContext>> make(const TlsOptions& options);

    // The host is what the caller asked for: a name or a numeric address, as in a URL. A certificate
    // must name it in its subjectAltName; its common name is not looked at.
    [[nodiscard]] std::unique_ptr<TlsStream> over(Socket socket, std::string_view host,
                                                  std::uint16_t port);
    // How many sessions are remembered now.
    [[nodiscard]] std::size_t sessions() const;

    struct Inside;
    explicit TlsContext(std::shared_ptr<Inside> inside) noexcept;

private:
    std::shared_ptr<Inside> inside_;
};

// What a failed or closed stream means; plain streams too. A refused certificate is `forbidden`,
// code "tls-certificate": no repetition makes it a better one, and no request was looked at. Other
// trouble of TLS is `unavailable`, code "tls". The rest is failure_of().
Failure tls_failure(const Stream& stream, Io io, Doing doing = Doing::handshaking);

}  // namespace net
}  // namespace v0
}  // namespace perdure
