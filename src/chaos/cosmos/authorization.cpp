// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/authorization.hpp"

#include <algorithm>
#include <array>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "perdure/http/date.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

constexpr Duration accepted_skew = 15min;

std::string lower(std::string_view text) {
    std::string result{text};
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

const unsigned char* bytes_of(std::string_view text) noexcept {
    return reinterpret_cast<const unsigned char*>(text.data());
}

std::string decoded_key(std::string_view base64) {
    std::string bytes(base64.size() / 4 * 3 + 3, '\0');
    const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                       bytes_of(base64), static_cast<int>(base64.size()));
    const auto padding = static_cast<int>(std::ranges::count(base64, '='));
    bytes.resize(length > padding ? static_cast<std::size_t>(length - padding) : 0);
    return bytes;
}

// In base64.
std::string hmac(std::string_view key, std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(text), text.size(),
         digest.data(), &length);
    std::array<unsigned char, std::size_t{2} * EVP_MAX_MD_SIZE> base64{};
    const int written = EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(length));
    return {reinterpret_cast<const char*>(base64.data()), static_cast<std::size_t>(written)};
}

// "type=master&ver=1.0&sig=…": the signature may hold further equal signs.
std::string_view field(std::string_view text, std::string_view name) {
    while (!text.empty()) {
        const std::size_t end = text.find('&');
        const std::string_view piece = text.substr(0, end);
        if (piece.size() > name.size() && piece.starts_with(name) && piece[name.size()] == '=')
            return piece.substr(name.size() + 1);
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
    return {};
}

}  // namespace

Authority::Authority(std::string_view key, std::string_view token)
    : key_{decoded_key(key)}, token_{token} {}

bool Authority::signed_by_us(std::string_view method, const Resource& resource,
                             std::string_view date, std::string_view signature) const {
    const auto fits_as = [&](std::string_view type, std::string_view link) {
        std::string text = lower(method) + '\n' + lower(type) + '\n';
        text.append(link).append("\n").append(lower(date)).append("\n\n");
        return hmac(key_, text) == signature;
    };
    const auto fits = [&](std::string_view link) { return fits_as(resource.type, link); };
    if (fits(resource.link)) return true;
    // Some clients sign a delete of a partition key as a request for its container.
    if (resource.type == "partitionkey" && fits_as("colls", resource.link)) return true;
    // By resource id: the last of them alone in old clients, and always in lower case.
    const std::string small = lower(resource.link);
    return fits(small) || fits(std::string_view{small}.substr(small.rfind('/') + 1));
}

Refusal Authority::judge(std::string_view method, const Resource& resource,
                         const http::Headers& headers, WallTime now) const {
    const auto header = headers.find("authorization");
    if (!header) return Refusal::missing;
    const std::string text = percent_decoded(*header);
    if (field(text, "type") == "aad") {
        const bool known = !token_.empty() && field(text, "sig") == token_;
        return known ? Refusal::none : Refusal::wrong;
    }
    if (field(text, "type") != "master") return Refusal::wrong;
    auto date = headers.find("x-ms-date");
    if (!date) date = headers.find("date");
    const auto when = date ? http::parse_http_date(*date, now) : std::nullopt;
    if (!when) return Refusal::missing;
    if (!signed_by_us(method, resource, *date, field(text, "sig"))) return Refusal::wrong;
    return *when > now + accepted_skew || *when < now - accepted_skew ? Refusal::stale
                                                                      : Refusal::none;
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
