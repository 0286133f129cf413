// SPDX-License-Identifier: Apache-2.0
//
// Where do records go, and how is it known afterwards which have gone? A target writes rows and the
// mark that they are written as one: both are there, or neither.
//
//     auto target = open_sql_target(url, options);
//     const auto written = (*target)->write(order);      // one transaction, its fate never guessed at
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "load/source/batch.hpp"
#include "load/source/rows.hpp"
#include "load/source/value.hpp"
#include "perdure/duration.hpp"
#include "perdure/result.hpp"

namespace tool::load {

using perdure::Result;

// Of one source, what has been dealt with. Sums over adjacent ranges are again a range.
struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t first_line = 1;
    std::uint64_t lines = 0;
    std::uint64_t records = 0;
    std::uint64_t written = 0;
    std::uint64_t present = 0;  // were there already, with the same values
    std::uint64_t rejected = 0;
    std::uint64_t reached = 0;      // how far the input had been handed out when this was written
    std::uint64_t digest_high = 0;  // ContentDigest of all bytes of the input before `end`
    std::uint64_t digest_low = 0;
    std::uint64_t written_at = 0;  // seconds since 1970; of joined ranges the latest
    std::uint64_t version = 0;  // of the input: how often it was read again because it had changed

    [[nodiscard]] ContentDigest digest() const noexcept { return {digest_high, digest_low}; }
    friend bool operator==(const Range&, const Range&) noexcept = default;
};

// How the ledger knows an input: made at its first load into this table.
struct SourceEntry {
    std::string name{};
    std::uint64_t head_bytes = 0;
    std::string head{};             // Source::Head
    std::uint64_t rows_before = 0;  // in the table
    Format format = Format::json_lines;
    std::string header{};  // of CSV: its names as a CSV record; kept for the rejected ones
};

// A part of a batch to be written: `rows` from `first` for `count`, and of `rejected` those given.
struct Order {
    const SourceEntry* source = nullptr;
    const Batch* batch = nullptr;
    const Rows* rows = nullptr;
    std::size_t first = 0;
    std::size_t count = 0;
    std::span<const Rejected> rejected{};
    Range range{};  // given but for written, present and rejected
};

// Why a record is rejected whose key belongs to another row.
inline constexpr const char* other_values = "its key is there with other values";

struct KeptRejection {
    std::uint64_t offset = 0;
    std::uint64_t line = 0;
    std::string reason{};
    std::string record{};  // its text
    Format format = Format::json_lines;
    std::string header{};  // of CSV: the names, as a CSV record
};

// What the room said on the way, for the view and the account. Any thread may read.
struct TargetCounts {
    std::uint64_t attempts = 0;  // of transactions
    std::uint64_t retries = 0;
    std::uint64_t throttled = 0;  // attempts that were told to slow down, or met a lock
    std::uint64_t asked = 0;      // outcomes that had to be found out
    std::uint64_t unknown = 0;    // and could not be
    double budget = 0;            // tokens left
};

// A call whose last attempt failed and that goes on.
struct Waiting {
    std::string reason{};
    int attempt = 0;
    perdure::TimePoint since{};
    perdure::Duration allowed{};  // 0: not known
};

struct TableFacts {
    std::vector<Column> columns{};
    std::vector<std::string> unique{};  // columns that alone tell rows apart: keys, unique indexes
    std::uint64_t rows = 0;             // may be fewer than there are, but not 0 if there are any
};

// A row as the target gives it back, in the schema's order; lives until the next.
using RowReader = std::function<Result<void>(std::span<const Value>)>;

// Every failure has been repeated as long as was worth it. Safe for any number of threads.
class Target {
public:
    virtual ~Target() = default;

    [[nodiscard]] virtual std::string_view name() const noexcept = 0;  // no secrets
    // The file that it writes to, where there is one: a look at a file that is missing would make it.
    [[nodiscard]] virtual std::optional<std::string> local_file() const { return std::nullopt; }
    // Whether reading the whole table costs no more than time: not where each read is paid for.
    [[nodiscard]] virtual bool reads_are_free() const noexcept { return false; }
    // How many workers and records at once suit it when the user says nothing.
    [[nodiscard]] virtual int workers() const noexcept = 0;
    // More than so many records are not written as one.
    [[nodiscard]] virtual std::size_t most_records() const noexcept { return SIZE_MAX; }
    // Records may have any fields; of a table's columns only those of its key are known.
    [[nodiscard]] virtual bool takes_any_field() const noexcept { return false; }

