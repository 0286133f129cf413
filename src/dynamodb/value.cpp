// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/value.hpp"

#include <array>

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

struct TypeWords {
    std::string_view letters;
    std::string_view words;
};
constexpr std::array<TypeWords, 10> types{{
    {"NULL", "null"},
    {"BOOL", "a truth"},
    {"S", "a string"},
    {"N", "a number"},
    {"B", "binary"},
    {"SS", "a set of strings"},
    {"NS", "a set of numbers"},
    {"BS", "a set of binaries"},
    {"L", "a list"},
    {"M", "a map"},
}};

// Names come from data too: what is shown of one is bounded, on one line and quoted.
std::string shown(std::string_view name) {
    std::string text = "attribute \"";
    for (const char c : name.substr(0, 64)) text += c < ' ' && c >= 0 ? '?' : c;
    return text += name.size() > 64 ? "…\"" : "\"";
}

Failure bad_attribute(std::string_view code, std::string message) {
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = std::string{code},
            .message = std::move(message)};
}

}  // namespace

std::string_view letters(Type type) noexcept {
    return types[static_cast<std::size_t>(type)].letters;
}

bool same_key(const Value& a, const Value& b) {
    const Number *const left = a.as<Number>(), *const right = b.as<Number>();
    return left && right ? same_value(*left, *right) : a == b;
}

namespace detail {

Failure wrong_type(std::string_view wanted, Type found) {
    std::string message{"is "};
    message += types[static_cast<std::size_t>(found)].words;
    return bad_attribute("attribute-type", message.append(", not ").append(wanted));
}

Failure missing(std::string_view name) {
    return bad_attribute("attribute-missing", shown(name) + " is missing");
}

Failure about(std::string_view name, Failure failure) {
    failure.message =
        shown(name) + (failure.code == "attribute-type" ? " " : ": ") + failure.message;
    return failure;
}

}  // namespace detail

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
