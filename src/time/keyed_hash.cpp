// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/keyed_hash.hpp"

#include "siphash.hpp"
#include "system_entropy.hpp"

namespace perdure {
inline namespace v0 {

std::size_t KeyedHash::operator()(std::string_view text) const noexcept {
    // Not from system_random(): a server that sees enough ids could work its numbers out.
    static const SipKey key{system_entropy(), system_entropy()};
    return static_cast<std::size_t>(siphash24(key, text));
}

}  // namespace v0
}  // namespace perdure
