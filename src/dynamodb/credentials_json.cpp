// SPDX-License-Identifier: Apache-2.0
#include "credentials_json.hpp"

#include <simdjson.h>

#include <algorithm>
#include <string>

#include "credentials_checks.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

using simdjson::dom::object;

Fail unusable(std::string message) {
    return fail({.cause = Cause::corrupt,
                 .effect = Effect::none,
                 .origin = Origin::service,
                 .code = "unreadable-credentials",
                 .message = std::move(message)});
}

// Empty where it is missing or null.
Result<std::string> text_of(const object& answer, std::string_view name) {
    simdjson::dom::element member;
    if (answer[name].get(member) != simdjson::SUCCESS || member.is_null()) return std::string{};
    std::string_view text;
    if (member.get(text) != simdjson::SUCCESS)
        return unusable("its " + std::string{name} + " is not a text");
    return std::string{text};
}

Result<void> check_kind(const object& answer, KeysFrom from) {
    if (from == KeysFrom::process) {
        std::int64_t version = 0;
        if (answer["Version"].get(version) != simdjson::SUCCESS || version != 1)
            return unusable("it must hold \"Version\": 1");
    }
    if (from == KeysFrom::instance) {
        PERDURE_TRY_VALUE(const std::string code, text_of(answer, "Code"));
        if (code != "Success")
            return fail({.cause = Cause::unavailable,
                         .effect = Effect::none,
                         .code = "unreadable-credentials",
                         .message = "its Code is not Success: is the role still there?"});
    }
    return {};
}

Result<Keys> keys_in(const object& answer, KeysFrom from) {
    const char* const token = from == KeysFrom::process ? "SessionToken" : "Token";
    Keys keys;
    PERDURE_TRY_VALUE(keys.id, text_of(answer, "AccessKeyId"));
    PERDURE_TRY_VALUE(keys.secret, text_of(answer, "SecretAccessKey"));
    PERDURE_TRY_VALUE(keys.token, text_of(answer, token));
    PERDURE_TRY_VALUE(keys.account, text_of(answer, "AccountId"));
    PERDURE_TRY_VALUE(const std::string expires, text_of(answer, "Expiration"));
    if (keys.id.empty()) return unusable("it holds no AccessKeyId");
    if (auto checked = check(keys, {"AccessKeyId", "SecretAccessKey", token}); !checked)
        return unusable(std::move(checked.error().message));
    if (expires.empty()) return keys;
    keys.expires = parse_timestamp(expires);
    if (!keys.expires) return unusable("its Expiration is not a time such as 2026-11-16T16:00:00Z");
    return keys;
}

}  // namespace

Result<Keys> keys_from_json(std::string_view json, KeysFrom from) {
    simdjson::dom::parser parser;
    object answer;
    if (parser.parse(json.data(), json.size()).get(answer) != simdjson::SUCCESS)
        return unusable("it is not a JSON object");
    PERDURE_TRY(check_kind(answer, from));
    return keys_in(answer, from);
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
