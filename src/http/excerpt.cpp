// SPDX-License-Identifier: Apache-2.0
#include "excerpt.hpp"

#include <algorithm>

#include "perdure/http/gzip.hpp"

namespace perdure {
inline namespace v0 {
namespace http {
namespace {

constexpr std::string_view ellipsis = "…";
constexpr std::size_t most_decoded = 65'536;

constexpr bool continues(char c) noexcept {
    return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

// How many bytes the character at the front has; 0 if it is not UTF-8. Overlong forms and surrogates
// are left to the terminal: they print as one odd character.
std::size_t character_length(std::string_view text) noexcept {
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xC2 ? 0
                               : first < 0xE0 ? 2
                               : first < 0xF0 ? 3
                               : first < 0xF5 ? 4
                                              : 0;
    if (length == 0 || text.size() < length) return 0;
    return std::ranges::all_of(text.substr(1, length - 1), continues) ? length : 0;
}

// C0 with DEL, and C1, some of which terminals obey.
bool is_blank(std::string_view character) noexcept {
    const auto first = static_cast<unsigned char>(character.front());
    if (character.size() == 1) return first <= ' ' || first == 0x7F;
    return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_for_people(std::string_view content_type) {
    std::string type{content_type.substr(0, content_type.find(';'))};
    std::ranges::transform(type, type.begin(), lower);
    while (!type.empty() && type.back() == ' ') type.pop_back();
    return type.starts_with("text/") || type == "application/json" || type.ends_with("+json");
}

}  // namespace

std::string one_line(std::string_view text) {
    std::string line;
    std::size_t fits = 0;  // the end of the last character before which an ellipsis has room
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        const std::string_view character = length == 0 ? "?" : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
        if (!is_blank(character)) line.append(character);
        else if (!line.empty() && line.back() != ' ') line += ' ';
        if (line.size() <= longest_excerpt - ellipsis.size()) fits = line.size();
        if (line.size() <= longest_excerpt) continue;
        line.resize(fits);
        return line.append(ellipsis);
    }
    if (line.ends_with(' ')) line.pop_back();
    return line;
}

std::string excerpt_of(const Response& response) {
    if (!is_for_people(response.headers.find("content-type").value_or(""))) return {};
    if (!response.headers.find("content-encoding")) return one_line(response.body);
    if (response.body.size() > most_decoded) return {};
    Response plain = response;
    const bool decoded = decode_content(plain, most_decoded).has_value();
    // An encoding that is not known is left as it is.
    return decoded && !plain.headers.find("content-encoding") ? one_line(plain.body)
                                                              : std::string{};
}

}  // namespace http
}  // namespace v0
}  // namespace perdure
