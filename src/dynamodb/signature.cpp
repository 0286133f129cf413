// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/signature.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "dynamodb/signing_key.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::string_view::size_type npos = std::string_view::npos;

constexpr bool is_blank(char byte) noexcept {
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}
constexpr char lower(char byte) noexcept {
    return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte | 0x20) : byte;
}
constexpr bool is_unreserved(char byte) noexcept {
    return (lower(byte) >= 'a' && lower(byte) <= 'z') || (byte >= '0' && byte <= '9') ||
           byte == '-' || byte == '.' || byte == '_' || byte == '~';
}

void append_encoded(std::string& out, std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    for (const char byte : text) {
        if (is_unreserved(byte)) {
            out += byte;
            continue;
        }
        const auto value = static_cast<unsigned char>(byte);
        out += '%';
        out += digits[value >> 4U];
        out += digits[value & 15U];
    }
}

int hex_value(char byte) noexcept {
    if (byte >= '0' && byte <= '9') return byte - '0';
    const char low = lower(byte);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

// A per cent sign that begins nothing stands for itself.
std::string decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape = text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
                            hex_value(text[i + 2]) >= 0;
        plain += escape ? static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]))
                        : text[i];
        if (escape) i += 2;
    }
    return plain;
}

// Cuts the first piece off.
std::string_view cut(std::string_view& text, char at) {
    const auto end = text.find(at);
    const std::string_view piece = text.substr(0, end);
    text.remove_prefix(end == npos ? text.size() : end + 1);
    return piece;
}

std::string normalized_path(std::string_view path) {
    std::vector<std::string_view> kept;
    const bool folder = path.ends_with('/');
    while (!path.empty()) {
        const std::string_view segment = cut(path, '/');
        if (segment.empty() || segment == ".") continue;
        if (segment != "..") kept.push_back(segment);
        else if (!kept.empty()) kept.pop_back();
    }
    std::string text;
    for (const std::string_view segment : kept) {
        text += '/';
        append_encoded(text, segment);
    }
    if (folder || kept.empty()) text += '/';
    return text;
}

std::string written_path(std::string_view path) {
    if (path.empty()) return "/";
    std::string text;
    while (true) {
        const bool last = path.find('/') == npos;
        append_encoded(text, cut(path, '/'));
        if (last) return text;
        text += '/';
    }
}

// Decoded first, so that it does not matter how the query was written.
std::string canonical_query(std::string_view query) {
    std::vector<std::pair<std::string, std::string>> fields;
    while (!query.empty()) {
        std::string_view value = cut(query, '&');
        if (value.empty()) continue;
        const std::string_view name = cut(value, '=');
        auto& field = fields.emplace_back();
        append_encoded(field.first, decoded(name));
        append_encoded(field.second, decoded(value));
    }
    std::sort(fields.begin(), fields.end());
    std::string text;
    for (const auto& [name, value] : fields) {
        if (!text.empty()) text += '&';
        text.append(name).append("=").append(value);
    }
    return text;
}

std::string lowered(std::string_view text) {
    std::string low{text};
    std::transform(low.begin(), low.end(), low.begin(), lower);
    return low;
}

// Trimmed, every run of blanks one space; a folded line is such a run too.
void append_value(std::string& out, std::string_view value) {
    bool begun = false, blank = false;
    for (const char byte : value) {
        if (is_blank(byte)) {
            blank = begun;
            continue;
        }
        if (blank) out += ' ';
        out += byte;
        begun = true;
        blank = false;
    }
}

using Fields = std::map<std::string, std::string>;

// Those of one name are joined in the order they came.
Fields canonical_headers(std::span<const http::Header> headers) {
    Fields fields;
    for (const auto& [name, value] : headers) {
        const auto [field, is_first] = fields.try_emplace(lowered(name));
        if (!is_first) field->second += ',';
        append_value(field->second, value);
    }
    return fields;
}

std::string names_of(const Fields& fields) {
    std::string names;
    for (const auto& [name, value] : fields) {
        if (!names.empty()) names += ';';
        names += name;
    }
    return names;
}

std::string scope_of(const SigningScope& scope) {
    std::string text{AmzDate{scope.at}.day()};
    text.append("/").append(scope.region).append("/").append(scope.service);
    return text += "/aws4_request";
}

}  // namespace

std::string sha256_hex(std::string_view bytes) {
    std::string text;
    append_hex(text, sha256(bytes));
    return text;
}

std::string amz_date(WallTime at) { return std::string{AmzDate{at}.text()}; }

std::string signed_headers(std::span<const http::Header> headers) {
    return names_of(canonical_headers(headers));
}

std::string canonical_request(const CanonicalRequest& request) {
    const bool plain = request.path_form == PathForm::as_written;
    const auto fields = canonical_headers(request.headers);
    std::string text{request.method};
    text += '\n';
    text += plain ? written_path(request.path) : normalized_path(request.path);
    text += '\n';
    text += canonical_query(request.query);
    text += '\n';
    for (const auto& [name, value] : fields) text.append(name).append(":").append(value) += '\n';
    text += '\n';
    text += names_of(fields);
    text += '\n';
    return text += request.body_hash;
}

std::string string_to_sign(const SigningScope& scope, std::string_view canonical) {
    std::string text = "AWS4-HMAC-SHA256\n";
    text.append(AmzDate{scope.at}.text()) += '\n';
    text.append(scope_of(scope)) += '\n';
    append_hex(text, sha256(canonical));
    return text;
}

std::string signature(const Keys& keys, const SigningScope& scope, std::string_view to_sign) {
    const HmacKey key =
        signing_key(keys.secret, AmzDate{scope.at}.day(), scope.region, scope.service);
    std::string text;
    append_hex(text, key.sign(to_sign));
    return text;
}

std::string authorization(const Keys& keys, const SigningScope& scope,
                          std::span<const http::Header> headers, std::string_view signature) {
    std::string text = "AWS4-HMAC-SHA256 Credential=";
    text.append(keys.id).append("/").append(scope_of(scope));
    text.append(", SignedHeaders=").append(signed_headers(headers));
    return text.append(", Signature=").append(signature);
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
