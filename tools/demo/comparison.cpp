// SPDX-License-Identifier: Apache-2.0
#include "comparison.hpp"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <unordered_map>

#include "failures.hpp"
#include "perdure/sql/database.hpp"
#include "perdure/sql/sqlite.hpp"
#include "perdure/try.hpp"

namespace demo {

namespace {

struct Expected {
    Order order{};
    std::uint64_t times_found = 0;
    bool same = true;
};

using Book = std::unordered_map<std::int64_t, Expected>;

Result<Book> read_source(const Source& source) {
    Book book;
    std::ifstream file{source.path, std::ios::binary};
    for (std::string line; std::getline(file, line);)
        if (auto order = parse_order(line)) {
            const std::int64_t id = order->id;
            book[id].order = *std::move(order);
        }
    if (book.size() != source.orders)
        return fail(trouble(source.path + " is not what was written"));
    return book;
}

Result<Order> order_of(const sql::Row& row) {
    Order order;
    PERDURE_TRY_VALUE(order.id, row.get<std::int64_t>(0));
    PERDURE_TRY_VALUE(order.customer, row.get<std::string>(1));
    PERDURE_TRY_VALUE(order.item, row.get<std::string>(2));
    PERDURE_TRY_VALUE(order.cents, row.get<std::int64_t>(3));
    PERDURE_TRY_VALUE(order.note, row.get<std::string>(4));
    PERDURE_TRY_VALUE(order.placed_at, row.get<std::string>(5));
    return order;
}

void enter(const sql::Row& row, Book& book, Comparison& result) {
    ++result.rows;
    const auto order = order_of(row);
    const auto id = row.get<std::int64_t>(0);
    const auto found = id ? book.find(*id) : book.end();
    if (found == book.end()) {
        ++result.strangers;
        return;
    }
    Expected& expected = found->second;
    ++expected.times_found;
    if (order && *order == expected.order) return;
    ++result.altered;
    expected.same = false;
}

Rejections judge(const Source& source, const std::set<std::uint64_t>& lines) {
    Rejections result;
    for (const std::uint64_t line : lines)
        ++(std::ranges::count(source.broken_lines, line) > 0 ? result.right : result.wrong);
    return result;
}

}  // namespace

Result<Comparison> compare(const Source& source, const std::string& database) {
    PERDURE_TRY_VALUE(auto book, read_source(source));
    PERDURE_TRY_VALUE(auto driver, sql::sqlite(database, {.create = sql::Creation::must_exist}));
    sql::Database table{std::move(driver)};
    Comparison result;
    PERDURE_TRY(table.stream(
        {.deadline = 1min},
        [&](const sql::Row& row) -> Result<void> {
            enter(row, book, result);
            return {};
        },
        "select id, customer, item, cents, note, placed_at from orders"));
    for (const auto& [id, expected] : book) {
        if (expected.times_found == 0) ++result.lost;
        else result.doubled += expected.times_found - 1;
        if (expected.times_found == 1 && expected.same) ++result.exact;
    }
    return result;
}

Rejections rejected_by_perdure(const Source& source, const std::string& side_file) {
    simdjson::dom::parser parser;
    std::set<std::uint64_t> lines;
    std::vector<std::string> reasons;
    std::ifstream file{side_file, std::ios::binary};
    for (std::string text; std::getline(file, text);) {
        simdjson::dom::element entry;
        if (parser.parse(text).at_key("perdure.rejected").get(entry) != simdjson::SUCCESS) continue;
        std::uint64_t line = 0;
        std::string_view reason;
        if (entry["line"].get_uint64().get(line) != simdjson::SUCCESS ||
            entry["reason"].get_string().get(reason) != simdjson::SUCCESS)
            continue;
        lines.insert(line);
        reasons.push_back("line " + std::to_string(line) + ": " + std::string{reason});
    }
    Rejections result = judge(source, lines);
    result.reasons = std::move(reasons);
    return result;
}

Rejections rejected_by_naive(const Source& source, const std::string& log) {
    constexpr std::string_view mark = "rejected line ";
    std::set<std::uint64_t> lines;
    std::ifstream file{log, std::ios::binary};
    for (std::string text; std::getline(file, text);) {
        std::uint64_t line = 0;
        if (!text.starts_with(mark)) continue;
        std::from_chars(text.data() + mark.size(), text.data() + text.size(), line);
        lines.insert(line);
    }
    return judge(source, lines);
}

std::uint64_t occurrences(const std::string& path, std::string_view text) {
    std::uint64_t count = 0;
    std::ifstream file{path, std::ios::binary};
    for (std::string line; std::getline(file, line);)
        for (std::size_t at = line.find(text); at != std::string::npos;
             at = line.find(text, at + text.size()))
            ++count;
    return count;
}

}  // namespace demo
