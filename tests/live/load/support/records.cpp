// SPDX-License-Identifier: Apache-2.0
#include "live/load/support/records.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "perdure/time/random.hpp"
#include "perdure/try.hpp"

namespace perdure::live {
namespace {

int id_of(int number, Twins twins) {
    return twins == Twins::yes && number % 50 == 0 ? number - 1 : number;
}

double price_of(int id) { return id * 0.1; }
bool paid_of(int id) { return id % 3 == 0; }
std::string name_of(int id) { return "Zoë \"" + std::to_string(id) + "\" 🐦"; }
// A text of another length for each, now and then a long one.
std::string note_of(int id) {
    return "first\nsecond, " +
           std::string(static_cast<std::size_t>(id % 97 == 0 ? 3000 : id % 40), 'n');
}
std::string tags_of(int id) { return "[" + std::to_string(id) + ", \"x\", 1.0]"; }

std::string shortest(double value) {
    std::array<char, 40> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string escaped(std::string_view text, std::string_view quote) {
    std::string made;
    for (const char c : text) {
        if (c == '"') made += quote;
        else if (c == '\n' && quote == "\\\"") made += "\\n";
        else made += c;
    }
    return made;
}

// A row as one text, so that it can be compared whole.
std::string row_text(int id) {
    return std::to_string(id) + "|" + name_of(id) + "|" + shortest(price_of(id)) +
           (paid_of(id) ? "|1|" : "|0|") + (id % 5 == 0 ? "null" : "'" + note_of(id) + "'") + "|" +
           tags_of(id);
}

Result<std::string> text_of(const sql::Row& row) {
    PERDURE_TRY_VALUE(const auto id, row.get<std::int64_t>(0));
    PERDURE_TRY_VALUE(const auto name, row.get<std::string>(1));
    PERDURE_TRY_VALUE(const auto price, row.get<double>(2));
    PERDURE_TRY_VALUE(const bool paid, row.get<bool>(3));
    PERDURE_TRY_VALUE(const auto note, row.get<std::optional<std::string>>(4));
    PERDURE_TRY_VALUE(const auto tags, row.get<std::string>(5));
    return std::to_string(id) + "|" + name + "|" + shortest(price) + (paid ? "|1|" : "|0|") +
           (note ? "'" + *note + "'" : "null") + "|" + tags;
}

// How often each id is still to come.
using Awaited = std::unordered_map<std::int64_t, int>;

Awaited awaited(const Records& expected) {
    Awaited ids;
    for (int number = expected.first; number < expected.first + expected.count; ++number)
        if (!expected.without.contains(number)) ++ids[id_of(number, expected.twins)];
    return ids;
}

struct Findings {
    int count = 0;
    std::string text{};
    void add(const std::string& what) {
        if (++count <= 5) text += what + "\n";
    }
};

}  // namespace

std::string json_record(int number, Twins twins) {
    const int id = id_of(number, twins);
    std::string line = "{\"id\": " + std::to_string(id) + ", \"name\": \"" +
                       escaped(name_of(id), "\\\"") + "\", \"price\": " + shortest(price_of(id)) +
                       ", \"paid\": " + (paid_of(id) ? "true" : "false") + ", \"note\": ";
    if (id % 5 == 0) line += "null";
    else line.append("\"").append(escaped(note_of(id), "\\\"")).append("\"");
    return line + ", \"tags\": " + tags_of(id) + "}";
}

std::string json_lines(const Records& records) {
    std::string lines;
    for (int number = records.first; number < records.first + records.count; ++number)
        if (!records.without.contains(number)) lines += json_record(number, records.twins) + "\n";
    return lines;
}

std::string csv_lines(const Records& records) {
    std::string lines = "id,name,price,paid,note,tags\n";
    for (int number = records.first; number < records.first + records.count; ++number) {
        if (records.without.contains(number)) continue;
        const int id = id_of(number, records.twins);
        lines += std::to_string(id) + ",\"" + escaped(name_of(id), "\"\"") + "\"," +
                 shortest(price_of(id)) + (paid_of(id) ? ",true," : ",false,");
        if (id % 5 != 0) lines += "\"" + escaped(note_of(id), "\"\"") + "\"";
        lines += ",\"" + escaped(tags_of(id), "\"\"") + "\"\n";
    }
    return lines;
}

std::string differences(sql::Database& database, const Records& expected) {
    Awaited ids = awaited(expected);
    Findings wrong;
    const auto look = [&](const sql::Row& row) -> Result<void> {
        PERDURE_TRY_VALUE(const auto id, row.get<std::int64_t>(0));
        PERDURE_TRY_VALUE(const std::string text, text_of(row));
        if (text != row_text(static_cast<int>(id))) wrong.add("other values: " + text);
        if (--ids[id] < 0) wrong.add("too often, or never sent: " + std::to_string(id));
        return {};
    };
    const auto read = database.stream(look, "select id, name, price, paid, note, tags from orders");
    if (!read) wrong.add(to_string(read.error()));
    for (const auto& [id, missing] : ids)
        if (missing > 0) wrong.add("missing: " + std::to_string(id));
    if (wrong.count == 0) return {};
    return std::to_string(wrong.count) + " differences:\n" + wrong.text;
}

std::int64_t rows_in(sql::Database& database, const std::string& table) {
    const auto rows = database.query("select count(*) from " + table);
    return rows ? rows->single<std::int64_t>().value_or(0) : 0;
}

std::int64_t records_done(sql::Database& database) {
    const auto sum = database.query("select coalesce(sum(records), 0) from perdure_load_range");
    return sum ? sum->single<std::int64_t>().value_or(0) : 0;
}

int records_or(int otherwise) {
    const char* const told = std::getenv("PERDURE_RECORDS");  // NOLINT(concurrency-mt-unsafe)
    if (!told) return otherwise;
    const std::string_view digits{told};
    int number = otherwise;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

bool long_form() { return records_or(0) >= 100'000; }

std::string new_seed() {
    std::string seed = std::to_string(system_random().bits() % 1'000'000);
    std::cout << "seed " << seed << "\n";
    return seed;
}

}  // namespace perdure::live
