// SPDX-License-Identifier: Apache-2.0
#include "orders.hpp"

#include <simdjson.h>

#include <array>
#include <fstream>
#include <string_view>

#include "failures.hpp"
#include "perdure/time/random.hpp"
#include "perdure/try.hpp"
#include "text/calendar.hpp"
#include "text/json_text.hpp"

namespace demo {

namespace {

constexpr std::array<std::string_view, 12> given{"Ada",   "Grace", "Zoë",   "Łukasz",
                                                 "Søren", "Mei",   "Priya", "Omar",
                                                 "Renée", "Иван",  "惠子",  "José"};
constexpr std::array<std::string_view, 10> family{
    "Lovelace", "Hopper", "Müller", "Nowak", "Ångström", "Li", "Rao", "Haddad", "Петров", "García"};
constexpr std::array<std::string_view, 8> items{
    "teapot, blue",     "bicycle pump", "atlas (2nd ed.)", "umbrella",
    "café crème 250 g", "9\" skillet",  "chess set",       "socks, 3 pairs"};
constexpr std::array<std::string_view, 8> notes{"",
                                                "ring twice 🔔",
                                                "bitte beim Nachbarn abgeben",
                                                "子供へのプレゼントです",
                                                "gift wrap, \"no price\" please",
                                                "first line\nsecond line",
                                                "Ça va, merci",
                                                "доставить после 18:00"};

class Shop {
public:
    explicit Shop(std::uint64_t seed) noexcept : dice_{seed} {}

    Order next(std::int64_t id) {
        clock_ += std::chrono::milliseconds{200 + below(4000)};
        return {.id = id,
                .customer = std::string{pick(given)} + ' ' + std::string{pick(family)},
                .item = std::string{pick(items)},
                .cents = 99 + below(50'000),
                .note = std::string{pick(notes)},
                .placed_at = tool::in_utc(clock_)};
    }
    std::int64_t below(std::int64_t limit) {
        return static_cast<std::int64_t>(dice_.next() * static_cast<double>(limit));
    }

private:
    template <class List>
    std::string_view pick(const List& list) {
        return list[static_cast<std::size_t>(below(std::ssize(list)))];
    }

    SeededRandom dice_;
    WallTime clock_{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1}};
};

std::string line_of(const Order& order) {
    tool::JsonLine line;
    line.number("id", order.id)
        .text("customer", order.customer)
        .text("item", order.item)
        .number("cents", order.cents)
        .text("note", order.note)
        .text("placed_at", order.placed_at);
    return std::move(line).end();
}

void replace(std::string& text, std::string_view from, std::string_view to) {
    if (const auto at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
}

// What exports really do to files: stop in the middle, mix encodings, write words for numbers.
std::string broken_line(const Order& order, std::size_t kind) {
    std::string line = line_of(order);
    if (kind == 0) return line.substr(0, line.find("\"note\"")) + '\n';
    if (kind == 1) replace(line, "\"note\":\"", "\"note\":\"caf\xe9 ");
    else replace(line, "\"cents\":", "\"cents\":\"many\",\"was\":");
    if (kind == 2)
        line = line.substr(0, line.find(",\"was\"")) + line.substr(line.find(",\"note\""));
    return line;
}

}  // namespace

Result<Source> write_orders(const std::string& path, std::uint64_t orders, std::uint64_t seed) {
    constexpr std::uint64_t broken = 3;
    Shop shop{seed};
    Source source{.path = path, .orders = orders};
    const std::uint64_t lines = orders + broken;
    for (std::uint64_t i = 0; i < broken; ++i)
        source.broken_lines.push_back(lines * (2 * i + 1) / (2 * broken) +
                                      static_cast<std::uint64_t>(shop.below(100)));
    std::ofstream file{path, std::ios::binary};
    std::size_t kind = 0;
    for (std::uint64_t line = 1; line <= lines; ++line) {
        const Order order = shop.next(static_cast<std::int64_t>(line));
        const bool good = kind >= broken || line != source.broken_lines[kind];
        const std::string text = good ? line_of(order) : broken_line(order, kind++);
        file << text;
        source.bytes += text.size();
    }
    file.close();
    if (!file) return fail(trouble("cannot write " + path));
    return source;
}

Result<Order> parse_order(const std::string& line) {
    thread_local simdjson::dom::parser parser;
    simdjson::dom::object fields;
    if (const auto error = parser.parse(line).get_object().get(fields))
        return fail(trouble(simdjson::error_message(error)));
    Order order;
    const auto text = [&](const char* name, std::string& into) {
        std::string_view value;
        const auto error = fields[name].get_string().get(value);
        into = value;
        return error == simdjson::SUCCESS;
    };
    const auto number = [&](const char* name, std::int64_t& into) {
        return fields[name].get_int64().get(into) == simdjson::SUCCESS;
    };
    const bool good = number("id", order.id) && text("customer", order.customer) &&
                      text("item", order.item) && number("cents", order.cents) &&
                      text("note", order.note) && text("placed_at", order.placed_at);
    if (!good) return fail(trouble("a field is missing or has another type"));
    return order;
}

}  // namespace demo
