// SPDX-License-Identifier: Apache-2.0
#include "load/engine/verify.hpp"

#include <algorithm>
#include <unordered_map>

#include "load/engine/of_input.hpp"
#include "load/source/json_canon.hpp"
#include "load/source/reading.hpp"
#include "load/source/reading_values.hpp"
#include "load/target/digest.hpp"
#include "perdure/try.hpp"

namespace tool::load {

using namespace perdure;

namespace {

constexpr std::size_t most_examples = 5;

// One run over inputs and table.
class Comparison {
public:
    Comparison(Target& target, const Schema& schema, const std::stop_token& stop,
               std::atomic<std::uint64_t>* bytes_read)
        : target_{target}, schema_{schema}, stop_{stop}, bytes_read_{bytes_read} {}

    Result<void> read(const Input& input);
    Result<void> scan();
    Verification take() { return std::move(seen_); }
    void remark_on_columns();
    Result<void> look_at_what_was_there(const std::vector<Input>& inputs);

private:
    Result<void> leave_out(const Input& input);
    Result<void> compare(const Input& input, const Batch& batch, const Rows& rows);
    using Found = std::unordered_map<std::uint64_t, std::uint64_t>;  // digests: key to row
    Result<void> find(const Input& input, const Batch& batch, const Rows& rows);
    void compare_row(const Input& input, const Batch& batch, const Rows& rows, std::size_t i,
                     const Found& there);
    void note(const Input& input, const Batch& batch, std::size_t record, const char* what);

