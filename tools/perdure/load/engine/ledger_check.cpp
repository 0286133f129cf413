// SPDX-License-Identifier: Apache-2.0
#include "load/engine/ledger_check.hpp"

#include <algorithm>

#include "load/engine/account.hpp"
#include "perdure/try.hpp"
#include "text/thousands.hpp"

namespace tool::load {

using namespace perdure;

namespace {

Fail refused(std::string code, std::string message) {
    return fail({.cause = Cause::invalid,
                 .effect = Effect::none,
                 .origin = Origin::application,
                 .code = std::move(code),
                 .message = std::move(message)});
}

}  // namespace

Result<void> check_ledger(Target& target, const Preparation& made, Again again) {
    const bool rows = made.table && made.table->rows > 0;
    if (again == Again::yes ? !rows || made.schema.key.has_value() : rows) return {};
    for (const Input& input : made.inputs) {
        PERDURE_TRY_VALUE(const auto done, target.done(input.name));
        Account earlier;
        for (const Range& range : done) earlier += range;
        if (earlier.written == 0) continue;
        const std::string known = "by the ledger " + thousands(earlier.written) + " records of '" +
                                  input.options.path + "' ";
        if (again == Again::yes)
            return refused("twice", known +
                                        "are in the table; --again would write them a second "
                                        "time. Leave --again out to go on, empty the table "
                                        "first" +
                                        (target.takes_any_field() ? "" : ", or give --key"));
        // Another load may have begun after the table was looked at.
        if (made.table) {
            PERDURE_TRY_VALUE(const std::uint64_t now, target.count());
            if (now > 0) return {};
        }
        return refused("rows-gone", known + "were written, but the table is " +
                                        (made.table ? "empty" : "not there") +
                                        ": --again loads them anew");
    }
    return {};
}

Result<void> check_rereadable(const std::vector<Input>& inputs) {
    if (std::ranges::none_of(inputs, comes_once)) return {};
    return refused("input-once", "--verify reads the input again, and standard input cannot be: "
                                 "load a file, or leave --verify out");
}

Result<void> check_named(const Preparation& made) {
    const bool unnamed = std::ranges::any_of(made.inputs, [](const Input& input) {
        return input.options.path == "-" && input.named == Named::by_path;
    });
    if (!unnamed || made.schema.key) return {};
    return refused("no-name",
                   "standard input has no name, so a second run would write every record "
                   "again: give --as NAME, or --key COLUMN");
}

}  // namespace tool::load
