// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/keyed_hash.hpp"

#include "perdure/time/random.hpp"
#include "siphash.hpp"

namespace perdure {
inline namespace v0 {

std::size_t KeyedHash::operator()(std::string_view text) const noexcept {
    // A server that sees enough numbers of system_random() could work the key out.
    static const SipKey key{unpredictable_random().bits(), unpredictable_random().bits()};
    return static_cast<std::size_t>(siphash24(key, text));
}

}  // namespace v0
}  // namespace perdure
