// SPDX-License-Identifier: Apache-2.0
//
// Which errors of an INSERT are about the rows it was given?
#include <algorithm>
#include <array>

#include "load/target/sql/sql_dialect.hpp"

namespace tool::load {

using perdure::sql::Product;

namespace {

// Found on this side, before anything was sent.
constexpr std::array<std::string_view, 3> unsendable{"parameter-encoding", "parameter-nul",
                                                     "parameter-range"};

// SQLSTATE. 54000: a row or an index entry that is too large. 54001: JSON nested too deeply. P0001 and
// P0004: raised by a trigger.
constexpr std::array<std::string_view, 5> postgres_codes{"44000", "54000", "54001", "P0001",
                                                         "P0004"};
constexpr std::array<std::string_view, 2> postgres_classes{"22", "23"};

constexpr std::array<std::string_view, 31> mariadb_codes{
    "1022",  // duplicate key
    "1048",  // null in a column that must have a value
    "1062",  // duplicate key
    "1071",  // key too long
    "1118",  // row too large
    "1153",  // packet larger than the server takes
    "1216",  // foreign key: no parent row
    "1264",  // number out of range
    "1265",  // value does not fit
    "1292",  // value cannot be read as the type
    "1366",  // value cannot be read as the type
    "1367",  // illegal number
    "1369",  // check option of a view
    "1406",  // text too long
    "1411",  // value cannot be read as the type
    "1416",  // no geometry
    "1452",  // foreign key: no parent row
    "1525",  // wrong value
    "1526",  // no partition for the value
    "1644",  // raised by a trigger
    "1690",  // number out of range
    "1761",  // foreign key: duplicate key in a child
    "1762",  // foreign key: duplicate key in a child
    "3819",  // check violation
    "4025",  // check violation
    "4035",  // broken JSON
    "4036",  // broken JSON
    "4037",  // broken JSON
    "4038",  // broken JSON
    "4039",  // JSON nested too deeply
    "4078",  // types do not match
};

int sqlite_primary(std::string_view code) noexcept {
    int number = 0;
    for (const char c : code) {
        if (c < '0' || c > '9' || number > 100'000) return 0;
        number = number * 10 + (c - '0');
    }
    return number & 0xff;
}

// Too big, constraint, mismatch.
bool sqlite_record(std::string_view code) noexcept {
    const int primary = sqlite_primary(code);
    return primary == 18 || primary == 19 || primary == 20;
}

template <class List>
bool has_code(const List& list, std::string_view code) noexcept {
    return std::ranges::find(list, code) != list.end();
}

}  // namespace

bool is_about_record(Product product, std::string_view code) noexcept {
    if (has_code(unsendable, code)) return true;
    if (product == Product::sqlite) return sqlite_record(code);
    if (product == Product::mariadb) return has_code(mariadb_codes, code);
    return has_code(postgres_codes, code) ||
           (code.size() == 5 && has_code(postgres_classes, code.substr(0, 2)));
}

// PostgreSQL makes an index entry, a type and a table of it, and says which of them was there.
bool is_made_by_another(Product product, std::string_view code) noexcept {
    constexpr std::array<std::string_view, 3> there{"23505", "42710", "42P07"};
    return product == Product::postgres && has_code(there, code);
}

bool is_key_taken(Product product, std::string_view code) noexcept {
    if (product == Product::sqlite) return code == "1555" || code == "2067" || code == "2579";
    return code == (product == Product::mariadb ? "1062" : "23505");
}

}  // namespace tool::load
