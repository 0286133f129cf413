// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include <openssl/evp.h>

#include "chaos/cosmos/items.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

// Base64 with a minus where a slash would end a name.
std::string encoded(std::string_view bytes) {
    std::string text(4 * (bytes.size() / 3 + 1) + 1, '\0');
    const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                       reinterpret_cast<const unsigned char*>(bytes.data()),
                                       static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(length));
    std::ranges::replace(text, '/', '-');
    return text;
}

std::string decoded(std::string text) {
    std::ranges::replace(text, '-', '/');
    std::string bytes(text.size(), '\0');
    (void)EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                          reinterpret_cast<const unsigned char*>(text.data()),
                          static_cast<int>(text.size()));
    bytes.resize(8);
    return bytes;
}

void append_number(std::string& bytes, std::uint64_t number, int count) {
    for (int i = count - 1; i >= 0; --i)
        bytes += static_cast<char>(number >> (8U * static_cast<unsigned>(i)) & 0xFFU);
}

}  // namespace

std::string database_rid(std::uint32_t database) {
    std::string bytes;
    append_number(bytes, 0x7065'0000U + database, 4);
    return encoded(bytes);
}

std::string container_rid(std::uint32_t database, std::uint32_t container) {
    std::string bytes;
    append_number(bytes, 0x7065'0000U + database, 4);
    append_number(bytes, 0x8000'0000U + container, 4);
    return encoded(bytes);
}

std::optional<std::uint64_t> item_number(std::string_view container_rid, std::string_view rid) {
    if (rid.size() != 24) return std::nullopt;
    std::string text{rid};
    std::ranges::replace(text, '-', '/');
    std::string bytes(text.size(), '\0');
    if (EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                        reinterpret_cast<const unsigned char*>(text.data()),
                        static_cast<int>(text.size())) < 0)
        return std::nullopt;
    std::uint64_t number = 0;
    for (std::size_t i = 8; i < 16; ++i)
        number = number << 8U | static_cast<unsigned char>(bytes[i]);
    if (item_rid(container_rid, number) != rid) return std::nullopt;
    return number;
}

std::string item_rid(std::string_view container_rid, std::uint64_t item) {
    std::string bytes = decoded(std::string{container_rid});
    append_number(bytes, item, 8);
    return encoded(bytes);
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
