// SPDX-License-Identifier: Apache-2.0
#include "page/page_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

namespace tool {

namespace {

constexpr std::string_view no_break_space = "\u00a0";

struct Markup {
    std::string_view sign;
    std::string_view tag;
};
constexpr std::array marks{Markup{"`", "code"}, Markup{"**", "strong"}};

// The length of a marked piece at the front of `text`, its marks included; 0 if there is none.
std::size_t marked(std::string_view text, const Markup& mark) {
    if (!text.starts_with(mark.sign)) return 0;
    const std::size_t end = text.find(mark.sign, mark.sign.size());
    const bool good = end != std::string_view::npos && end > mark.sign.size();
    return good ? end + mark.sign.size() : 0;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether a line must not end at the space at the front: "20 000", "1.42 s".
bool sticks(std::string_view text) {
    text.remove_prefix(1);
    if (text.empty()) return false;
    if (is_digit(text.front())) return true;
    const std::string_view word = text.substr(0, text.find_first_of(" ,.;:)\n"));
    constexpr std::array<std::string_view, 7> units{"%", "s", "ms", "µs", "ns", "min", "h"};
    return std::find(units.begin(), units.end(), word) != units.end();
}

std::string plain_prose(std::string_view text) {
    std::string prose;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool sticking =
            text[at] == ' ' && at > 0 && is_digit(text[at - 1]) && sticks(text.substr(at));
        if (sticking) prose += no_break_space;
        else prose += text[at];
    }
    return html_text(prose);
}

std::string element(std::string_view tag, const std::string& inside) {
    const std::string name{tag};
    return "<" + name + ">" + inside + "</" + name + ">";
}

// With separators between thousands; the text is a number without exponent.
std::string grouped(std::string text) {
    const std::size_t first = text.starts_with('-') ? 1 : 0;
    const std::size_t point = std::min(text.find('.'), text.size());
    for (std::size_t at = point; at > first + 3; at -= 3) text.insert(at - 3, ",");
    return text;
}

std::string with_digits(double value, std::chars_format format, int digits) {
    std::array<char, 400> text{};  // the largest double has 309 digits before its point
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format, digits);
    return end.ec == std::errc{} ? std::string{text.data(), end.ptr} : std::string{"0"};
}

std::string plain(double value) {
    if (std::abs(value) >= 1000 && std::abs(value) < 1e15)
        return grouped(with_digits(value, std::chars_format::fixed, 0));
    return with_digits(value == 0 ? 0 : value, std::chars_format::general, 4);
}

std::pair<double, std::string_view> readable(double value, std::string_view unit) {
    const double size = std::abs(value);
    if (unit != "s" || size >= 1 || size == 0) return {value, unit};
    if (size < 1e-3) return {value * 1e6, "µs"};
    return {value * 1e3, "ms"};
}

}  // namespace

std::string html_text(std::string_view text) {
    std::string html;
    html.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&': html += "&amp;"; break;
            case '<': html += "&lt;"; break;
            case '>': html += "&gt;"; break;
            case '"': html += "&quot;"; break;
            case '\'': html += "&#39;"; break;
            default:
                if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') html += c;
        }
    }
    return html;
}

std::string html_prose(std::string_view text) {
    std::string html;
    std::size_t copied = 0;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t length = 0;
        for (const Markup& mark : marks) {
            length = marked(text.substr(at), mark);
            if (length == 0) continue;
            const std::size_t sign = mark.sign.size();
            html += plain_prose(text.substr(copied, at - copied));
            const std::string_view inside = text.substr(at + sign, length - 2 * sign);
            html += element(mark.tag, mark.tag == "code" ? html_text(inside) : plain_prose(inside));
            copied = at + length;
            break;
        }
        at += length == 0 ? 1 : length;
    }
    return html + plain_prose(text.substr(copied));
}

std::string html_paragraphs(std::string_view text) {
    std::string html;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find("\n\n"), text.size());
        if (end > 0) html += element("p", html_prose(text.substr(0, end)));
        text.remove_prefix(std::min(end + 2, text.size()));
    }
    return html;
}

std::string script_safe(std::string_view json) {
    constexpr std::string_view line_separator = "\u2028";
    constexpr std::string_view paragraph_separator = "\u2029";
    std::string safe;
    safe.reserve(json.size());
    for (std::size_t at = 0; at < json.size(); ++at) {
        const std::string_view rest = json.substr(at);
        // Outside of strings JSON has none of these, so they can all be written as in strings.
        if (rest.starts_with('<')) safe += "\\u003c";
        else if (rest.starts_with('>')) safe += "\\u003e";
        else if (rest.starts_with('&')) safe += "\\u0026";
        else if (rest.starts_with(line_separator)) safe += "\\u2028", at += 2;
        else if (rest.starts_with(paragraph_separator)) safe += "\\u2029", at += 2;
        else safe += rest.front();
    }
    return safe;
}

std::string number_text(double value, std::string_view unit) {
    if (!std::isfinite(value)) return "–";
    const auto [number, name] = readable(value, unit);
    std::string text = plain(number);
    if (text.starts_with('-')) text.replace(0, 1, "−");
    if (!name.empty() && !name.starts_with('/')) text += no_break_space;
    return text.append(name);
}

std::string number_json(double value, int digits) {
    if (!std::isfinite(value)) return "null";
    return with_digits(value == 0 ? 0 : value, std::chars_format::general, digits);
}

}  // namespace tool
