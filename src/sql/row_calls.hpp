// SPDX-License-Identifier: Apache-2.0
//
// Where do rows go that nobody keeps? To a function, one by one, or nowhere.
#pragma once

#include <string>
#include <vector>

#include "perdure/call/function_ref.hpp"
#include "perdure/sql/rows.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

class NoRows final : public RowSink {
public:
    Result<void> columns(std::span<const std::string_view>) override { return {}; }
    Result<void> row(std::span<const Cell>) override { return {}; }
};

class RowCalls final : public RowSink {
public:
    explicit RowCalls(FunctionRef<Result<void>(const Row&)> on_row) noexcept : on_row_{on_row} {}
    Result<void> columns(std::span<const std::string_view> names) override {
        names_.assign(names.begin(), names.end());
        return {};
    }
    Result<void> row(std::span<const Cell> cells) override {
        handed_out_ = true;
        return on_row_(Row{names_, cells});
    }
    [[nodiscard]] bool handed_out() const noexcept { return handed_out_; }

private:
    FunctionRef<Result<void>(const Row&)> on_row_;
    std::vector<std::string> names_;
    bool handed_out_ = false;
};

}  // namespace sql
}  // namespace v0
}  // namespace perdure
