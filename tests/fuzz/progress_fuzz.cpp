// SPDX-License-Identifier: Apache-2.0
//
// Bytes become a plan, operations and outcomes; Progress must keep every promise of trial.hpp in
// the conversation they describe, whether it is driven one attempt at a time or several at once.
#include "../call/trial.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>

namespace {

// One byte per choice; two where more than 256 are open. After the last byte it is always the first
// choice, with which every conversation ends.
class Bytes {
public:
    explicit Bytes(std::span<const std::uint8_t> bytes) : bytes_{bytes} {}
    std::uint32_t draw(std::uint32_t bound) {
        std::uint32_t value = next();
        if (bound > 256) value = value << 8U | next();
        return value % bound;
    }

private:
    std::uint32_t next() {
        if (bytes_.empty()) return 0;
        const std::uint32_t byte = bytes_.front();
        bytes_ = bytes_.subspan(1);
        return byte;
    }
    std::span<const std::uint8_t> bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace perdure::testing;
    Bytes bytes{{data, size}};
    Choices choices{[&](std::uint32_t bound) { return bytes.draw(bound); }};
    perdure::SeededRandom random{choices.below(256)};
    try {
        try_calls(choices, random, 1 + static_cast<int>(choices.below(4)));
    } catch (const std::logic_error& broken) {
        std::fprintf(stderr, "it is not so that %s\n", broken.what());
        std::abort();
    }
    return 0;
}
