// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <utility>

#include <openssl/crypto.h>

#include "dynamodb/signing_key.hpp"
#include "perdure/dynamodb/signature.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view content_type = "application/x-amz-json-1.0";
constexpr std::string_view scheme = "AWS4-HMAC-SHA256";

// Which of the fields that may be missing are there.
constexpr unsigned with_id = 1, with_attempt = 2, with_token = 4;

unsigned parts_of(const Keys& keys, const ToSign& what) noexcept {
    return (what.invocation_id.empty() ? 0U : with_id) |
           (what.attempt.empty() ? 0U : with_attempt) | (keys.token.empty() ? 0U : with_token);
}

// "content-type;host;…", which stands in what is signed and in what is sent; in the order in which the
// service wants names sorted.
class Names {
public:
    constexpr Names() = default;
    constexpr explicit Names(unsigned parts) noexcept {
        if ((parts & with_id) != 0) add("amz-sdk-invocation-id;");
        if ((parts & with_attempt) != 0) add("amz-sdk-request;");
        add("content-type;host;x-amz-date;");
        if ((parts & with_token) != 0) add("x-amz-security-token;");
        add("x-amz-target");
    }
    [[nodiscard]] constexpr std::string_view text() const noexcept { return {text_.data(), size_}; }

private:
    constexpr void add(std::string_view name) noexcept {
        for (const char c : name) text_[size_++] = c;
    }

    std::array<char, 128> text_{};  // all of them are 100 bytes
    std::size_t size_ = 0;
};

constexpr auto names_for = [] {
    std::array<Names, 8> all{};
    for (unsigned parts = 0; parts < all.size(); ++parts) all[parts] = Names{parts};
    return all;
}();

// Stands before a value, or behind it, unless there is none.
constexpr std::string_view beside(std::string_view value, std::string_view word) noexcept {
    return value.empty() ? std::string_view{} : word;
}

// Grows once and copies: a long chain of appends looks at the room that is left for every piece. In
// line, so that the sizes of literals are known.
template <class... Pieces>
[[gnu::always_inline]] inline void append(std::string& out, const Pieces&... pieces) {
    std::size_t at = out.size();
    out.resize(at + (pieces.size() + ...));
    const auto put = [&](const auto& piece) {
        if (piece.empty()) return;  // a view of nothing has no bytes to point to
        std::memcpy(out.data() + at, piece.data(), piece.size());
        at += piece.size();
    };
    (put(pieces), ...);
}

Fail refuse_keys(std::string message) {
    return fail({.cause = Cause::invalid,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = "invalid-keys",
                 .message = std::move(message)});
}

bool is_visible(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

}  // namespace

Result<void> check(const Keys& keys) {
    constexpr std::string_view odd = " has a space, a line end or another byte that no key has: "
                                     "was more copied than the key itself?";
    const auto is = [](std::string_view which) { return std::string{which}; };
    if (keys.id.empty()) return refuse_keys("the access key id is empty");
    if (keys.secret.empty()) return refuse_keys("the secret access key is empty");
    if (!is_visible(keys.id)) return refuse_keys(is("the access key id").append(odd));
    if (!is_visible(keys.secret)) return refuse_keys(is("the secret access key").append(odd));
    if (!is_visible(keys.token)) return refuse_keys(is("the session token").append(odd));
    if (keys.id.find_first_of("/,") != std::string::npos)
        return refuse_keys("the access key id has a slash or a comma: is it the secret?");
    return {};
}

// Which pair and day a key was derived for, and the key.
struct Signer::Derived {
    Derived(const Keys& keys, std::string_view its_day, HmacKey its_key)
        : id{keys.id}, secret{keys.secret}, day{its_day}, key{std::move(its_key)} {}
    Derived(const Derived&) = delete;
    Derived& operator=(const Derived&) = delete;
    ~Derived() { OPENSSL_cleanse(secret.data(), secret.size()); }

    [[nodiscard]] bool is_for(const Keys& keys, std::string_view its_day) const noexcept {
        return day == its_day && id == keys.id && secret == keys.secret;
    }

    std::string id, secret, day;
    HmacKey key;
};

struct Signer::Latest {
    std::mutex mutex;
    std::shared_ptr<const Derived> derived;
};

Signer::Signer(std::string region, std::string service)
    : region_{std::move(region)},
      service_{std::move(service)},
      scope_{"/" + region_ + "/" + service_ + "/aws4_request"},
      latest_{std::make_unique<Latest>()} {}

Signer::~Signer() = default;

std::shared_ptr<const Signer::Derived> Signer::derived(const Keys& keys,
                                                       std::string_view day) const {
    {
        const std::lock_guard hold{latest_->mutex};
        const auto& last = latest_->derived;
        if (last && last->is_for(keys, day)) return last;
    }
    // Outside the lock: others sign on meanwhile, and who derives the same key twice loses nothing.
    auto fresh = std::make_shared<const Derived>(keys, day,
                                                 signing_key(keys.secret, day, region_, service_));
    const std::lock_guard hold{latest_->mutex};
    latest_->derived = fresh;
    return fresh;
}

void Signer::append_headers(std::string& out, const Keys& keys, WallTime at,
                            const ToSign& what) const {
    const AmzDate date{at};
    const std::string_view id = what.invocation_id, attempt = what.attempt, token = keys.token;
    const std::string_view names = names_for[parts_of(keys, what)].text();

    // What is hashed is composed at the end of `out` and cut off again: no buffer of its own.
    const auto end = out.size();
    const auto composed = [&] { return std::string_view{out}.substr(end); };
    append(out, "POST\n/\n\n"sv, beside(id, "amz-sdk-invocation-id:"sv), id, beside(id, "\n"sv),
           beside(attempt, "amz-sdk-request:"sv), attempt, beside(attempt, "\n"sv),
           "content-type:"sv, content_type, "\nhost:"sv, what.host, "\nx-amz-date:"sv, date.text(),
           "\n"sv, beside(token, "x-amz-security-token:"sv), token, beside(token, "\n"sv),
           "x-amz-target:"sv, what.target, "\n\n"sv, names, "\n"sv);
    append_hex(out, sha256(what.body));
    const Digest canonical = sha256(composed());

    out.resize(end);
    append(out, scheme, "\n"sv, date.text(), "\n"sv, date.day(), scope_, "\n"sv);
    append_hex(out, canonical);
    const Digest signature = derived(keys, date.day())->key.sign(composed());

    out.resize(end);
    append(out, "Content-Type: "sv, content_type, "\r\nX-Amz-Date: "sv, date.text(),
           "\r\nX-Amz-Target: "sv, what.target, "\r\n"sv, beside(token, "X-Amz-Security-Token: "sv),
           token, beside(token, "\r\n"sv), beside(id, "amz-sdk-invocation-id: "sv), id,
           beside(id, "\r\n"sv), beside(attempt, "amz-sdk-request: "sv), attempt,
           beside(attempt, "\r\n"sv), "Authorization: "sv, scheme, " Credential="sv, keys.id, "/"sv,
           date.day(), scope_, ", SignedHeaders="sv, names, ", Signature="sv);
    append_hex(out, signature);
    out += "\r\n"sv;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
