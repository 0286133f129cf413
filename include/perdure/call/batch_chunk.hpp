// SPDX-License-Identifier: Apache-2.0
//
// What goes out in one send of a batch, and what came of each item?
//
//     [&](const Chunk& chunk, const Attempt& attempt) -> Result<ChunkAnswer<>> {
//         ChunkAnswer<> answer{chunk};                       // all done, unless …
//         for (const std::size_t at : unprocessed) answer.left(at, {.cause = Cause::throttled});
//         return answer;
//     }
//
// Positions count within the chunk; `chunk[position]` is the index of the item in the batch. Whether
// an item that is left is sent again is not said here: its failure goes through the five questions.
#pragma once

#include <cassert>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "perdure/result.hpp"
#include "perdure/result_void.hpp"

namespace perdure {
inline namespace v0 {

// A plain value: the indices of the items to send.
class Chunk {
public:
    Chunk() = default;
    explicit Chunk(std::vector<std::size_t> items) noexcept : items_{std::move(items)} {}

    [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
    [[nodiscard]] std::size_t operator[](std::size_t position) const noexcept {
        return assert(position < items_.size()), items_[position];
    }
    [[nodiscard]] auto begin() const noexcept { return items_.begin(); }
    [[nodiscard]] auto end() const noexcept { return items_.end(); }

private:
    std::vector<std::size_t> items_;
};

// For each position of a chunk: done, or why not. A plain value.
using ChunkMarks = std::vector<Result<void>>;

namespace detail {

inline void leave_all(ChunkMarks& marks, const Failure& why) {
    for (Result<void>& mark : marks) mark = fail(why);
}

}  // namespace detail

// A plain value. The last word about a position counts; one that was never mentioned has no value, and
// is left as `corrupt`: nobody knows what became of it.
template <class T = void>
class ChunkAnswer {
public:
    using value_type = T;

    explicit ChunkAnswer(const Chunk& chunk) : values_(chunk.size()), marks_(chunk.size()) {}

    void done(std::size_t position, T value) {
        values_.at(position) = std::move(value);
        marks_[position] = {};
    }
    void left(std::size_t position, Failure why) {
        marks_.at(position) = fail(std::move(why));
        values_[position].reset();
    }
    // Then done() for those that are.
    void all_left(const Failure& why) {
        detail::leave_all(marks_, why);
        for (auto& value : values_) value.reset();
    }

    // For drivers.
    [[nodiscard]] std::vector<std::optional<T>>& values() noexcept { return values_; }
    [[nodiscard]] ChunkMarks take_marks() {
        for (std::size_t at = 0; at < marks_.size(); ++at)
            if (marks_[at] && !values_[at])
                marks_[at] = fail({.cause = Cause::corrupt, .code = "not-answered"});
        return std::move(marks_);
    }

private:
    std::vector<std::optional<T>> values_;
    ChunkMarks marks_;
};

// Without values all are done unless left.
template <>
class ChunkAnswer<void> {
public:
    using value_type = void;

    explicit ChunkAnswer(const Chunk& chunk) : marks_(chunk.size()) {}

    void done(std::size_t position) { marks_.at(position) = {}; }
    void left(std::size_t position, Failure why) { marks_.at(position) = fail(std::move(why)); }
    void all_left(const Failure& why) { detail::leave_all(marks_, why); }

    [[nodiscard]] ChunkMarks take_marks() noexcept { return std::move(marks_); }

private:
    ChunkMarks marks_;
};

}  // namespace v0
}  // namespace perdure
