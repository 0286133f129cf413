// SPDX-License-Identifier: Apache-2.0
//
// Bytes are a query, its parameters and a document, one on each line. What is read must hold no more than the
// text could say, mean the same a second time, and give documents that are JSON.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "../chaos/cosmos/query_weight.hpp"

namespace {

using namespace perdure::chaos::gateway;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "it is not so that %s\n", what);
    std::abort();
}

std::string_view next_line(std::string_view& rest) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return line;
}

// A comparison of three characters is a part of an OR and of an AND, and has a path and a value.
void try_weight(const Query& query, std::size_t text, std::size_t parameters) {
    const QueryWeight weight = weight_of(query);
    must(weight.parts <= 4 * text + 16, "a query has no more parts than its text");
    // A field is called after its path; a control character takes six bytes in JSON.
    must(weight.bytes <= 6 * (text + parameters) + 64, "a query holds no more than its text");
}

void try_item(const Query& query, const Json& item) {
    must(query.fits(item) == query.fits(item), "a condition is true or not");
    // A document as deep as can be read is one level deeper as a field.
    const auto made = query.project(item);
    if (made && query.select != Query::Select::fields)
        must(Json::parse(made->dump()).has_value(), "what is answered is JSON");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest{reinterpret_cast<const char*>(data), size};
    const std::string_view text = next_line(rest), parameters = next_line(rest);
    Json body = Json::object();
    body.set("query", Json::text(text));
    if (auto given = Json::parse(parameters)) body.set("parameters", *std::move(given));
    std::string problem, again;
    const auto query = Query::read(body, problem);
    must(query.has_value() == problem.empty(), "a query is read, or its problem has words");
    must(Query::read(body, again).has_value() == query.has_value() && again == problem,
         "a query means the same a second time");
    const auto item = Json::parse(rest);
    if (query) try_weight(*query, text.size(), parameters.size());
    if (query && item) try_item(*query, *item);
    if (const auto condition = Query::condition(text)) {
        try_weight(*condition, text.size(), 0);
        if (item) try_item(*condition, *item);
    }
    return 0;
}
