// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "explain/explain.hpp"
#include "text/json_text.hpp"

namespace tool {

namespace {

std::string_view yes_or_no(Stop stop) { return stop == Stop::none ? "true" : "false"; }

std::string repeat_json(const Repeat& repeat) {
    JsonLine line;
    line.raw("read", yes_or_no(repeat.read))
        .raw("idempotent", yes_or_no(repeat.idempotent))
        .raw("once", yes_or_no(repeat.once));
    std::string json = std::move(line).end();
    json.pop_back();  // its line end
    return json;
}

JsonLine line_of(const Service& service, const ErrorRow& row) {
    const Failure& failure = row.failure;
    const std::string remedies = to_string(failure.remedies);
    JsonLine line;
    line.text("service", service.name)
        .text("code", row.code)
        .text("cause", to_string(failure.cause))
        .text("effect", to_string(failure.effect))
        .raw("repeat", repeat_json(repeat_of(row)))
        .raw("remedy", remedies.empty() ? "null" : json_text(remedies))
        .text("rule", rule_of(failure))
        .text("source", row.source)
        .text("name", row.name)
        .text("why", row.why);
    const auto text_or_null = [](std::string_view text) {
        return text.empty() ? std::string{"null"} : json_text(text);
    };
    if (!row.reactions.empty())
        line.text("reactions", row.reactions).text("at_commit", row.at_commit);
    if (!row.reactions.empty() || !row.rule.empty()) line.raw("waits", text_or_null(row.rule));
    if (!row.reads.empty()) line.text("reads", row.reads).text("writes", row.writes);
    if (!row.hint.empty()) line.text("hint", row.hint);
    if (!row.differs.empty()) line.text("differs", row.differs);
    return line;
}

}  // namespace

std::string as_json(const Service& service, const ErrorRow& row) {
    return line_of(service, row).end();
}

std::string as_json(std::span<const FoundRow> found) {
    std::string json;
    for (const auto& [service, row] : found) {
        json += (json.empty() ? "[" : ",") + line_of(*service, row).end();
        json.pop_back();
    }
    return json + "]\n";
}

std::string as_json(const Service& service) {
    std::string json;
    for (const ErrorRow& row : service.rows()) {
        json += (json.empty() ? "[" : ",") + line_of(service, row).end();
        json.pop_back();
    }
    return json + "]\n";
}

std::string as_json(const Service& service, std::string_view code, const Otherwise& otherwise) {
    JsonLine line;
    if (otherwise.row) line = line_of(service, *otherwise.row);
    else line.text("service", service.name).text("code", code).raw("cause", "null");
    const std::string& as = otherwise.taken_as;
    line.raw("taken_as", as.empty() ? "null" : json_text(as)).text("remark", otherwise.sentence);
    return std::move(line).end();
}

}  // namespace tool
