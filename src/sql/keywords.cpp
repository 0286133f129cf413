// SPDX-License-Identifier: Apache-2.0
#include "keywords.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace perdure {
inline namespace v0 {
namespace sql {

namespace {

constexpr std::string_view blanks = " \t\r\n\f\v;(";

std::string_view without_comments(std::string_view text) noexcept {
    for (;;) {
        text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
        std::string_view end;
        if (text.starts_with("--") || text.starts_with("#")) end = "\n";
        else if (text.starts_with("/*")) end = "*/";
        else return text;
        const std::size_t at = text.find(end);
        if (at == std::string_view::npos) return {};
        text.remove_prefix(at + end.size());
    }
}

// Whether blanks and comments hold a semicolon that is none of a comment's text.
bool ends_statement(std::string_view between) noexcept {
    while (!between.empty()) {
        if (between.front() == ';') return true;
        std::string_view end;
        if (between.starts_with("--") || between.starts_with("#")) end = "\n";
        else if (between.starts_with("/*")) end = "*/";
        const std::size_t at = end.empty() ? 0 : between.find(end);
        if (at == std::string_view::npos) return false;
        between.remove_prefix(end.empty() ? 1 : at + end.size());
    }
    return false;
}

constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string_view next_word(std::string_view& text) noexcept {
    text = without_comments(text);
    std::size_t end = 0;
    while (end < text.size() &&
           ((lower(text[end]) >= 'a' && lower(text[end]) <= 'z') || text[end] == '_'))
        ++end;
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    return word;
}

bool is(std::string_view word, std::string_view in_lower_case) noexcept {
    return std::ranges::equal(word, in_lower_case, {}, lower);
}

struct Words {
    std::string_view first;
    std::string_view second{};  // empty: the first one alone says it
};

constexpr std::array controls{
    Words{"begin"},
    Words{"commit"},
    Words{"rollback"},
    Words{"savepoint"},
    Words{"release"},
    Words{"end"},
    Words{"abort"},
    Words{"xa"},
    Words{"start", "transaction"},
    Words{"prepare", "transaction"},
    Words{"set", "autocommit"},
    Words{"save", "transaction"},
    Words{"save", "tran"},
};

std::string first_words(std::string_view statement) {
    std::string words{next_word(statement)};
    if (const std::string_view second = next_word(statement); !second.empty())
        words.append(" ").append(second);
    std::ranges::transform(words, words.begin(), lower);
    return words;
}

// Behind the parenthesis that opens a function's arguments: the third of them, as it is written. Empty
// also where that cannot be told: quotes in dollars, backslashes, comments.
std::string_view third_argument(std::string_view text) noexcept {
    int depth = 0, commas = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' || c == '$' || text.substr(i, 2) == "--" || text.substr(i, 2) == "/*")
            return {};
        if (c == '\'' || c == '"') {
            const std::size_t end = text.find(c, i + 1);
            if (end == std::string_view::npos) return {};
            if (text.substr(i, end - i).find('\\') != std::string_view::npos) return {};
            i = end;
        } else if (c == '(') {
            ++depth;
        } else if (c == ')' && depth-- == 0) {
            return commas == 2 ? text.substr(begin, i - begin) : std::string_view{};
        } else if (c == ',' && depth == 0) {
            if (++commas == 2) begin = i + 1;
        }
    }
    return {};
}

// By PostgreSQL's set_config(name, value, is_local), unless is_local is the word true each time.
bool sets_beyond_transaction(std::string_view text) noexcept {
    constexpr std::string_view by_function = "set_config";
    // Not std::ranges::search: clang 14 cannot compile it with this standard library.
    const auto same = [](char a, char b) { return lower(a) == b; };
    for (;;) {
        const auto found =
            std::search(text.begin(), text.end(), by_function.begin(), by_function.end(), same);
        if (found == text.end()) return false;
        text.remove_prefix(static_cast<std::size_t>(found - text.begin()) + by_function.size());
        const std::size_t open = text.find_first_not_of(" \t\r\n");
        if (open == std::string_view::npos || text[open] != '(') return true;
        text.remove_prefix(open + 1);
        std::string_view local = third_argument(text);
        if (!is(next_word(local), "true") ||
            local.find_first_not_of(" \t\r\n") != std::string_view::npos)
            return true;
    }
}

Failure refused(std::string message) {
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = "use-transact",
            .message = std::move(message)};
}

}  // namespace

