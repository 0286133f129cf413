// SPDX-License-Identifier: Apache-2.0
//
// Orders made by hand for tests of targets: a batch of records "1;text", its rows, and what is to be
// written of them.
//
//     Orders orders{"input.csv"};
//     const Order order = orders.make({{1, "one"}, {2, "two"}});
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "load/target/target.hpp"

namespace tool::load {

struct TestRecord {
    std::int64_t id = 0;
    std::optional<std::string> name{};
    double size = 0;
    bool good = true;
};

inline Schema test_schema(std::optional<std::size_t> key) {
    Schema schema{.columns = {{.name = "id", .type = Type::integer},
                              {.name = "na\"m`e é?", .type = Type::text},
                              {.name = "size", .type = Type::real},
                              {.name = "good", .type = Type::boolean}},
                  .key = key};
    if (key) schema.columns[*key].required = true;
    return schema;
}

// Keeps what its orders point to. Records follow each other in one input.
class Orders {
public:
    explicit Orders(std::string source) { source_.name = std::move(source); }

    [[nodiscard]] const SourceEntry& source() const noexcept { return source_; }
    [[nodiscard]] std::uint64_t end() const noexcept { return next_; }

    Order make(const std::vector<TestRecord>& records) {
        Made& made = made_.emplace_back();
        made.batch = {.format = Format::csv, .begin = next_, .first_line = line_};
        made.rows.width = 4;
        for (const TestRecord& record : records) add(made, record);
        made.batch.end = next_ += made.batch.bytes.size();
        made.batch.lines = records.size();
        line_ += records.size();
        return order_of(made);
    }
    // The last of the records could not be read.
    Order with_rejected(const std::vector<TestRecord>& records, std::string reason) {
        Order order = make(records);
        Made& made = made_.back();
        made.rows.values.resize(made.rows.values.size() - made.rows.width);
        made.rows.records.pop_back();
        made.rows.rejected.push_back({.record = records.size() - 1, .reason = std::move(reason)});
        order.count = made.rows.size();
        order.rejected = made.rows.rejected;
        return order;
    }

private:
    struct Made {
        Batch batch{};
        Rows rows{};
    };

    void add(Made& made, const TestRecord& record) const {
        const std::size_t begin = made.batch.bytes.size();
        made.batch.bytes += std::to_string(record.id) + ";" + record.name.value_or("");
        made.batch.records.push_back({.begin = begin,
                                      .end = made.batch.bytes.size(),
                                      .line = line_ + made.batch.records.size()});
        made.batch.bytes += '\n';
        made.rows.records.push_back(made.rows.records.size());
        made.rows.values.emplace_back(record.id);
        if (record.name)
            made.rows.values.emplace_back(
                std::string_view{made.rows.texts.emplace_back(*record.name)});
        else made.rows.values.emplace_back();
        made.rows.values.emplace_back(record.size);
        made.rows.values.emplace_back(record.good);
    }
    Order order_of(const Made& made) {
        return {.source = &source_,
                .batch = &made.batch,
                .rows = &made.rows,
                .count = made.rows.size(),
                .range = {.begin = made.batch.begin,
                          .end = made.batch.end,
                          .first_line = made.batch.first_line,
                          .lines = made.batch.lines,
                          .records = made.batch.records.size(),
                          .reached = made.batch.end,
                          .digest_high = (std::uint64_t{1} << 53u) - 1 - made.batch.end,
                          .digest_low = made.batch.end,
                          .written_at = 1'790'000'000 + made.batch.end,
                          .version = 1}};
    }

    SourceEntry source_{};
    std::deque<Made> made_{};
    std::uint64_t next_ = 0;
    std::uint64_t line_ = 1;
};

}  // namespace tool::load
