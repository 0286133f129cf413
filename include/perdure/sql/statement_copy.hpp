// SPDX-License-Identifier: Apache-2.0
//
// What does a statement take along that is carried out later, on another thread? Its own copy of
// everything.
//
//     StatementCopy copy{"update t set a = ? where id = ?", a, id};
//     session.run(copy.view(), rows, bounds);
#pragma once

#include <string>
#include <vector>

#include "perdure/sql/statement.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// Movable. One thread at a time.
class StatementCopy {
public:
    template <class... P>
    explicit StatementCopy(std::string_view text, const P&... values) : text_{text} {
        parameters_.reserve(sizeof...(P));
        (take(Parameter{values}), ...);
    }

    [[nodiscard]] Statement view() {
        views_.clear();
        for (const Own& own : parameters_) views_.push_back(own.view());
        return {text_, views_};
    }

private:
    struct Own {
        Parameter plain;
        std::string text;
        [[nodiscard]] Parameter view() const noexcept {
            if (plain.kind() == Kind::text) return Parameter{std::string_view{text}};
            if (plain.kind() == Kind::bytes) return Parameter{Bytes{text}};
            return plain;
        }
    };
    void take(const Parameter& parameter) {
        const bool lies_elsewhere =
            parameter.kind() == Kind::text || parameter.kind() == Kind::bytes;
        parameters_.push_back(
            {parameter, lies_elsewhere ? std::string{parameter.view()} : std::string{}});
    }

    std::string text_;
    std::vector<Own> parameters_;
    std::vector<Parameter> views_;
};

}  // namespace sql
}  // namespace v0
}  // namespace perdure
