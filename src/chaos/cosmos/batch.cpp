// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdio>

#include "chaos/cosmos/turn.hpp"

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

constexpr std::size_t most_batch_operations = 100;
constexpr int failed_dependency = 424;

std::optional<Verb> verb_named(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, Verb>, 6> verbs{{{"Create", Verb::create},
                                                                      {"Upsert", Verb::upsert},
                                                                      {"Read", Verb::read},
                                                                      {"Replace", Verb::replace},
                                                                      {"Delete", Verb::remove},
                                                                      {"Patch", Verb::patch}}};
    for (const auto& [its_name, verb] : verbs)
        if (its_name == name) return verb;
    return std::nullopt;
}

Outcome run(ItemWriter& items, const Json& operation, const Key& key) {
    const auto verb = verb_named(operation.word("operationType"));
    const Json* body = operation.find("resourceBody");
    const bool has_body = verb && *verb != Verb::read && *verb != Verb::remove;
    if (!verb || (has_body && (!body || !(body->is_object() || *verb == Verb::patch))))
        return {.status = 400, .message = "the operation is not understood"};
    Outcome outcome = items.act({.verb = *verb,
                                 .id = operation.word("id"),
                                 .key = &key,
                                 .body = body,
                                 .if_match = operation.word("ifMatch"),
                                 .if_none_match = operation.word("ifNoneMatch")});
    return outcome;
}

void append(std::string& out, const Outcome& outcome) {
    std::array<char, 32> charge{};
    std::snprintf(charge.data(), charge.size(), "%.2f", outcome.charge);
    out += (out.size() > 1 ? "," : "") + std::string{"{\"statusCode\":"} +
           std::to_string(outcome.status);
    if (outcome.substatus != 0) out += ",\"subStatusCode\":" + std::to_string(outcome.substatus);
    out.append(",\"requestCharge\":").append(charge.data());
    if (outcome.item) {
        out.append(",\"eTag\":").append(quoted(outcome.item->etag));
        if (outcome.status != 304) out.append(",\"resourceBody\":").append(outcome.item->text);
    }
    if (!outcome.message.empty()) out.append(",\"message\":").append(quoted(outcome.message));
    out += '}';
}

}  // namespace

// All or nothing: 200, or 207 with the culprit's own status and 424 for the others.
Answer Turn::batch() {
    if (asked_.body.size() > largest_item) return refuse(413, 0, "Request size is too large");
    const auto body = Json::parse(asked_.body);
    if (!body || !body->is_array() || body->elements().empty())
        return refuse(400, 0, "a batch is an array of operations");
    if (body->elements().size() > most_batch_operations)
        return refuse(400, 0, "a batch has at most 100 operations");
    if (!asked_.flagged("x-ms-cosmos-batch-atomic"))
        return refuse(400, 0, "only atomic batches are served here");
    if (!destination_.key || !range_)
        return refuse(400, 0, "PartitionKey value must be supplied for a batch.");
    ItemWriter items = writer();
    std::vector<Outcome> outcomes;
    Answer answer;
    answer.charge = 0;
    for (const Json& operation : body->elements()) {
        outcomes.push_back(run(items, operation, *destination_.key));
        answer.charge += outcomes.back().charge;
        if (outcomes.back().status >= 400) answer.status = 207;
        if (answer.status == 207) break;
    }
    if (answer.status == 207) {
        const std::size_t culprit = outcomes.size() - 1;
        for (std::size_t i = 0; i < culprit; ++i)
            outcomes[i] = {.status = failed_dependency, .charge = 0};
        outcomes.resize(body->elements().size(), {.status = failed_dependency, .charge = 0});
    } else {
        items.commit();
    }
    answer.body = "[";
    for (const Outcome& outcome : outcomes) append(answer.body, outcome);
    answer.body += ']';
    return answer;
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
