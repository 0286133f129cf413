// SPDX-License-Identifier: Apache-2.0
//
// Who could have written this text? HMAC-SHA256 with a key that is prepared once.
//
//     const HmacKey key{secret};               // hashes both pads of the key, once
//     const Digest digest = key.sign(text);    // and goes on from there every time
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace cosmos {

using Digest = std::array<std::uint8_t, 32>;

// Any number of threads may sign with one key.
class HmacKey {
public:
    explicit HmacKey(std::string_view key);
    HmacKey(const HmacKey&) = delete;
    HmacKey& operator=(const HmacKey&) = delete;
    ~HmacKey();

    [[nodiscard]] Digest sign(std::string_view text) const noexcept;

private:
    // The hash after either pad of the key, as good as the key itself: wiped at the end.
    using State = std::array<std::uint32_t, 8>;
    static State after_pad(std::string_view key, std::uint8_t pad) noexcept;

    State inner_{}, outer_{};
};

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
