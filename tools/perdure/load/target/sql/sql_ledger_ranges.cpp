// SPDX-License-Identifier: Apache-2.0
//
// What has been dealt with, and what was rejected.
#include <algorithm>
#include <array>
#include <functional>
#include <limits>

#include "load/target/ledger_format.hpp"
#include "load/target/ledger_ranges.hpp"
#include "load/target/sql/sql_ledger.hpp"
#include "perdure/sql/transact.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;
using sql::Parameter;

namespace {

constexpr std::string_view range_columns =
    "begin_at, end_at, first_line, line_count, records, written, present, rejected, reached, "
    "digest_high, digest_low, written_at, input_version";
constexpr std::string_view range_columns_of_first_version =
    "begin_at, end_at, first_line, line_count, records, written, present, rejected, reached, "
    "0, 0, 0, 0";
constexpr std::string_view range_places = ", ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?";
constexpr std::string_view of_source = " where table_name = ? and source = ?";

Result<std::vector<Range>> read_ranges(const sql::Rows& rows) {
    std::vector<Range> ranges;
    for (const sql::Row& row : rows) {
        Range& range = ranges.emplace_back();
        for (std::size_t i = 0; i < range_fields.size(); ++i) {
            PERDURE_TRY_VALUE(range.*range_fields[i], row.get<std::uint64_t>(i));
        }
    }
    PERDURE_TRY(check_apart(ranges));
    return ranges;
}

Result<KeptRejection> read_rejection(const sql::Row& row) {
    KeptRejection kept;
    PERDURE_TRY_VALUE(kept.offset, row.get<std::uint64_t>(0));
    PERDURE_TRY_VALUE(kept.line, row.get<std::uint64_t>(1));
    PERDURE_TRY_VALUE(kept.reason, row.get<std::string>(2));
    PERDURE_TRY_VALUE(const std::string format, row.get<std::string>(3));
    kept.format = format_named(format);
    PERDURE_TRY_VALUE(kept.record, row.get<std::string>(4));
    return kept;
}

}  // namespace

Result<std::vector<Range>> SqlLedger::done(std::string_view source) {
    PERDURE_TRY_VALUE(const bool there, is_there());
    if (!there) return std::vector<Range>{};
    const std::string_view columns = has_digests_ ? range_columns : range_columns_of_first_version;
    const std::string text = "select " + std::string{columns} + " from " + tables_.range +
                             std::string{of_source} + " order by begin_at";
    PERDURE_TRY_VALUE(const sql::Rows rows, database_.query(text, key_, source));
    return read_ranges(rows);
}

Result<std::int64_t> SqlLedger::insert_range(sql::Transaction& tx, const std::string& source,
                                             const Range& range) const {
    const std::string text =
        "insert into " + tables_.range + " (table_name, source, " + std::string{range_columns} +
        ") select table_name, source" + std::string{range_places} + " from " + tables_.load +
        std::string{of_source} + " and holder = ?" + std::string{dialect_.sharing};
    std::vector<Parameter> parameters;
    for (const auto field : range_fields) parameters.emplace_back(range.*field);
    parameters.insert(parameters.end(), {key_, source, holder_});
    PERDURE_TRY_VALUE(const sql::Done done, tx.execute_with({text, parameters}));
    return done.affected;
}

Result<bool> SqlLedger::holds(sql::Transaction& tx, const std::string& source) const {
    const std::string text = "select 1 from " + tables_.load + std::string{of_source} +
                             " and holder = ?" + std::string{dialect_.sharing};
    PERDURE_TRY_VALUE(const sql::Rows rows, tx.query(text, key_, source, holder_));
    return !rows.empty();
}

Result<void> SqlLedger::claim(sql::Transaction& tx, const std::string& source,
                              const Range& range) const {
    auto claimed = insert_range(tx, source, range);
    if (claimed && *claimed == 1) return {};
    if (!claimed && !is_key_taken(dialect_.product, claimed.error().code))
        return claimed.take_failure();
    return fail(claimed ? not_held() : taken(range));
}

