// SPDX-License-Identifier: Apache-2.0
//
// Who does the loading? Some workers, each with one batch in hand: take, read, write, again.
//
//     Crew crew{target, feed, schema, {.workers = 4}};
//     while (!crew.over()) …show…;
//     const Ending ending = crew.end();
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "load/engine/feed.hpp"
#include "load/engine/pace.hpp"
#include "load/source/reading.hpp"

namespace tool::load {

struct CrewOptions {
    int workers = 1;
    // This many rejected records, without one between them that was loaded, end the load: then the table
    // or the input is wrong, not some records. 0: they never do.
    std::uint64_t most_rejected = 1000;
};

// Why a load ended before its inputs did; nothing, if it did not.
struct Ending {
    std::optional<perdure::Failure> failure{};
    std::string where{};  // "orders.csv:1201", or the input's name, or empty
};

// Made and ended by one thread.
class Crew {
public:
    Crew(Target& target, Feed& feed, const Schema& schema, Tally& tally, CrewOptions options);
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    ~Crew();

    // No further batch is taken; those in hand are finished.
    void finish_up() noexcept { no_more_.request_stop(); }
    // Not even those: transactions are broken off, and a later run does them again.
    void drop() noexcept;
    [[nodiscard]] bool over() const noexcept { return at_work_.load() == 0; }
    // Waits for the workers.
    [[nodiscard]] Ending end();

private:
    // Records [from, to) of a batch, written as one.
    struct Piece {
        std::size_t from = 0;
        std::size_t to = 0;
    };
    void work();
    [[nodiscard]] bool take_and_write(Batch& batch, Rows& rows);
    [[nodiscard]] bool deal_with(const Batch& batch, Rows& rows);
    [[nodiscard]] Result<Range> write(const Batch& batch, const Rows& rows, const Piece& piece);
    [[nodiscard]] Result<Range> reject(const Batch& batch, const Rows& rows, std::size_t record,
                                       std::string reason);
    [[nodiscard]] Result<Range> send(const Order& order);
    [[nodiscard]] Result<Range> look_up(const Order& order, perdure::Failure taken);
    void give_up(perdure::Failure failure, std::string where);
    // False: there were too many, and the load has been given up.
    [[nodiscard]] bool bear_rejections(const Batch& batch, std::size_t next);
    void count_rejections(const Range& written, const std::string& reason, std::uint64_t at_end);
    [[nodiscard]] std::size_t end_of_bearable(const Rows& rows);

    Target& target_;
    Feed& feed_;
    const Schema& schema_;
    Tally& tally_;
    Pace pace_;
    std::stop_source no_more_;
    std::stop_source dropped_;
    std::atomic<int> at_work_{0};
    const std::uint64_t most_rejected_;
    std::mutex mutex_;
    std::uint64_t rejected_in_a_row_ = 0;
    std::string last_reason_;  // of a rejection
    Ending ending_;
    std::vector<std::jthread> workers_;
};

}  // namespace tool::load
