// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/parameter.hpp"

#include "utf8.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

Failure refused(std::string_view code, std::string message) {
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = std::string{code},
            .message = std::move(message)};
}

std::string nth(std::size_t index) { return "parameter " + std::to_string(index + 1); }

}  // namespace

Result<void> check(std::string_view statement, std::span<const Parameter> parameters) {
    if (statement.find('\0') != std::string_view::npos)
        return fail(refused("statement-nul", "the statement has a NUL byte in it"));
    if (!is_utf8(statement))
        return fail(refused("statement-encoding", "the statement is not valid UTF-8"));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const Parameter& parameter = parameters[i];
        if (parameter.too_large())
            return fail(
                refused("parameter-range", nth(i) + " does not fit into a signed 64-bit number"));
        if (parameter.kind() != Kind::text) continue;
        if (parameter.view().find('\0') != std::string_view::npos)
            return fail(
                refused("parameter-nul",
                        nth(i) + " is text with a NUL byte in it; pass sql::Bytes for binary"));
        if (!is_utf8(parameter.view()))
            return fail(refused("parameter-encoding",
                                nth(i) + " is not valid UTF-8; pass sql::Bytes for binary"));
    }
    return {};
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
