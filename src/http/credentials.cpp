// SPDX-License-Identifier: Apache-2.0
#include "credentials.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace perdure {
inline namespace v0 {
namespace http {

namespace {

std::string percent_decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned code = 0;
        if (text[i] == '%' && i + 2 < text.size() &&
            std::from_chars(&text[i + 1], &text[i + 1] + 2, code, 16).ptr == &text[i + 1] + 2) {
            plain += static_cast<char>(code);
            i += 2;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

std::string base64(std::string_view bytes) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i)
            group = group << 8u |
                    (i < count ? static_cast<unsigned char>(bytes[at + i]) : std::uint32_t{0});
        for (std::size_t i = 0; i < 4; ++i)
            text += i <= count ? letters[group >> (18 - 6 * i) & 63u] : '=';
    }
    return text;
}

}  // namespace

std::string basic_credentials(std::string_view userinfo) {
    if (userinfo.empty()) return {};
    std::string plain = percent_decoded(userinfo);
    if (plain.find(':') == std::string::npos) plain += ':';
    return "Basic " + base64(plain);
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
