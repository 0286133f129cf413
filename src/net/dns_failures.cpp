// SPDX-License-Identifier: Apache-2.0
#include "net/dns_failures.hpp"

#include <algorithm>
#include <string>

#include <ares.h>

#include "perdure/net/socket.hpp"

namespace perdure {
inline namespace v0 {
namespace net {
namespace {

struct Row {
    int status;
    Cause cause;
    std::string_view code;
    std::string_view meaning;
};

constexpr Row rows[] = {
    {ARES_ENOTFOUND, Cause::unavailable, "ARES_ENOTFOUND", "there is no such host"},
    {ARES_ENODATA, Cause::unavailable, "ARES_ENODATA", "the name has no addresses"},
    {ARES_ENONAME, Cause::unavailable, "ARES_ENONAME", "there is no such host"},
    {ARES_ESERVFAIL, Cause::unavailable, "ARES_ESERVFAIL", "the name server failed"},
    {ARES_EREFUSED, Cause::unavailable, "ARES_EREFUSED", "the name server refused to answer"},
    {ARES_ENOTIMP, Cause::unavailable, "ARES_ENOTIMP", "the name server does not know how"},
    {ARES_EFORMERR, Cause::unavailable, "ARES_EFORMERR", "the name server misread the question"},
    {ARES_EBADRESP, Cause::unavailable, "ARES_EBADRESP", "the name server's answer is unreadable"},
    // Also when every server was asked and said that it failed or refused.
    {ARES_ECONNREFUSED, Cause::unavailable, "ARES_ECONNREFUSED", "no name server gave an answer"},
    {ARES_ETIMEOUT, Cause::timed_out, "dns-timeout", "no name server answered in time"},
    {ARES_EBADNAME, Cause::invalid, "ARES_EBADNAME", "this cannot be the name of a host"},
    {ARES_EBADSTR, Cause::invalid, "ARES_EBADSTR", "the list of name servers is unreadable"},
    {ARES_ENOMEM, Cause::exhausted, "ARES_ENOMEM", "out of memory"},
    {ARES_ECANCELLED, Cause::cancelled, "dns-cancelled", "the lookup was given up"},
    {ARES_EDESTRUCTION, Cause::cancelled, "dns-cancelled", "the lookup was given up"},
};

// Names come from outside, so they are not trusted in a log.
std::string shown(std::string_view name) {
    constexpr std::size_t most = 253;
    std::string text{name.substr(0, most)};
    std::ranges::replace_if(text, [](char c) { return c < ' ' || c == '\x7f'; }, '?');
    return text;
}

Failure failure_from(const Row& row, std::string_view name) {
    return {.cause = row.cause,
            .effect = Effect::none,
            .origin = row.cause == Cause::invalid ? Origin::application : Origin::network,
            .code = std::string{row.code},
            .message = "cannot look up " + shown(name) + ": " + std::string{row.meaning}};
}

}  // namespace

Failure dns_failure_of(int status, std::string_view name) {
    if (status == ARES_ECONNREFUSED) {
        // Also what c-ares says when it could not open a socket; the next one tells which it was.
        auto probe = Socket::open(Family::v4);
        if (!probe) return probe.error();
    }
    const auto* const found = std::ranges::find(rows, status, &Row::status);
    Failure failure =
        failure_from(found != std::end(rows)
                         ? *found
                         : Row{status, Cause::unavailable, "dns-error", ares_strerror(status)},
                     name);
    // That there is no such name is an answer: no use in waiting for another until the deadline.
    const bool no_answer = memory_of(status) == Memory::none;
    if (no_answer && (failure.cause == Cause::unavailable || failure.cause == Cause::timed_out))
        failure.rule = "connect";
    return failure;
}

Memory memory_of(int status) noexcept {
    const bool is_answer =
        status == ARES_ENOTFOUND || status == ARES_ENODATA || status == ARES_ENONAME;
    return is_answer ? Memory::negative : Memory::none;
}

Failure dns_timeout(std::string_view name) { return dns_failure_of(ARES_ETIMEOUT, name); }
Failure dns_cancelled(std::string_view name) { return dns_failure_of(ARES_ECANCELLED, name); }
Failure bad_name(std::string_view name) { return dns_failure_of(ARES_EBADNAME, name); }

}  // namespace net
}  // namespace v0
}  // namespace perdure
