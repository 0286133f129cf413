// SPDX-License-Identifier: Apache-2.0
//
// What does DynamoDB itself know about loads? One more table, perdure_load, with all about one table
// and input under one partition key, written in the data's own transactions:
//
//     entry                     how the input begins, what was there before, who holds it
//     fence#00, fence#01, …     who holds it, once for each transaction that may be under way
//     range#G#00000000000000001200      a part that has been dealt with, and what became of it
//     rejected#G#00000000000000001200   a record that was not loaded, with reason and text
//
// Whoever enters an input holds it until somebody else does: every transaction checks a fence, and who
// enters sets all of them, which cannot happen while one is being checked. There are several because
// two transactions that check one item at once stand in each other's way. G is another for each entry:
// an input is forgotten by taking its entry away, at once, and what still lies there is of no meaning.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/target/target.hpp"
#include "perdure/dynamodb/client.hpp"
#include "perdure/dynamodb/transact_write.hpp"

namespace tool::load {

inline constexpr std::string_view dynamodb_ledger_table = "perdure_load";
inline const std::string dynamodb_books{dynamodb_ledger_table};  // as requests take it

// Safe for any number of threads.
class DynamoLedger {
public:
    // `at_once`: so many transactions may be under way, at most 64.
    DynamoLedger(perdure::dynamodb::Client& client, std::string table, int at_once);

    // As Target has them.
    [[nodiscard]] Result<void> open();
    [[nodiscard]] Result<SourceEntry> enter(const SourceEntry& source);
    [[nodiscard]] Result<std::optional<SourceEntry>> entry(std::string_view source);
    [[nodiscard]] Result<std::vector<Range>> done(std::string_view source);
    [[nodiscard]] Result<void> merge(std::string_view source, std::uint64_t begin,
                                     std::uint64_t end);
    [[nodiscard]] Result<void> forget(std::string_view source);
    [[nodiscard]] Result<void>
    rejections(std::string_view source,
               const std::function<Result<void>(const KeptRejection&)>& each);

    // An input that we hold, and a fence for one transaction; gives the fence back at its end.
    class Hold {
    public:
        Hold(DynamoLedger& ledger, std::string id, std::string generation);
        Hold(const Hold&) = delete;
        Hold& operator=(const Hold&) = delete;
        ~Hold();

        // The first two actions of a transaction: the check of the fence and the range.
        void claim(const Range& range, perdure::dynamodb::TransactWrite& into) const;
        // One action for each.
        void reject(const Order& order, std::span<const Rejected> rejected,
                    perdure::dynamodb::TransactWrite& into) const;

    private:
        friend class DynamoLedger;
        void check(perdure::dynamodb::TransactWrite& into) const;
        [[nodiscard]] perdure::dynamodb::Item key(std::string at) const;

        DynamoLedger& ledger_;
        const std::string id_;
        const std::string generation_;
        const std::size_t fence_;
    };
    static constexpr std::size_t own_actions = 2;
    // Nothing: it was never entered here.
    [[nodiscard]] std::unique_ptr<Hold> hold(std::string_view source);

private:
    struct Entry {
        SourceEntry source{};
        std::string holder{};
        std::string generation{};
        std::uint64_t fences = 0;
    };

    [[nodiscard]] Result<std::string> id_of(std::string_view source) const;
    // Nothing: there is none, or not even a ledger.
    [[nodiscard]] Result<std::optional<Entry>> read_entry(std::string_view source);
    [[nodiscard]] Result<std::optional<std::string>> generation_of(std::string_view source);
    [[nodiscard]] Result<std::vector<Range>> ranges(const std::string& id, std::string_view from,
                                                    std::string_view to);
    [[nodiscard]] perdure::dynamodb::TransactWrite
    entering(const std::string& id, const std::optional<Entry>& known, const Entry& wanted) const;
    [[nodiscard]] Result<void> join(const Hold& hold, std::span<const Range> ranges);
    [[nodiscard]] Result<void> sweep(const std::string& id, const std::string& prefix);
    [[nodiscard]] std::size_t take_fence();
    void give_back(std::size_t fence);

    perdure::dynamodb::Client& client_;
    const std::string table_;
    const std::string holder_;  // who we are
    std::mutex mutex_;
    std::map<std::string, std::string, std::less<>> held_;  // inputs we entered: their generation
    std::vector<int> in_use_;                               // for each fence, by how many
};

// Whether this action of a transaction, by its number, was refused by its condition.
[[nodiscard]] bool refused(const perdure::dynamodb::ServiceError& error, std::size_t action);

}  // namespace tool::load
