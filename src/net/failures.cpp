// SPDX-License-Identifier: Apache-2.0
#include "perdure/net/failures.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>

namespace perdure {
inline namespace v0 {
namespace net {
namespace {

bool exhausted(int error, Doing doing) noexcept {
    switch (error) {
        case EMFILE:
        case ENFILE:
        case ENOBUFS:
        case ENOMEM: return true;
        // Both mean that no local port is free; later EAGAIN is not an error at all.
        case EADDRNOTAVAIL:
        case EAGAIN: return doing == Doing::opening || doing == Doing::connecting;
        default: return false;
    }
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 32)
std::string name_of(int error) {
    const char* const name = strerrorname_np(error);
    return name ? name : "errno-" + std::to_string(error);
}
std::string meaning_of(int error) {
    const char* const meaning = strerrordesc_np(error);
    return meaning ? meaning : "unknown error";
}
#else
std::string name_of(int error) { return "errno-" + std::to_string(error); }
std::string meaning_of(int error) { return std::generic_category().message(error); }
#endif

std::string_view failed_at(Doing doing) noexcept {
    switch (doing) {
        case Doing::opening: return "cannot open a socket: ";
        case Doing::connecting: return "cannot connect: ";
        case Doing::handshaking: return "the TLS handshake broke off: ";
        case Doing::sending: return "cannot send: ";
        case Doing::receiving: return "cannot receive: ";
    }
    return {};
}

}  // namespace

Failure failure_of(int error, Doing doing) {
    // A handshake carries nothing of the request.
    const bool sent = doing == Doing::sending || doing == Doing::receiving;
    return {.cause = exhausted(error, doing) ? Cause::exhausted : Cause::unavailable,
            .effect = sent ? Effect::unknown : Effect::none,
            .origin = Origin::network,
            .code = name_of(error),
            .message = std::string{failed_at(doing)} + meaning_of(error)};
}

}  // namespace net
}  // namespace v0
}  // namespace perdure
