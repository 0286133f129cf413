// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/patch.hpp"

#include <algorithm>

#include "item_body.hpp"
#include "perdure/call/json_text.hpp"
#include "perdure/cosmos/wire/limits.hpp"
#include "perdure/try.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

// Whether the path may lead into a list: its last name is a number, or - for behind the last.
bool may_be_an_element(std::string_view path) noexcept {
    const std::string_view last = path.substr(path.rfind('/') + 1);
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return last == "-" || (!last.empty() && std::ranges::all_of(last, is_digit));
}

Result<void> check_path(std::string_view path) {
    if (!path.starts_with('/') || path == "/")
        return fail(invalid_request("a path in a patch begins with / and leads somewhere"));
    if (path == "/id") return fail(invalid_request("an item's id cannot be patched"));
    return {};
}

}  // namespace

bool Patch::repeatable() const noexcept {
    return std::ranges::all_of(changes_, [](const Change& one) {
        if (one.op == "set") return !one.path.ends_with("/-");
        if (one.op == "replace") return true;
        return one.op == "remove" && !may_be_an_element(one.path);
    });
}

Result<void> Patch::append_to(std::string& json) const {
    if (changes_.empty()) return fail(invalid_request("the patch changes nothing"));
    if (changes_.size() > most_patch_operations)
        return fail(invalid_request("a patch may have 10 changes, and has " +
                                    std::to_string(changes_.size())));
    json += '{';
    if (!condition_.empty()) {
        PERDURE_TRY(Value{condition_}.check());
        json += "\"condition\":";
        append_json_text(json, condition_);
        json += ',';
    }
    json += "\"operations\":[";
    for (const Change& one : changes_) {
        PERDURE_TRY(check_path(one.path));
        PERDURE_TRY(one.value.check());
        if (&one != &changes_.front()) json += ',';
        json.append(R"({"op":")").append(one.op).append("\"");
        append_text_field(json, "path", one.path);
        if (one.op == "move") {
            PERDURE_TRY(check_path(one.from));
            append_text_field(json, "from", one.from);
        } else if (one.op != "remove") {
            json.append(",\"value\":").append(one.value.json());
        }
        json += '}';
    }
    json += "]}";
    return {};
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