Nature nature_of(std::string_view statement) noexcept {
    std::string_view rest = statement;
    std::string_view first = next_word(rest);
    // ODBC's "{call …}"
    if (first.empty() && rest.starts_with('{')) {
        rest.remove_prefix(1);
        first = next_word(rest);
    }
    if (first.empty() || is(first, "insert") || is(first, "update") || is(first, "delete"))
        return {};
    const auto is_one_of = [&](const auto& words) {
        return std::ranges::any_of(words, [&](std::string_view word) { return is(first, word); });
    };
    if (is(first, "select")) return {.changes_session = sets_beyond_transaction(rest)};
    std::string_view after = rest;
    const std::string_view second = next_word(after);
    constexpr std::array settings{"reset", "discard", "use", "pragma", "attach", "detach"};
    constexpr std::array blocks{"call", "do", "exec", "execute", "declare", "if", "while"};
    const bool sets = is(first, "set") && !is(second, "local") && !is(second, "transaction") &&
                      !is(second, "statement");
    return {.controls_transactions =
                std::ranges::any_of(controls,
                                    [&](Words words) {
                                        return is(first, words.first) &&
                                               (words.second.empty() || is(second, words.second));
                                    }),
            .changes_session = sets || is_one_of(settings),
            .may_commit_midway = is_one_of(blocks)};
}

bool changes_schema(std::string_view statement) noexcept {
    const std::string_view first = next_word(statement);
    constexpr std::array words{"create", "alter",  "drop", "truncate", "rename",
                               "grant",  "revoke", "lock", "analyze",  "optimize"};
    return std::ranges::any_of(words, [&](std::string_view word) { return is(first, word); });
}

bool writes_rows(std::string_view statement) noexcept {
    const std::string_view first = next_word(statement);
    return is(first, "insert") || is(first, "update") || is(first, "delete") || is(first, "merge");
}

bool takes_no_snapshot(std::string_view statement) noexcept {
    const std::string_view first = next_word(statement);
    return is(first, "lock") || is(first, "set") || is(first, "show");
}

bool notifies(std::string_view statement) noexcept {
    constexpr std::string_view word = "notify";
    const auto same = [](char a, char b) { return lower(a) == b; };
    return std::search(statement.begin(), statement.end(), word.begin(), word.end(), same) !=
           statement.end();
}

bool has_several(std::string_view statement) noexcept {
    while (!statement.empty()) {
        const std::string_view rest = without_comments(statement);
        if (rest.size() != statement.size()) {
            // A semicolon among the blanks before, with something after it.
            const std::string_view blank = statement.substr(0, statement.size() - rest.size());
            if (!rest.empty() && ends_statement(blank)) return true;
            statement = rest;
            continue;
        }
        const char c = statement.front();
        const bool quote = c == '\'' || c == '"' || c == '`';
        const std::size_t end = quote ? statement.find(c, 1) : 0;
        statement.remove_prefix(std::min(end, statement.size() - 1) + 1);
    }
    return false;
}

Failure refused_alone(std::string_view statement) {
    return refused("\"" + first_words(statement) +
                   "\" as a statement of its own: a transaction begun by hand cannot be repeated. "
                   "Put its statements into sql::transact(), or use sql::WithoutRetries");
}

Failure refused_in_transact(std::string_view statement) {
    return refused("\"" + first_words(statement) +
                   "\" inside sql::transact(): it begins and ends the transaction itself. Return a "
                   "failure to roll back; call tx.transact() to join");
}

}  // namespace sql
}  // namespace v0
}  // namespace perdure
