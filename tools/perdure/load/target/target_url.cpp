// SPDX-License-Identifier: Apache-2.0
#include "load/target/target_url.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

std::optional<int> hex_digit(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return std::nullopt;
}

}  // namespace

Fail wrong_target(std::string message) {
    return fail({.cause = Cause::invalid,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = "target",
                 .message = std::move(message)});
}

Result<std::string> unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            plain += text[i];
            continue;
        }
        const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
        const auto low = high ? hex_digit(text[i + 2]) : std::nullopt;
        if (!low)
            return wrong_target(
                "in the target's URL '%' is not followed by two hexadecimal digits");
        plain += static_cast<char>(*high * 16 + *low);
        i += 2;
    }
    return plain;
}

Result<void> each_parameter(std::string_view text, const OnParameter& each) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('&'), text.size());
        const std::string_view one = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t equals = std::min(one.find('='), one.size());
        PERDURE_TRY_VALUE(std::string value,
                          unescaped(equals < one.size() ? one.substr(equals + 1) : ""));
        PERDURE_TRY(each(one.substr(0, equals), std::move(value)));
    }
    return {};
}

Result<void> set_once(std::string& into, std::string_view name, std::string value) {
    if (value.empty())
        return wrong_target("in the target's URL '" + std::string{name} + "' is empty");
    if (!into.empty())
        return wrong_target("in the target's URL '" + std::string{name} + "' is there twice");
    into = std::move(value);
    return {};
}

}  // namespace tool::load