    Target& target_;
    const Schema& schema_;
    const std::stop_token& stop_;
    std::atomic<std::uint64_t>* const bytes_read_;
    Verification seen_;
    std::vector<std::uint64_t> rejected_;  // offsets in the input at hand, in order
};

Result<void> Comparison::leave_out(const Input& input) {
    rejected_.clear();
    PERDURE_TRY(target_.rejections(input.name, [&](const KeptRejection& one) -> Result<void> {
        rejected_.push_back(one.offset);
        return {};
    }));
    std::ranges::sort(rejected_);
    return {};
}

Result<void> Comparison::read(const Input& input) {
    PERDURE_TRY(leave_out(input));
    PERDURE_TRY_VALUE(const auto source, of_input(Source::open(input.options)));
    Batch batch;
    Rows rows;
    std::uint64_t counted = 0;
    for (;;) {
        if (stop_.stop_requested())
            return fail({.cause = Cause::cancelled, .code = "stopped", .message = "stopped"});
        PERDURE_TRY_VALUE(const bool more, of_input(source->next(batch, {})));
        const std::uint64_t consumed = source->consumed();
        if (bytes_read_ != nullptr) *bytes_read_ += consumed - counted;
        counted = consumed;
        if (!more) return {};
        read_rows(batch, source->header(), schema_, rows);
        target_.settle(rows);
        PERDURE_TRY(compare(input, batch, rows));
    }
}

Result<void> Comparison::compare(const Input& input, const Batch& batch, const Rows& rows) {
    if (schema_.key) return find(input, batch, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (std::ranges::binary_search(rejected_, batch.offset(batch.records[rows.records[i]])))
            continue;
        ++seen_.expected;
        seen_.checksum_expected += row_digest(schema_, rows.row(i));
    }
    return {};
}

void Comparison::note(const Input& input, const Batch& batch, std::size_t record,
                      const char* what) {
    if (seen_.examples.size() < most_examples)
        seen_.examples.push_back(input.options.path + ':' +
                                 std::to_string(batch.records[record].line) + ": " + what);
}

// By the key's digest: what a target gives back for a key is the same value, though not the same bytes.
// A key that cannot be compared here is asked for alone: what comes is its row.
Result<void> Comparison::find(const Input& input, const Batch& batch, const Rows& rows) {
    const std::size_t key = *schema_.key;
    const Type type = schema_.columns[key].type;
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (!std::ranges::binary_search(rejected_, batch.offset(batch.records[rows.records[i]])))
            wanted.push_back(i);
    const std::size_t together = type == Type::other ? 1 : std::max<std::size_t>(wanted.size(), 1);
    for (std::size_t at = 0; at < wanted.size(); at += together) {
        const auto some = std::span{wanted}.subspan(at, together);
        std::vector<Value> keys;
        for (const std::size_t i : some) {
            keys.push_back(rows.row(i)[key]);
            if (schema_.sort) keys.push_back(rows.row(i)[*schema_.sort]);
        }
        Found there;
        PERDURE_TRY(target_.find(keys, [&](std::span<const Value> row) -> Result<void> {
            there[key_digest(schema_, row)] = row_digest(schema_, row);
            return {};
        }));
        for (const std::size_t i : some) compare_row(input, batch, rows, i, there);
    }
    return {};
}

void Comparison::compare_row(const Input& input, const Batch& batch, const Rows& rows,
                             std::size_t i, const Found& there) {
    const std::uint64_t digest = row_digest(schema_, rows.row(i));
    ++seen_.expected;
    seen_.checksum_expected += digest;
    const auto found = there.find(key_digest(schema_, rows.row(i)));
    if (found == there.end()) {
        ++seen_.missing;
        return note(input, batch, rows.records[i], "is not in the table");
    }
    ++seen_.found;
    seen_.checksum_found += found->second;
    if (found->second == digest) return;
    ++seen_.different;
    note(input, batch, rows.records[i], "the row has other values");
}

Result<void> Comparison::scan() {
    if (schema_.key) return {};
    return target_.scan([&](std::span<const Value> row) -> Result<void> {
        ++seen_.found;
        seen_.checksum_found += row_digest(schema_, row);
        return {};
    });
}

void Comparison::remark_on_columns() {
    for (const Column& column : schema_.columns) {
        if (column.type != Type::other) continue;
        seen_.not_compared.push_back(column.name);
        seen_.remarks.push_back("column '" + column.name + "' (" + column.server_type +
                                ") is not compared: the target writes it in its own way");
    }
}

// Rows of inputs that are compared together do not stand in each other's way, those of others do.
Result<void> Comparison::look_at_what_was_there(const std::vector<Input>& inputs) {
    if (schema_.key) return {};
    std::uint64_t least = UINT64_MAX;
    for (const Input& input : inputs) {
        PERDURE_TRY_VALUE(const auto entry, target_.entry(input.name));
        least = std::min(least, entry ? entry->rows_before : 0);
    }
    if (least == 0) return {};
    seen_.contents_compared = false;
    seen_.remarks.push_back("the table held " + std::to_string(least) +
                            " rows before the load and there is no key to tell records apart "
                            "(--key): contents are not compared");
    return {};
}

// The keys of all records, whether they were loaded or not.
Result<void> collect_keys(const Input& input, const Schema& schema, const Target& target,
                          std::vector<std::uint64_t>& keys) {
    PERDURE_TRY_VALUE(const auto source, of_input(Source::open(input.options)));
    Batch batch;
    Rows rows;
    for (;;) {
        PERDURE_TRY_VALUE(const bool more, of_input(source->next(batch, {})));
        if (!more) return {};
        read_rows(batch, source->header(), schema, rows);
        target.settle(rows);
        for (std::size_t i = 0; i < rows.size(); ++i)
            keys.push_back(key_digest(schema, rows.row(i)));
    }
}

std::string key_words(const Schema& schema, std::span<const Value> row) {
    const Value& key = row[*schema.key];
    switch (key.kind) {
        case ValueKind::text: return quoted_name(key.text);
        case ValueKind::real: {
            std::string number;
            append_number(key.real, number);
            return number;
        }
        case ValueKind::boolean: return key.integer != 0 ? "true" : "false";
        case ValueKind::null: return "null";
        default: return std::to_string(key.integer);
    }
}

}  // namespace

std::uint64_t key_digest(const Schema& schema, std::span<const Value> row) noexcept {
    const auto digest = [&](std::size_t column) {
        return value_digest(schema.columns[column].type, row[column]);
    };
    if (!schema.sort) return digest(*schema.key);
    return detail::stirred(digest(*schema.key)) + digest(*schema.sort);
}

Result<RowsLeft> rows_not_in(const std::vector<Input>& inputs, const Schema& schema,
                             Target& target) {
    RowsLeft left;
    std::vector<std::uint64_t> keys;
    for (const Input& input : inputs) PERDURE_TRY(collect_keys(input, schema, target, keys));
    std::ranges::sort(keys);
    PERDURE_TRY(target.scan([&](std::span<const Value> row) -> Result<void> {
        if (std::ranges::binary_search(keys, key_digest(schema, row))) return {};
        if (++left.rows <= most_examples) left.examples.push_back(key_words(schema, row));
        return {};
    }));
    return left;
}

Result<Verification> verify(Target& target, const std::vector<Input>& inputs, const Schema& schema,
                            const std::stop_token& stop, std::atomic<std::uint64_t>* bytes_read) {
    Comparison comparison{target, schema, stop, bytes_read};
    comparison.remark_on_columns();
    PERDURE_TRY(comparison.look_at_what_was_there(inputs));
    for (const Input& input : inputs) PERDURE_TRY(comparison.read(input));
    if (!schema.columns.empty()) PERDURE_TRY(comparison.scan());
    return comparison.take();
}

}  // namespace tool::load
