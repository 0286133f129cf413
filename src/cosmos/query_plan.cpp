// SPDX-License-Identifier: Apache-2.0
#include "query_plan.hpp"

#include <string>

#include "perdure/cosmos/wire/document.hpp"
#include "perdure/cosmos/wire/service_error.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

Fail not_servable(int status, std::string code, const std::string& why) {
    return fail({.cause = Cause::invalid,
                 .effect = Effect::none,
                 .status = status,
                 .code = std::move(code),
                 .message = "the query cannot be answered partition by partition: " + why +
                            "; what sorts, groups, counts or cuts would have to be merged on the "
                            "client, which is not supported: give a partition key"});
}

// Whether the plan has something there: no empty list, no null, no "None".
bool names(const Document& plan, std::string_view what) {
    const auto json = plan.text_at(what);
    return json && *json != "null" && *json != "\"None\"" && *json != "[]" && *json != "{}";
}

}  // namespace

Result<void> QueryPlan::describe(Envelope& envelope, const CallFacts& facts) const {
    PERDURE_TRY(query_.describe(envelope, facts));
    // Only the plan's own fields, as JS and .NET send it: x-ms-documentdb-isquery beside them asks for items.
    envelope.fields.clear();
    envelope.session = Envelope::Session::none;
    envelope.add_field("x-ms-cosmos-is-query-plan-request", "True");
    envelope.add_field("x-ms-cosmos-query-version", "1.4");
    envelope.add_field("x-ms-cosmos-supported-query-features", "None");
    return {};
}

// A server that knows no plans answers the query itself, and then there is nothing to see.
Result<double> QueryPlan::read(Reply& reply, const CallFacts&) const {
    const http::Response& response = reply.response;
    if (response.status >= 400) {
        std::string why = parse_error(response.body).message;
        if (why.empty()) why = "the service refuses to plan it";
        return not_servable(response.status,
                            to_string(status_code_of(response.status, response.headers)), why);
    }
    const Document plan{response.body};
    for (const std::string_view what :
         {"/queryInfo/distinctType", "/queryInfo/top", "/queryInfo/offset", "/queryInfo/limit",
          "/queryInfo/orderBy", "/queryInfo/groupByExpressions", "/queryInfo/aggregates"})
        if (names(plan, what))
            return not_servable(response.status, "400/1004",
                                "it needs " + std::string{what.substr(what.rfind('/') + 1)});
    return reply.charge;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
