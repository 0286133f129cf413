// SPDX-License-Identifier: Apache-2.0
#include "perdure/cosmos/wire/service_error.hpp"

#include <algorithm>
#include <array>

#include "json_scan.hpp"
#include "printable.hpp"

namespace perdure {
inline namespace v0 {
namespace cosmos {

namespace {

constexpr std::size_t longest_code = 128;
constexpr std::size_t most_words = std::size_t{16} * 1024;  // of a page, before its markup is gone

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from) noexcept {
    const auto same = [](char a, char b) { return lower(a) == lower(b); };
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(std::min(from, text.size()));
    const auto found = std::search(begin, text.end(), word.begin(), word.end(), same);
    return found == text.end() ? std::string_view::npos
                               : static_cast<std::size_t>(found - text.begin());
}

// What follows one of these is a secret, up to where a word ends.
constexpr std::array<std::string_view, 8> before_secrets = {
    "sig=",       "sig%3d",          "accountkey=",    "bearer ",
    "masterkey=", "authorization: ", "authorization=", "eyJ"};

void hide_after(std::string& text, std::string_view mark) {
    constexpr std::string_view ends = " \t\r\n\"'<>,;";
    for (auto at = find_word(text, mark, 0); at != std::string_view::npos;
         at = find_word(text, mark, at)) {
        at += mark.size();
        const auto end = std::min(text.find_first_of(ends, at), text.size());
        text.replace(at, end - at, "***");
        at += 3;
    }
}

std::string told(std::string_view text) {
    std::string cut{text.substr(0, most_words)};
    for (const std::string_view mark : before_secrets) hide_after(cut, mark);
    return printable(cut, longest_error_message);
}

// Message: {"Errors":["…","…"]} and then a line about the request, which is told elsewhere.
std::string without_wrapping(const std::string& message) {
    constexpr std::string_view opening = "Message: ";
    std::string_view inside = message;
    inside = inside.substr(0, find_word(inside, "\nActivityId: ", 0));
    if (!inside.starts_with(opening)) return std::string{inside};
    inside.remove_prefix(opening.size());
    std::string errors;
    JsonScan scan{inside};
    const Trouble trouble = scan.members([&](std::string_view name) {
        if (name != "Errors" || scan.next() != JsonType::array) return fine;
        return scan.elements([&] {
            std::string error;
            const Trouble wrong = scan.string(error);
            errors += errors.empty() ? "" : "; ";
            errors += error;
            return wrong;
        });
    });
    return trouble || errors.empty() ? std::string{inside} : errors;
}

// A page without its markup and without what is not for readers.
std::string without_markup(std::string_view page) {
    std::string text;
    while (!page.empty()) {
        const auto open = std::min(page.find('<'), page.size());
        text.append(page.substr(0, open)).append(" ");
        page.remove_prefix(open);
        std::size_t close = page.find('>');
        for (const std::string_view name : {"<style", "<script"})
            if (find_word(page.substr(0, name.size()), name, 0) == 0)
                close = page.find('>', find_word(page, std::string{"</"} += name.substr(1), 0));
        page.remove_prefix(close == std::string_view::npos ? page.size() : close + 1);
    }
    return text;
}

bool is_page(std::string_view body) {
    const auto first = body.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && body[first] == '<';
}

// False: it is no JSON object, or one that says neither.
bool read_said(std::string_view body, ServiceError& error) {
    std::string code, message;
    JsonScan scan{body};
    const Trouble trouble = scan.members([&](std::string_view name) {
        if (scan.next() != JsonType::string) return fine;
        if (name == "code") return scan.string(code);
        if (name == "message" || name == "Message") return scan.string(message);
        return fine;
    });
    if (trouble || scan.end() || (code.empty() && message.empty())) return false;
    error.code = printable(code, longest_code);
    error.message = told(without_wrapping(message));
    return true;
}

}  // namespace

ServiceError parse_error(std::string_view body) {
    ServiceError error;
    if (read_said(body, error)) return error;
    const std::string_view words = body.substr(0, most_words);
    error.message = is_page(words) ? told(without_markup(words)) : told(words);
    return error;
}

bool looks_like_header_too_large(int status, std::string_view body) noexcept {
    if (status == 431) return true;
    if (status != 400) return false;
    body = body.substr(0, most_words);
    return find_word(body, "header too l", 0) != std::string_view::npos ||
           find_word(body, "header or cookie too l", 0) != std::string_view::npos ||
           find_word(body, "headers too l", 0) != std::string_view::npos ||
           find_word(body, "header is too l", 0) != std::string_view::npos ||
           find_word(body, "request too long", 0) != std::string_view::npos;
}

}  // namespace cosmos
}  // namespace v0
}  // namespace perdure
