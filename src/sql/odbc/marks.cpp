// SPDX-License-Identifier: Apache-2.0
#include "sql/odbc/marks.hpp"

#include <algorithm>

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

Product product_by_marks(const std::vector<Record>& records) noexcept {
    const auto marked = [&](std::string_view mark) {
        return std::ranges::any_of(records, [&](const Record& one) {
            const std::size_t end = one.message.rfind(']');
            return end != std::string::npos &&
                   std::string_view{one.message}.substr(0, end + 1).find(mark) !=
                       std::string_view::npos;
        });
    };
    if (marked("[SQL Server]") || marked("SQL Server]") || marked("[FreeTDS]"))
        return Product::sqlserver;
    if (marked("[ma-") || marked("[MySQL]")) return Product::mariadb;
    if (marked("[SQLite]")) return Product::sqlite;
    return Product::odbc;
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
