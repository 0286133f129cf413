// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/connection_string.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "perdure/try.hpp"
#include "trimmed.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

bool same_word(std::string_view a, std::string_view b) {
    const auto lower = [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    };
    return std::ranges::equal(a, b, {}, lower, lower);
}

Fail refuse_connection_string(std::string message) {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .code = "invalid-connection-string",
                 .message = std::move(message)});
}

struct Found {
    std::optional<std::string_view> endpoint{};
    std::optional<std::string_view> key{};
};

Result<void> take(Found& found, std::string_view part) {
    const auto equals = part.find('=');
    if (equals == std::string_view::npos)
        return refuse_connection_string(
            "a part of the connection string has no name; it reads name=value;name=value");
    const std::string_view name = trimmed(part.substr(0, equals));
    const bool is_key = same_word(name, "AccountKey");
    if (!is_key && !same_word(name, "AccountEndpoint")) return {};
    auto& place = is_key ? found.key : found.endpoint;
    if (place)
        return refuse_connection_string(is_key
                                            ? "the connection string says AccountKey twice"
                                            : "the connection string says AccountEndpoint twice");
    place = trimmed(part.substr(equals + 1));
    return {};
}

}  // namespace

Result<ConnectionString> parse_connection_string(std::string_view text) {
    Found found;
    while (!text.empty()) {
        const auto end = std::min(text.find(';'), text.size());
        const std::string_view part = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!part.empty()) PERDURE_TRY(take(found, part));
    }
    if (!found.endpoint || found.endpoint->empty())
        return refuse_connection_string("the connection string has no AccountEndpoint");
    if (!found.key || found.key->empty())
        return refuse_connection_string("the connection string has no AccountKey");
    PERDURE_TRY_VALUE(http::Url endpoint, http::parse_url(*found.endpoint));
    if (!endpoint.userinfo.empty() || endpoint.target != "/")
        return refuse_connection_string("the AccountEndpoint is more than scheme, host and port");
    PERDURE_TRY_VALUE(MasterKey key, MasterKey::from(*found.key));
    ConnectionString made{std::move(endpoint), std::move(key)};
    return made;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
