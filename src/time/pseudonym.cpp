// SPDX-License-Identifier: Apache-2.0
#include "perdure/time/pseudonym.hpp"

#include <atomic>

#include "siphash.hpp"

namespace perdure {
inline namespace v0 {

namespace {

constexpr SipKey published{0x7572656475726570U, 0x746365656a627573U};
std::atomic<std::uint64_t> key_low{published.low};
std::atomic<std::uint64_t> key_high{published.high};

}  // namespace

std::uint64_t pseudonym(std::string_view name) noexcept {
    return siphash24(
        {key_low.load(std::memory_order_relaxed), key_high.load(std::memory_order_relaxed)}, name);
}

void set_pseudonym_secret(std::string_view secret) noexcept {
    // Two halves by two keys: one alone would leave half of the key known.
    key_low = siphash24(published, secret);
    key_high = siphash24({~published.low, ~published.high}, secret);
}

}  // namespace v0
}  // namespace perdure
