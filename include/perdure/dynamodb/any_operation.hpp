// SPDX-License-Identifier: Apache-2.0
//
// How do I call an operation that has no type here? By its name, with the JSON that AWS documents.
//
//     const auto ttl = admin.send(AnyOperation{"DescribeTimeToLive", R"({"TableName":"orders"})"});
//     if (ttl) parse(*ttl);      // the answer's JSON, as it came
//
// How safe it is to repeat follows from the name and from whether the JSON has the operation's token;
// docs/reference/dynamodb-operations.md has the table. Signing, checking, classifying, deadlines and
// attempts are those of every other call; nothing is put into the JSON, so a token is the caller's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "perdure/dynamodb/call_facts.hpp"
#include "perdure/result.hpp"
#include "perdure/result_void.hpp"
#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// A plain value. A name that is not made of letters, or JSON that is no object, ends as `invalid`
// before anything is sent.
class AnyOperation {
public:
    using Answer = std::string;

    explicit AnyOperation(std::string name, std::string json = "{}");

    // What the caller knows about repeating it wins over what the name says.
    AnyOperation& safety(Safety declared) & {
        safety_ = declared;
        return *this;
    }
    AnyOperation&& safety(Safety declared) && { return std::move(safety(declared)); }

    [[nodiscard]] std::string_view operation() const noexcept { return name_; }
    [[nodiscard]] std::string_view table() const noexcept { return table_; }  // TableName, if any
    [[nodiscard]] Safety safety() const noexcept { return safety_; }
    Result<void> append_body(std::string& out, const CallFacts& facts) const;
    [[nodiscard]] Result<std::string> read(std::string& json) const;

private:
    std::string name_;
    std::string json_;
    std::string table_{};
    Safety safety_ = Safety::once;
    std::optional<std::string> problem_{};
};

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
