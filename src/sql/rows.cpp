// SPDX-License-Identifier: Apache-2.0
#include "perdure/sql/rows.hpp"

#include <algorithm>
#include <cstring>

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

Failure no_column(std::string_view asked, std::span<const std::string> names) {
    std::string message{"there is no column "};
    message.append(asked).append("; there are: ");
    for (std::size_t i = 0; i < names.size(); ++i)
        message.append(i == 0 ? "" : ", ").append(names[i]);
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = "no-column",
            .message = std::move(message)};
}

constexpr std::size_t block_size = 65'536;

}  // namespace

RowSink::~RowSink() = default;

Result<Cell> Row::cell(std::size_t column) const {
    if (column >= cells_.size()) return fail(no_column(std::to_string(column), names_));
    return cells_[column];
}

Result<Cell> Row::cell(std::string_view column) const {
    const auto found = std::ranges::find(names_, column);
    if (found == names_.end()) return fail(no_column(column, names_));
    return cells_[static_cast<std::size_t>(found - names_.begin())];
}

void Row::name_column(Failure& failure, std::string_view column) {
    failure.message.append(" (column ").append(column).append(")");
}

Failure Rows::not_single() const {
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = "not-single",
            .message = "one row was expected, " + std::to_string(size()) + " came"};
}

Result<void> RowBuffer::columns(std::span<const std::string_view> names) {
    rows_ = Rows{};
    used_ = 0;
    left_ = 0;
    rows_.names_.assign(names.begin(), names.end());
    return {};
}

char* RowBuffer::room_for(std::size_t bytes) {
    if (bytes > left_) {
        left_ = std::max(block_size, bytes);
        rows_.blocks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
        next_ = rows_.blocks_.back().get();
    }
    char* const room = next_;
    next_ += bytes;
    left_ -= bytes;
    return room;
}

Result<void> RowBuffer::row(std::span<const Cell> cells) {
    for (const Cell& cell : cells) used_ += sizeof(Cell) + cell.view.size();
    if (used_ > most_)
        return fail({.cause = Cause::too_large,
                     .origin = Origin::application,
                     .code = "result-too-large",
                     .message = "the result is larger than " + std::to_string(most_) +
                                " bytes: ask for less, raise most_bytes, or use stream()"});
    for (Cell cell : cells) {
        if (!cell.view.empty()) {
            char* const room = room_for(cell.view.size());
            std::memcpy(room, cell.view.data(), cell.view.size());
            cell.view = {room, cell.view.size()};
        }
        rows_.cells_.push_back(cell);
    }
    return {};
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
