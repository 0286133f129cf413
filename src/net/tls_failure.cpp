// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <string>

#include "perdure/net/tls.hpp"

namespace perdure {
inline namespace v0 {
namespace net {
namespace {

Effect effect_while(Doing doing) {
    return doing == Doing::sending || doing == Doing::receiving ? Effect::unknown : Effect::none;
}

}  // namespace

Failure tls_failure(const Stream& stream, Io io, Doing doing) {
    const std::string trouble{stream.trouble()};
    if (io.kind == IoKind::closed)
        return {.cause = Cause::unavailable,
                .effect = effect_while(doing),
                .origin = Origin::network,
                .code = "closed",
                .message = "the connection was closed"};
    // A server that refuses our certificate has not looked at what came after it.
    if (io.error == EKEYREJECTED)
        return {.cause = Cause::forbidden,
                .effect = Effect::none,
                .origin = Origin::network,
                .code = "tls-certificate",
                .message = trouble};
    if (io.error == EPROTO)
        return {.cause = Cause::unavailable,
                .effect = effect_while(doing),
                .origin = Origin::network,
                .code = "tls",
                .message = trouble};
    return failure_of(io.error, doing);
}

}  // namespace net
}  // namespace v0
}  // namespace perdure
