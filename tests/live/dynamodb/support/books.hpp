// SPDX-License-Identifier: Apache-2.0
//
// What callers were told about many writes, to be held against what is in the table.
//
//     Books books{"counted", 2000};
//     books.note(7, result);                    // from any thread, once for each number
//     EXPECT_TRUE(books.lies(server).empty());
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "live/support/dynamo_server.hpp"
#include "perdure/result.hpp"

namespace perdure::live {

class Books {
public:
    enum class End : std::uint8_t { open, done, none, unknown, applied };
    struct Ends {
        int done = 0;
        int none = 0;     // the caller knows that it did not happen
        int unknown = 0;  // nobody knows
        int applied = 0;  // it happened, only the answer was lost
    };

    Books(std::string kind, int writes)
        : kind_{std::move(kind)}, lines_(static_cast<std::size_t>(writes)) {}

    [[nodiscard]] int writes() const noexcept { return static_cast<int>(lines_.size()); }
    [[nodiscard]] const std::string& kind() const noexcept { return kind_; }
    // The key of a write's item; its attribute `n` counts how often it was applied.
    [[nodiscard]] std::string id(int number) const { return kind_ + "-" + std::to_string(number); }

    void note_done(int number);
    void note(int number, const Failure& failure);
    template <class T>
    void note(int number, const Result<T>& result) {
        if (result) note_done(number);
        else note(number, result.error());
    }

    [[nodiscard]] Ends ends() const;
    // What is in the table otherwise than the caller was told, a line each.
    [[nodiscard]] std::vector<std::string> lies(DynamoServer& server);
    // Writes that are there twice or more, or were told done and are not there.
    [[nodiscard]] int doubled() const noexcept { return doubled_; }
    [[nodiscard]] int lost() const noexcept { return lost_; }
    // Told that it did not happen, and it did.
    [[nodiscard]] int yet_done() const noexcept { return yet_done_; }
    void print(std::ostream& out) const;

private:
    struct Line {
        End end = End::open;
        std::string failure{};
        std::string why{};  // the same in short
    };
    [[nodiscard]] std::string lie(int number, int times);

    std::string kind_;
    std::vector<Line> lines_;
    int doubled_ = 0, lost_ = 0, yet_done_ = 0;
};

// How often the item with this key was written, by its attribute `n`; 0: it is not there.
int applied(DynamoServer& server, const std::string& id);

}  // namespace perdure::live
