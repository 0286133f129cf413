// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/signature.hpp"

#include <utility>

#include <openssl/crypto.h>

#include "base64.hpp"
#include "hmac.hpp"
#include "perdure/http/date.hpp"
#include "trimmed.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

char* put_lower(char* to, std::string_view text) noexcept {
    for (const char c : text) *to++ = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    *to = '\n';
    return to + 1;
}

bool travels_plain(char c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
           c == '_' || c == '.' || c == '~';
}

void append_percent_encoded(std::string& out, std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    for (const char c : text) {
        if (travels_plain(c)) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += digits[byte >> 4U];
        out += digits[byte & 15U];
    }
}

}  // namespace

class MasterKey::Signing {
public:
    explicit Signing(std::string_view key) : key_{key} {}

    [[nodiscard]] Digest sign(const ToSign& what) const {
        // Five lines, the last one empty; room that is kept, since every request wants it.
        thread_local std::string text;
        text.resize(what.verb.size() + what.type.size() + what.link.size() + what.date.size() + 5);
        char* to = put_lower(put_lower(text.data(), what.verb), what.type);
        to = std::copy(what.link.begin(), what.link.end(), to);
        *to++ = '\n';
        *put_lower(to, what.date) = '\n';
        return key_.sign(text);
    }

private:
    HmacKey key_;
};

MasterKey::MasterKey(std::shared_ptr<const Signing> signing) noexcept
    : signing_{std::move(signing)} {}

Result<MasterKey> MasterKey::from(std::string_view base64) {
    base64 = trimmed(base64);
    std::string bytes;
    // Room for all of it at once: growing would leave copies behind.
    bytes.reserve(base64.size());
    if (!decode_base64(base64, bytes) || bytes.empty()) {
        OPENSSL_cleanse(bytes.data(), bytes.size());
        return fail(
            {.cause = Cause::invalid,
             .origin = Origin::application,
             .code = "invalid-account-key",
             .message = "the account key is not base64; copy it whole, with the = at its end"});
    }
    MasterKey key{std::make_shared<const Signing>(bytes)};
    OPENSSL_cleanse(bytes.data(), bytes.size());
    return key;
}

void MasterKey::append_authorization(std::string& out, const ToSign& what) const {
    const Digest digest = signing_->sign(what);
    out += "type%3Dmaster%26ver%3D1.0%26sig%3D";
    append_escaped_base64(out, {reinterpret_cast<const char*>(digest.data()), digest.size()});
}

void append_token_authorization(std::string& out, TokenKind kind, std::string_view token) {
    if (kind == TokenKind::aad) out += "type%3Daad%26ver%3D1.0%26sig%3D";
    append_percent_encoded(out, token);
}

void append_date(std::string& out, WallTime at) {
    // Most requests are signed within the same second as the one before.
    thread_local std::chrono::sys_seconds when{};
    thread_local std::string text;
    const auto whole = std::chrono::floor<std::chrono::seconds>(at);
    if (text.empty() || whole != when) {
        text = http::http_date(at);
        when = whole;
    }
    out += text;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
