// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/any_operation.hpp"

#include "operation_table.hpp"
#include "perdure/try.hpp"
#include "request_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::size_t longest_operation = 128;

// It goes into a header, so nothing but letters.
bool is_operation(std::string_view name) noexcept {
    if (name.empty() || name.size() > longest_operation) return false;
    for (const char c : name)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return false;
    return true;
}

}  // namespace

AnyOperation::AnyOperation(std::string name, std::string json)
    : name_{std::move(name)}, json_{std::move(json)} {
    if (!is_operation(name_)) {
        problem_ = "an operation's name is made of letters: DescribeTimeToLive";
        name_.clear();
        return;
    }
    const OperationRow* const row = find_operation(name_);
    Token token = Token::missing;
    const auto read =
        read_object(json_, [&](std::string_view member, JsonNode& node) -> Result<void> {
            const bool is_token = row && !row->token.empty() && member == row->token;
            if (member != "TableName" && !is_token) return {};
            auto text = node.text();
            if (!text) return text.take_failure();
            if (is_token && !text->empty()) token = Token::given;
            if (!is_token) table_ = *std::move(text);
            return {};
        });
    if (!read) problem_ = "the JSON of " + name_ + " cannot be sent: " + read.error().message;
    safety_ = safety_of(name_, token);
}

Result<void> AnyOperation::append_body(std::string& out, const CallFacts&) const {
    if (problem_) return fail(invalid_request(*problem_));
    out += json_;
    return {};
}

Result<std::string> AnyOperation::read(std::string& json) const {
    PERDURE_TRY(read_object(json, [](std::string_view, JsonNode&) -> Result<void> { return {}; }));
    return std::move(json);
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
