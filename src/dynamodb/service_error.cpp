// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/service_error.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "json_reader.hpp"
#include "perdure/try.hpp"
#include "printable.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::size_t longest_code = 128;
constexpr std::size_t longest_resource = 512;
constexpr std::size_t longest_list = 512;  // of reasons, in words

// Behind these words the service repeats what it was sent: the canonical request with the session
// token, or the header with the signature.
constexpr std::array<std::string_view, 5> repeats_what_was_sent = {
    "The Canonical String", "The String-to-Sign", "Authorization=", "Authorization header: '",
    "x-amz-security-token"};

std::string without_secrets(std::string text) {
    const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
    for (const std::string_view words : repeats_what_was_sent) {
        const auto found = std::search(text.begin(), text.end(), words.begin(), words.end(), same);
        text.erase(found, text.end());
    }
    return text;
}

std::string code_in(std::string_view type) {
    type = type.substr(0, type.find(':'));
    if (const auto hash = type.rfind('#'); hash != type.npos) type.remove_prefix(hash + 1);
    return printable(type, longest_code);
}

std::string message_in(std::string_view text) {
    std::string message = printable(without_secrets(std::string{text}), longest_error_message);
    while (message.ends_with(' ')) message.pop_back();
    return message;
}

// What is not a text is passed over, not refused: the rest may still say what is wrong.
Result<void> take_text(JsonNode& node, std::string& into, std::string (*made)(std::string_view)) {
    PERDURE_TRY_VALUE(const JsonKind kind, node.kind());
    if (kind != JsonKind::string) return {};
    PERDURE_TRY_VALUE(const std::string_view text, node.view());
    into = made(text);
    return {};
}

std::string resource_in(std::string_view text) { return printable(text, longest_resource); }

// Objects of a list, at most as many as an error can have.
template <class Reason, class Member>
Result<void> take_reasons(JsonNode& node, std::vector<Reason>& into, Member member) {
    PERDURE_TRY_VALUE(const JsonKind kind, node.kind());
    if (kind != JsonKind::array) return {};
    return node.each_element([&](JsonNode& element) -> Result<void> {
        PERDURE_TRY_VALUE(const JsonKind inner, element.kind());
        if (inner != JsonKind::object || into.size() >= most_error_reasons) return {};
        Reason reason;
        PERDURE_TRY(
            element.each_member([&](std::string_view name, JsonNode& value) -> Result<void> {
                return member(reason, name, value);
            }));
        into.push_back(std::move(reason));
        return {};
    });
}

Result<void> cancellation_member(CancellationReason& reason, std::string_view name,
                                 JsonNode& value) {
    if (name == "Code") return take_text(value, reason.code, code_in);
    if (name == "Message") return take_text(value, reason.message, message_in);
    return {};
}

Result<void> throttling_member(ThrottlingReason& reason, std::string_view name, JsonNode& value) {
    if (name == "reason") return take_text(value, reason.reason, code_in);
    if (name == "resource") return take_text(value, reason.resource, resource_in);
    return {};
}

Result<void> error_member(ServiceError& error, std::string_view name, JsonNode& value) {
    if (name == "__type") return take_text(value, error.code, code_in);
    if (name == "message" || name == "Message") return take_text(value, error.message, message_in);
    if (name == "CancellationReasons")
        return take_reasons(value, error.cancellation, cancellation_member);
    if (name == "ThrottlingReasons" || name == "throttlingReasons")
        return take_reasons(value, error.throttling, throttling_member);
    return {};
}

// Items in a reading of their own: one that cannot be read must not cost the code.
Result<void> take_items(std::string_view body, ServiceError& error) {
    return read_object(body, [&](std::string_view name, JsonNode& value) -> Result<void> {
        if (name == "Item") {
            PERDURE_TRY_VALUE(error.item, value.item());
            return {};
        }
        if (name != "CancellationReasons") return {};
        std::size_t position = 0;
        return value.each_element([&](JsonNode& element) -> Result<void> {
            if (position >= error.cancellation.size()) return {};
            CancellationReason& reason = error.cancellation[position++];
            return element.each_member(
                [&](std::string_view member, JsonNode& item) -> Result<void> {
                    if (member != "Item") return {};
                    PERDURE_TRY_VALUE(reason.item, item.item());
                    return {};
                });
        });
    });
}

// "… specific reasons [None, ConditionalCheckFailed]", for answers without the list itself.
std::vector<CancellationReason> reasons_in(std::string_view message) {
    constexpr std::string_view words = "specific reasons [";
    const auto begin = message.find(words);
    if (begin == message.npos) return {};
    message.remove_prefix(begin + words.size());
    message = message.substr(0, message.find(']'));
    std::vector<CancellationReason> reasons;
    while (!message.empty() && reasons.size() < most_error_reasons) {
        const auto comma = std::min(message.find(','), message.size());
        std::string_view code = message.substr(0, comma);
        while (code.starts_with(' ')) code.remove_prefix(1);
        while (code.ends_with(' ')) code.remove_suffix(1);
        reasons.push_back({.code = std::string{code}});
        message.remove_prefix(std::min(comma + 1, message.size()));
    }
    return reasons;
}

// The first few in words, each once.
template <class Reasons, class Words>
std::string listed(const Reasons& reasons, Words words) {
    std::string text;
    std::string_view mark = "";
    for (const auto& reason : reasons) {
        const std::string next = words(reason);
        if (text.size() + next.size() > longest_list) return text + mark.data() + "…";
        text += mark;
        text += next;
        mark = ", ";
    }
    return text;
}

}  // namespace

ServiceError parse_error(std::string_view body) {
    ServiceError error;
    const auto read = read_object(body, [&](std::string_view name, JsonNode& value) {
        return error_member(error, name, value);
    });
    if (!read) return {};
    if (body.find("\"Item\"") != body.npos) (void)take_items(body, error);
    if (error.cancellation.empty() && error.code.starts_with("TransactionCanceled"))
        error.cancellation = reasons_in(error.message);
    return error;
}

std::string describe(const ServiceError& error) {
    std::string text = error.message;
    const auto add = [&](std::string_view title, const std::string& list) {
        if (list.empty()) return;
        text += text.empty() ? "" : "; ";
        text += title;
        text += list;
    };
    add("throttled by ", listed(error.throttling, [](const ThrottlingReason& reason) {
            return reason.resource.empty() ? reason.reason
                                           : reason.reason + " (" + reason.resource + ")";
        }));
    // The message names them already, as a rule.
    if (text.find("specific reasons [") == text.npos)
        add("reasons ", listed(error.cancellation,
                               [](const CancellationReason& reason) { return reason.code; }));
    return text;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
