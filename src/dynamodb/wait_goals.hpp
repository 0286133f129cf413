// SPDX-License-Identifier: Apache-2.0
//
// What is waited for, and what is done about it? Each goal looks at what DescribeTable said: it is
// reached, it is not yet, it failed; or, for those that act, nothing, and then `request` is sent.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "perdure/dynamodb/create_table.hpp"
#include "perdure/dynamodb/delete_table.hpp"
#include "perdure/result.hpp"

namespace perdure {
inline namespace v0 {
namespace dynamodb {

// Belong to one wait, whose attempts come one after the other.
struct UntilActive {
    using Answer = TableDescription;
    static constexpr Safety safety = Safety::read;
    [[nodiscard]] Result<Answer> look(Result<TableDescription> now) const;
};

struct UntilGone {
    using Answer = void;
    static constexpr Safety safety = Safety::read;
    [[nodiscard]] Result<Answer> look(Result<TableDescription> now) const;
};

struct Ensured {
    using Answer = TableDescription;
    static constexpr Safety safety = Safety::guarded;
    CreateTable request;
    bool done = false;  // the service said yes, perhaps before it shows
    [[nodiscard]] std::optional<Result<Answer>> look(Result<TableDescription> now) const;
    [[nodiscard]] Result<Answer> acted(Result<TableDescription> said);
};

struct EnsuredGone {
    using Answer = void;
    static constexpr Safety safety = Safety::idempotent;
    DeleteTable request;
    bool done = false;
    [[nodiscard]] std::optional<Result<Answer>> look(Result<TableDescription> now) const;
    [[nodiscard]] Result<Answer> acted(Result<TableDescription> said);
};

template <class Goal>
concept Acts = requires(Goal& goal) { goal.request; };

}  // namespace dynamodb
}  // namespace v0
}  // namespace perdure
