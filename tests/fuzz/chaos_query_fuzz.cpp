// SPDX-License-Identifier: Apache-2.0
//
// Three texts with a NUL between them become a query, an item and a patch for the Cosmos DB account
// in memory. JSON that is written and read again must be the same, a query that is not understood
// must have a problem in words, and what a query or a patch gives must be JSON.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "chaos/cosmos/patch.hpp"
#include "chaos/cosmos/query.hpp"
#include "memory_file.hpp"

namespace {

using namespace perdure::chaos::gateway;
using fuzz::must;

std::array<std::string_view, 3> parts_of(std::string_view bytes) {
    std::array<std::string_view, 3> parts;
    for (std::string_view& part : parts) {
        part = bytes.substr(0, bytes.find('\0'));
        bytes.remove_prefix(std::min(bytes.size(), part.size() + 1));
    }
    return parts;
}

// A value that is read again is the same.
std::optional<Json> read(std::string_view text) {
    std::optional<Json> value = Json::parse(text);
    if (!value) return value;
    const std::string written = value->dump();
    const std::optional<Json> again = Json::parse(written);
    must(again.has_value(), "what is written can be read");
    must(again->dump() == written, "what is read again is the same");
    return value;
}

void ask(const Query& query, const Json& item) {
    (void)query.fits(item);
    if (const std::optional<Json> answer = query.project(item))
        must(Json::parse(answer->dump()).has_value(), "an answer is JSON");
}

void change(Json item, const Json& patch) {
    const Patched patched = apply_patch(item, patch);
    must(patched.status == 200 || patched.status == 400 || patched.status == 412,
         "a patch is applied, refused or not wanted");
    must(patched.status != 400 || !patched.message.empty(), "a refusal has words");
    must(patched.status != 200 || Json::parse(item.dump()).has_value(), "a patched item is JSON");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto [text, item_text, patch_text] =
        parts_of({reinterpret_cast<const char*>(data), size});
    const std::optional<Json> item = read(item_text);
    const std::optional<Json> patch = read(patch_text);

    Json body = Json::object();
    body.set("query", Json::text(text));
    if (item) body.set("parameters", *item);
    std::string problem;
    const std::optional<Query> query = Query::read(body, problem);
    must(query.has_value() == problem.empty(), "a query is understood or has a problem");
    if (query && item) ask(*query, *item);
    if (item && patch && item->is_object()) change(*item, *patch);
    return 0;
}
