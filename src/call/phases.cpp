// SPDX-License-Identifier: Apache-2.0
#include "perdure/call/phases.hpp"

namespace perdure {
inline namespace v0 {

std::string_view to_string(Phase phase) noexcept {
    switch (phase) {
        case Phase::pool: return "pool";
        case Phase::dns: return "dns";
        case Phase::connect: return "connect";
        case Phase::tls: return "tls";
        case Phase::send: return "send";
        case Phase::first_byte: return "first_byte";
        case Phase::body: return "body";
    }
    return "?";
}

std::string_view to_string(Sent sent) noexcept {
    switch (sent) {
        case Sent::nothing: return "nothing";
        case Sent::partly: return "partly";
        case Sent::all: return "all";
        case Sent::response_begun: return "response_begun";
    }
    return "?";
}

}  // namespace v0
}  // namespace perdure
