// SPDX-License-Identifier: Apache-2.0
//
// Did the answer arrive as it was sent? The service says the CRC-32 of its body in a header.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// CRC-32 as zlib and Ethernet count it.
std::uint32_t crc32(std::string_view bytes) noexcept;

enum class Checksum : std::uint8_t {
    not_given,  // no header, or one that is no number below 2^32
    right,
    wrong,  // the body is not the one that was sent: throw it away
};

// `header` is the value of x-amz-crc32, an unsigned decimal; `body` the bytes as they came over the
// wire, before any unpacking. A header that cannot be read says nothing about the body: to call that
// wrong would turn good answers into lost ones behind a proxy that spoils the header every time.
// Pure; any thread.
Checksum verified(std::optional<std::string_view> header, std::string_view body) noexcept;

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
