// SPDX-License-Identifier: Apache-2.0
//
// What did a query give? All of its rows, read to the end and held here, so that nothing can fail
// while they are looked at.
//
//     for (const sql::Row& row : *rows) sum += row.get<std::int64_t>("cents").value_or(0);
//     const auto name = rows->at(0).get<std::string>(1);          // Result<std::string>
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/result.hpp"
#include "perdure/sql/cell.hpp"
#include "perdure/sql/statement.hpp"

namespace perdure {
inline namespace v0 {
namespace sql {

// A view of one row; lives as long as what it was taken from.
class Row {
public:
    Row(std::span<const std::string> names, std::span<const Cell> cells) noexcept
        : names_{names}, cells_{cells} {}

    [[nodiscard]] std::size_t size() const noexcept { return cells_.size(); }
    // A column that is not there is `invalid` and says which there are.
    [[nodiscard]] Result<Cell> cell(std::size_t column) const;
    [[nodiscard]] Result<Cell> cell(std::string_view column) const;

    template <class T>
    [[nodiscard]] Result<T> get(std::size_t column) const {
        auto found = cell(column);
        if (!found) return found.take_failure();
        auto value = read<T>(*found);
        if (!value) name_column(value.error(), names_[column]);
        return value;
    }
    template <class T>
    [[nodiscard]] Result<T> get(std::string_view column) const {
        auto found = cell(column);
        if (!found) return found.take_failure();
        auto value = read<T>(*found);
        if (!value) name_column(value.error(), column);
        return value;
    }

private:
    static void name_column(Failure& failure, std::string_view column);

    std::span<const std::string> names_;
    std::span<const Cell> cells_;
};

// Movable; may be read by many threads at once.
class Rows {
public:
    Rows() = default;

    [[nodiscard]] std::size_t size() const noexcept {
        return names_.empty() ? 0 : cells_.size() / names_.size();
    }
    [[nodiscard]] bool empty() const noexcept { return cells_.empty(); }
    [[nodiscard]] std::span<const std::string> columns() const noexcept { return names_; }
    // Only for index < size().
    [[nodiscard]] Row at(std::size_t index) const noexcept {
        return {names_, std::span{cells_}.subspan(index * names_.size(), names_.size())};
    }
    // The first column of the only row: select count(*) …
    template <class T>
    [[nodiscard]] Result<T> single() const {
        if (size() != 1) return fail(not_single());
        return at(0).template get<T>(0);
    }

    class Walk;
    [[nodiscard]] Walk begin() const noexcept;
    [[nodiscard]] Walk end() const noexcept;

private:
    friend class RowBuffer;
    [[nodiscard]] Failure not_single() const;

    std::vector<std::string> names_;
    std::vector<Cell> cells_;
    std::vector<std::unique_ptr<char[]>> blocks_;  // where texts and bytes lie; never moved
};

class Rows::Walk {
public:
    using value_type = Row;
    using difference_type = std::ptrdiff_t;
    Walk() = default;
    Walk(const Rows& rows, std::size_t index) noexcept : rows_{&rows}, index_{index} {}
    Row operator*() const noexcept { return rows_->at(index_); }
    Walk& operator++() noexcept {
        ++index_;
        return *this;
    }
    Walk operator++(int) noexcept {
        Walk before = *this;
        ++index_;
        return before;
    }
    friend bool operator==(const Walk& a, const Walk& b) noexcept { return a.index_ == b.index_; }

private:
    const Rows* rows_ = nullptr;
    std::size_t index_ = 0;
};

inline Rows::Walk Rows::begin() const noexcept { return {*this, 0}; }
inline Rows::Walk Rows::end() const noexcept { return {*this, size()}; }

// Gathers rows up to a limit of memory.
class RowBuffer final : public RowSink {
public:
    explicit RowBuffer(std::size_t most_bytes) noexcept : most_{most_bytes} {}
    Result<void> columns(std::span<const std::string_view> names) override;
    Result<void> row(std::span<const Cell> cells) override;
    [[nodiscard]] Rows take() noexcept { return std::move(rows_); }

private:
    char* room_for(std::size_t bytes);

    Rows rows_;
    std::size_t most_;
    std::size_t used_ = 0;
    char* next_ = nullptr;
    std::size_t left_ = 0;
};

}  // namespace sql
}  // namespace v0
}  // namespace perdure
