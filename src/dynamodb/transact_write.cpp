// SPDX-License-Identifier: Apache-2.0
#include "perdure/dynamodb/transact_write.hpp"

#include <array>

#include "transact_body.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

namespace {

constexpr std::size_t longest_token = 36;
// In the order of the alternatives.
constexpr std::array<std::string_view, 4> kinds = {"Put", "Update", "Delete", "ConditionCheck"};

Result<void> check_token(std::string_view token) {
    if (token.empty() || token.size() > longest_token)
        return fail(invalid_request("a transaction's token has 1 to 36 characters"));
    for (const char c : token)
        if (c <= ' ' || c > '~')
            return fail(invalid_request("a transaction's token is made of visible ASCII"));
    return {};
}

}  // namespace

std::string_view TransactWrite::table() const noexcept {
    if (actions_.empty()) return {};
    return std::visit([](const auto& action) { return action.table(); }, actions_.front());
}

Result<void> TransactWrite::append_body(std::string& out, const CallFacts& facts) const {
    PERDURE_TRY(check_actions(actions_.size()));
    const std::string_view token = has_token_ ? std::string_view{token_} : facts.id;
    PERDURE_TRY(check_token(token));
    JsonWriter json{out};
    json.begin_object();
    json.key("TransactItems");
    json.begin_array();
    for (std::size_t i = 0; i < actions_.size(); ++i)
        PERDURE_TRY(std::visit(
            [&](const auto& action) {
                return append_action(json, kinds[actions_[i].index()], action, i);
            },
            actions_[i]));
    json.end_array();
    json.member("ClientRequestToken", token);
    if (reports_capacity_) append_report_capacity(json);
    json.end_object();
    return {};
}

Result<Transacted> TransactWrite::read(std::string& json) const {
    Transacted done;
    PERDURE_TRY(read_object(json, [&](std::string_view name, JsonNode& node) -> Result<void> {
        if (name != "ConsumedCapacity") return {};
        auto units = read_capacities(node);
        if (!units) return units.take_failure();
        done.capacity = *units;
        return {};
    }));
    return done;
}

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
