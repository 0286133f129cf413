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

// The next word in lower case; longer ones are cut, none of ours is long.
std::string next_word(std::string_view& text) {
    text = without_comments(text);
    const auto in_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const auto end = std::ranges::find_if_not(text, in_word);
    std::string word{text.begin(), end};
    text.remove_prefix(word.size());
    std::ranges::transform(word, word.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return word;
}

std::string first_words(std::string_view statement) {
    std::string words = next_word(statement);
    if (std::string second = next_word(statement); !second.empty()) words += ' ' + second;
    return words;
}

Failure refused(std::string message) {
    return {.cause = Cause::invalid,
            .origin = Origin::application,
            .code = "use-transact",
            .message = std::move(message)};
}

}  // namespace

bool controls_transactions(std::string_view statement) noexcept {
    constexpr std::array single{"begin",   "commit", "rollback", "savepoint",
                                "release", "end",    "abort",    "xa"};
    constexpr std::array pairs{"start transaction", "prepare transaction", "set autocommit",
                               "save transaction", "save tran"};
    const std::string words = first_words(statement);
    const std::string_view first = std::string_view{words}.substr(0, words.find(' '));
    return std::ranges::find(single, first) != single.end() ||
           std::ranges::find(pairs, words) != pairs.end();
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
