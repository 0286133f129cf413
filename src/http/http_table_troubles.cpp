// SPDX-License-Identifier: Apache-2.0
//
// What can go wrong without an answer, in the order of a request's phases. Until the first byte is
// sent nothing can have happened; from then on it is unknown, whatever the trouble's name.
#include <algorithm>
#include <array>

#include "perdure/http/classify.hpp"

namespace perdure {
inline namespace v0 {
namespace http {

namespace {
namespace trouble_table {

using enum Cause;

constexpr std::string_view here = "perdure";
constexpr std::string_view posix = "POSIX <errno.h>";
constexpr std::string_view lost = "Lost on the way. Effect none while no byte of the request was "
                                  "sent, unknown after.";
// The place itself is out of reach: look elsewhere, and let others do so too.
constexpr RemedySet elsewhere = Remedy::next_endpoint | Remedy::mark_endpoint;

// Wrong before anybody was asked.
constexpr StatusRow refused(std::string_view code, std::string_view name, std::string_view why) {
    return {.code = code, .name = name, .cause = invalid, .why = why, .source = here};
}

// Something of our own ran out: the service is not to blame, and no endpoint.
constexpr StatusRow ran_out(std::string_view code, std::string_view name, std::string_view why,
                            std::string_view source, Effect effect = Effect::none) {
    return {.code = code,
            .name = name,
            .cause = exhausted,
            .effect = effect,
            .why = why,
            .source = source};
}

// No address, so nothing was sent. A name server that fails says nothing about the endpoint: no mark.
constexpr StatusRow no_address(std::string_view code, std::string_view name,
                               Cause cause = unavailable,
                               RemedySet remedies = Remedy::next_endpoint) {
    return {.code = code,
            .name = name,
            .cause = cause,
            .effect = Effect::none,
            .remedies = remedies,
            .why = "Without an address nothing is sent.",
            .source = code.starts_with("ARES_") ? "c-ares" : here};
}

constexpr StatusRow out_of_reach(std::string_view code, std::string_view name, Cause cause,
                                 Effect effect, std::string_view why, std::string_view source) {
    return {.code = code,
            .name = name,
            .cause = cause,
            .effect = effect,
            .remedies = elsewhere,
            .why = why,
            .source = source};
}

constexpr StatusRow broke_off(std::string_view code, std::string_view name, Cause cause,
                              RemedySet remedies, std::string_view why, std::string_view source) {
    return {.code = code,
            .name = name,
            .cause = cause,
            .effect = Effect::unknown,
            .remedies = remedies,
            .why = why,
            .source = source};
}

constexpr RemedySet fresh = Remedy::fresh_connection;
constexpr RemedySet next = Remedy::next_endpoint;

constexpr auto rows = std::to_array<StatusRow>({
    refused("invalid-request", "request refused before it was sent",
            "A header, the method or the target cannot be sent as it is."),
    refused("invalid-url", "no URL of http or https",
            "The URL cannot be read, so nobody was asked."),
    refused("invalid-client", "client options that cannot be meant",
            "The client was made with options that contradict each other."),
    refused("invalid-proxy", "no proxy that can be used",
            "The proxy's URL cannot be read, so nobody was asked."),
    refused("redirect-body", "redirect that would take the body to another origin",
            "A body goes to another origin only if the client's options allow it. A redirect with "
            "307 or 308 has no effect, one with 301 or 302 an unknown one."),
    refused("tls-options", "TLS options that cannot be used",
            "A certificate, a key or a list of authorities cannot be read."),
    {.code = "not-ready",
     .name = "not ready to be sent in time",
     .cause = timed_out,
     .effect = Effect::none,
     .why = "Something the request needs, such as keys or the way there, was still being fetched.",
     .source = here},
    ran_out("pool-full", "no connection free in time",
            "All connections we allow ourselves were busy until the time was over.", here),
    ran_out("too-many-routes", "no connections to one more place",
            "Requests to 200 places besides the given endpoints are under way.", here),
    no_address("dns-timeout", "no name server answered in time", timed_out),
    ran_out("dns-queue-full", "too many names looked up at once",
            "Our own limit for names under way is reached.", here),
    no_address("dns-cancelled", "lookup given up", cancelled, {}),
    no_address("dns-error", "lookup failed"),
    no_address("no-address", "no address to connect to"),
    no_address("ARES_ENOTFOUND", "no such host", unavailable, elsewhere),
    no_address("ARES_ENONAME", "no such host", unavailable, elsewhere),
    no_address("ARES_ENODATA", "the name has no addresses", unavailable, elsewhere),
    no_address("ARES_ESERVFAIL", "the name server failed"),
    no_address("ARES_EREFUSED", "the name server refused to answer"),
    no_address("ARES_ENOTIMP", "the name server does not know how"),
    no_address("ARES_EFORMERR", "the name server misread the question"),
    no_address("ARES_EBADRESP", "the name server's answer is unreadable"),
    no_address("ARES_ECONNREFUSED", "no name server gave an answer"),
    no_address("ARES_EBADNAME", "this cannot be the name of a host", invalid, {}),
    no_address("ARES_EBADSTR", "the list of name servers is unreadable", invalid, {}),
    no_address("ARES_ENOMEM", "out of memory", exhausted, {}),
    ran_out("EMFILE", "too many open files", "Our own process has no descriptor left.", posix),
    ran_out("ENFILE", "too many open files in the system", "Our own host has no descriptor left.",
            posix),
    ran_out("EADDRNOTAVAIL", "no local port left",
            "Our own host has no port left towards this address.", posix),
    ran_out("ENOBUFS", "no buffer space",
            "Our own host is out of memory for sockets. Effect none before sending.", posix,
            Effect::unknown),
    ran_out("ENOMEM", "out of memory",
            "Our own host is out of memory for sockets. Effect none before sending.", posix,
            Effect::unknown),
    out_of_reach("connect-timeout", "no connection in time", timed_out, Effect::none,
                 "Nobody took the connection within its own limit; nothing was sent.", here),
    out_of_reach("ECONNREFUSED", "connection refused", unavailable, Effect::none,
                 "Nobody listens at this port; nothing was sent.", posix),
    out_of_reach("ENETUNREACH", "network unreachable", unavailable, Effect::unknown,
                 "There is no way to this address. Effect none while connecting, unknown after.",
                 posix),
    out_of_reach("EHOSTUNREACH", "no route to host", unavailable, Effect::unknown,
                 "There is no way to this address. Effect none while connecting, unknown after.",
                 posix),
    out_of_reach(
        "ETIMEDOUT", "connection timed out", unavailable, Effect::unknown,
        "The system gave up on a silent peer. Effect none while connecting, unknown after.", posix),
    {.code = "proxy-refused",
     .name = "the proxy made no tunnel",
     .cause = unavailable,
     .effect = Effect::none,
     .remedies = next,
     .why =
         "The proxy answered CONNECT with a failure; the server has seen nothing. With 407 it is "
         "forbidden and not repeated.",
     .source = "RFC 9110 9.3.6"},
    out_of_reach("tls", "TLS failed", unavailable, Effect::unknown,
                 "In the handshake no request was sent: effect none. A record that cannot be read "
                 "later leaves it unknown.",
                 "RFC 8446 6.2"),
    out_of_reach("tls-timeout", "TLS handshake not done in time", timed_out, Effect::none,
                 "Connected, but no handshake within the limit of connection set-up.", here),
    {.code = "tls-certificate",
     .name = "certificate refused",
     .cause = forbidden,
     .why = "Somebody cannot prove who he is. Asking again would not make him trustworthy.",
     .source = "RFC 5280 6"},
    broke_off("send-timeout", "request not sent in time", timed_out, next,
              "The server read too slowly. What it has may be enough for it to act.", here),
    broke_off("ECONNRESET", "connection reset", unavailable, fresh, lost, posix),
    broke_off("EPIPE", "connection closed while sending", unavailable, fresh, lost, posix),
    broke_off(
        "closed", "connection closed without an answer", unavailable, fresh,
        "Often an idle connection that the server had just given up; but it may have read the "
        "request before.",
        "RFC 9112 9.3.1"),
    broke_off("first-byte-timeout", "no answer in time", timed_out, next,
              "The request was sent whole, and no byte came back.", here),
    broke_off("body-timeout", "answer not complete in time", timed_out, next,
              "The answer began and did not end. Below status 400 the effect is applied.", here),
    broke_off("attempt-timeout", "attempt cut off by its driver", timed_out, next,
              "The attempt did not return by its deadline.", here),
    broke_off("truncated", "answer cut short", corrupt, fresh,
              "The connection ended inside the answer. Below status 400 the effect is applied.",
              "RFC 9112 8"),
    broke_off("malformed", "answer cannot be read", corrupt, fresh,
              "What came is no HTTP/1.1. Where a message ends must never be a guess.", "RFC 9112"),
    broke_off("gzip", "body cannot be decompressed", corrupt, fresh,
              "The compressed body is damaged. One that is only too large is not repeated.",
              "RFC 1952"),
    broke_off("too-large", "answer larger than allowed", too_large, {},
              "Head or body exceed the client's limits, and would again.", here),
    broke_off("cancelled", "the caller gave up", cancelled, {},
              "Effect none while no byte of the request was sent, unknown after.", here),
});

}  // namespace trouble_table
}  // namespace

std::span<const StatusRow> trouble_rows() noexcept { return trouble_table::rows; }

const StatusRow* trouble_row(std::string_view code) noexcept {
    const auto* const row = std::ranges::find(trouble_table::rows, code, &StatusRow::code);
    return row == trouble_table::rows.end() ? nullptr : row;
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
