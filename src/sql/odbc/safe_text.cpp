// SPDX-License-Identifier: Apache-2.0
#include "sql/odbc/safe_text.hpp"

#include <algorithm>
#include <array>

namespace perdure {
inline namespace v0 {
namespace sql::odbc_room {

namespace {

// 42000 is SQL Server's drawer for everything, also for what RAISERROR and triggers say; its low
// numbers are about syntax, names and permissions.
bool about_the_statement(Product product, const Record& record) noexcept {
    if (!record.state.starts_with("42")) return false;
    return product != Product::sqlserver || (record.native > 0 && record.native < 400);
}

bool about_the_link(std::string_view state) noexcept {
    constexpr std::array<std::string_view, 8> safe{"08", "IM", "HYT", "40", "57", "53", "3D", "55"};
    return std::ranges::any_of(safe, [&](std::string_view one) { return state.starts_with(one); });
}

// "password authentication failed for user "app"" keeps its sense without the name.
void forget_users(std::string& text) {
    std::size_t at = 0;
    while ((at = text.find("user ", at)) != std::string::npos) {
        at += 5;
        if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) continue;
        const std::size_t end = text.find(text[at], at + 1);
        if (end == std::string::npos) {
            text.erase(at);
            return;
        }
        text.replace(at, end + 1 - at, "(name withheld)");
    }
}

}  // namespace

std::string without_marks(std::string_view message) {
    while (message.starts_with('[')) {
        const std::size_t end = message.find(']');
        if (end == std::string_view::npos) break;
        message.remove_prefix(end + 1);
    }
    while (!message.empty() && (message.front() == ' ' || message.front() == '\n'))
        message.remove_prefix(1);
    std::string text{message};
    forget_users(text);
    std::ranges::replace(text, '\n', ' ');
    while (!text.empty() && text.back() == ' ') text.pop_back();
    return text;
}

std::string safe_text(Product product, const Record& record, const ErrorRow& row) {
    if (about_the_link(record.state) || about_the_statement(product, record))
        return without_marks(record.message);
    if (!row.name.empty()) return std::string{row.name};
    return "the database refused the statement; its words may quote values and are left out";
}

}  // namespace sql::odbc_room
}  // namespace v0
}  // namespace perdure