Result<void> SqlLedger::settle(sql::Transaction& tx, const std::string& source,
                               const Range& range) const {
    const std::string text = "update " + tables_.range +
                             " set written = ?, present = ?, rejected = ?" +
                             std::string{of_source} + " and begin_at = ?";
    PERDURE_TRY(
        tx.execute(text, range.written, range.present, range.rejected, key_, source, range.begin));
    return {};
}

Result<void> SqlLedger::reject(sql::Transaction& tx, const Order& order,
                               std::span<const Rejected> rejected) const {
    constexpr std::size_t width = 7;
    const std::string_view format = format_name(order.batch->format);
    for (const std::size_t size : pieces(dialect_, rejected.size(), width)) {
        std::vector<Parameter> parameters;
        for (const Rejected& one : rejected.first(size)) {
            const Slice& slice = order.batch->records[one.record];
            parameters.insert(parameters.end(),
                              {key_, order.source->name, order.batch->offset(slice), slice.line,
                               one.reason, format, sql::Bytes{order.batch->text(slice)}});
        }
        rejected = rejected.subspan(size);
        const std::string text = "insert into " + tables_.rejected +
                                 " (table_name, source, position, line_number, reason, format, "
                                 "record) values " +
                                 placeholders(size, width);
        PERDURE_TRY(tx.execute_with({text, parameters}));
    }
    return {};
}

Result<std::vector<Range>> SqlLedger::ranges_in(sql::Transaction& tx, const std::string& source,
                                                std::uint64_t begin, std::uint64_t end) const {
    const std::string text =
        "select " + std::string{range_columns} + " from " + tables_.range + std::string{of_source} +
        " and begin_at >= ? and end_at <= ? order by begin_at" + std::string{dialect_.locking};
    PERDURE_TRY_VALUE(const sql::Rows rows, tx.query(text, key_, source, begin, end));
    return read_ranges(rows);
}

Result<void> SqlLedger::merge(std::string_view source, std::uint64_t begin, std::uint64_t end) {
    const std::string name{source};
    const std::string remove = "delete from " + tables_.range + std::string{of_source} +
                               " and begin_at >= ? and begin_at < ?";
    const auto body = [&](sql::Transaction& tx) -> Result<void> {
        // Otherwise they are for whoever goes on with the input to join.
        PERDURE_TRY_VALUE(const bool ours, holds(tx, name));
        if (!ours) return {};
        PERDURE_TRY_VALUE(const std::vector<Range> ranges, ranges_in(tx, name, begin, end));
        if (ranges.size() < 2) return {};
        PERDURE_TRY_VALUE(const Range sum, joined(ranges));
        PERDURE_TRY(tx.execute(remove, key_, name, sum.begin, sum.end));
        PERDURE_TRY_VALUE(const std::int64_t written, insert_range(tx, name, sum));
        if (written != 1) return fail(not_held());
        return {};
    };
    return sql::transact(database_, {.name = "merge"}, body);
}

Result<sql::Rows> SqlLedger::rejected_page(const std::string& source, std::int64_t behind,
                                           int most) {
    const std::string text = "select position, line_number, reason, format, record from " +
                             tables_.rejected + std::string{of_source} +
                             " and position > ? order by position limit " + std::to_string(most);
    return database_.query(text, key_, source, behind);
}

// Page by page, so that a failure in the middle can be repeated. Records may be long.
Result<void> SqlLedger::rejections(std::string_view source,
                                   const std::function<Result<void>(const KeptRejection&)>& each) {
    constexpr int usual = 100;
    PERDURE_TRY_VALUE(const std::optional<SourceEntry> known, entry(source));
    if (!known) return {};
    std::int64_t behind = -1;
    int singly = 0;  // where records are long, the next ones mostly are too
    for (;;) {
        auto page = rejected_page(known->name, behind, singly > 0 ? 1 : usual);
        if (!page && singly == 0 && page.error().cause == Cause::too_large) {
            singly = usual;
            continue;
        }
        if (singly > 0) --singly;
        if (!page) return page.take_failure();
        if (page->empty()) return {};
        for (const sql::Row& row : *page) {
            PERDURE_TRY_VALUE(KeptRejection kept, read_rejection(row));
            behind = static_cast<std::int64_t>(kept.offset);
            kept.header = known->header;
            PERDURE_TRY(each(kept));
        }
    }
}

}  // namespace tool::load