    // A table that `create` makes has no more. Services without columns limit a record's size instead.
    [[nodiscard]] virtual std::size_t most_columns() const noexcept { return SIZE_MAX; }

    // Columns whose names differ in case only are the same to it.
    [[nodiscard]] virtual bool folds_case() const noexcept { return false; }

    // Nothing: there is no such table.
    [[nodiscard]] virtual Result<std::optional<TableFacts>> look() = 0;
    [[nodiscard]] virtual std::string create_statement(const Schema& schema) const = 0;
    [[nodiscard]] virtual Result<void> create(const Schema& schema) = 0;
    // What is written and read from now on. Before the first write, scan or find, and not during one.
    virtual void use(const Schema& schema) = 0;

    // Makes the ledger's tables where they are missing.
    [[nodiscard]] virtual Result<void> open_ledger() = 0;
    // Whether the input can go on with the schema in use: invalid, if it was begun in a way that does not
    // go together with it.
    [[nodiscard]] virtual Result<void> check_begun(std::string_view) { return {}; }
    // The entry that was there, or the one given, which then is. From now on only this target writes
    // and joins ranges of the input; waits for those of others that are under way.
    [[nodiscard]] virtual Result<SourceEntry> enter(const SourceEntry& source) = 0;
    // Nothing: never heard of. Does not need open_ledger() to have been called.
    [[nodiscard]] virtual Result<std::optional<SourceEntry>> entry(std::string_view source) = 0;
    [[nodiscard]] virtual Result<std::vector<Range>> done(std::string_view source) = 0;  // by begin
    // Other inputs of this table that may begin with the same bytes: those with the same head, and those
    // whose head is shorter. A target that cannot look for them finds nothing.
    [[nodiscard]] virtual Result<std::vector<SourceEntry>> begun_alike(const SourceEntry&) {
        return std::vector<SourceEntry>{};
    }
    // Replaces ranges that lie in [begin, end) by one. Not while they are being written. Nothing
    // happens when another target has entered the input since.
    [[nodiscard]] virtual Result<void> merge(std::string_view source, std::uint64_t begin,
                                             std::uint64_t end) = 0;
    // As if it had never been loaded; the rows stay. Refused as by check_begun, if there are any that
    // would be written a second time for it.
    [[nodiscard]] virtual Result<void> forget(std::string_view source) = 0;
    [[nodiscard]] virtual Result<void>
    rejections(std::string_view source,
               const std::function<Result<void>(const KeptRejection&)>& each) = 0;

    // In one transaction: the rows, the rejections, the range. Rows whose key is there with the same
    // values count as present; with other values they are rejected. The range, completed.
    // Failure with code "record": a row among them is not to the table's taste (message says why,
    // quotes no value), nothing was written; a smaller order tells which. Code "taken": the range is
    // in the ledger already, or another target has entered the input, so somebody else is at work.
    [[nodiscard]] virtual Result<Range> write(const Order& order, const std::stop_token& stop) = 0;

    // Values as scan and find give them back, where that is the same in other letters.
    virtual void settle(Rows&) const {}
    // All rows of the table; and those with the given keys, in any order; a key of two
    // columns is two values.
    [[nodiscard]] virtual Result<void> scan(const RowReader& each) = 0;
    [[nodiscard]] virtual Result<void> find(std::span<const Value> keys, const RowReader& each) = 0;
    // May be fewer than there are, but not 0 if there are any.
    [[nodiscard]] virtual Result<std::uint64_t> count() = 0;

    [[nodiscard]] virtual TargetCounts counts() const = 0;
    // Nothing: no call is waiting for another attempt.
    [[nodiscard]] virtual std::optional<Waiting> waiting() const { return std::nullopt; }
};

// Whether a value as it was sent and as it came back are the same, by the column's type: 1.50 and 1.5 are
// one decimal. Columns of type `other` always are.
[[nodiscard]] bool same(Type type, const Value& sent, const Value& back);

}  // namespace tool::load
