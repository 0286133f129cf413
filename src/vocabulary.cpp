// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "perdure/failure.hpp"
#include "perdure/safety.hpp"

namespace perdure {
inline namespace v0 {

std::string_view to_string(Cause cause) noexcept {
    static constexpr std::array<std::string_view, cause_count> names{
        "throttled", "overloaded", "unavailable", "timed_out",    "internal",   "exhausted",
        "corrupt",   "contended",  "stale_route", "wrong_region", "clock_skew", "credentials",
        "conflict",  "invalid",    "not_found",   "too_large",    "forbidden",  "cancelled"};
    return names.at(static_cast<std::size_t>(cause));
}

std::string_view to_string(Effect effect) noexcept {
    static constexpr std::array<std::string_view, 3> names{"none", "unknown", "applied"};
    return names.at(static_cast<std::size_t>(effect));
}

std::string_view to_string(Safety safety) noexcept {
    static constexpr std::array<std::string_view, 4> names{"once", "guarded", "idempotent", "read"};
    return names.at(static_cast<std::size_t>(safety));
}

std::string_view to_string(Stop stop) noexcept {
    static constexpr std::array<std::string_view, 10> names{
        "none",     "permanent", "unsafe",  "attempts", "window",
        "deadline", "budget",    "limited", "breaker",  "cancelled"};
    return names.at(static_cast<std::size_t>(stop));
}

std::string_view to_string(Origin origin) noexcept {
    static constexpr std::array<std::string_view, 3> names{"service", "network", "application"};
    return names.at(static_cast<std::size_t>(origin));
}

std::string to_string(RemedySet remedies) {
    struct Named {
        Remedy remedy;
        std::string_view name;
    };
    static constexpr std::array<Named, 9> all{{
        {Remedy::fresh_connection, "fresh_connection"},
        {Remedy::refresh_credentials, "refresh_credentials"},
        {Remedy::refresh_routing_item, "refresh_routing_item"},
        {Remedy::refresh_routing_partition, "refresh_routing_partition"},
        {Remedy::refresh_routing_account, "refresh_routing_account"},
        {Remedy::next_endpoint, "next_endpoint"},
        {Remedy::write_endpoint, "write_endpoint"},
        {Remedy::mark_endpoint, "mark_endpoint"},
        {Remedy::adjust_clock, "adjust_clock"},
    }};
    std::string text;
    for (const auto& [remedy, name] : all) {
        if (!remedies.has(remedy)) continue;
        if (!text.empty()) text += ", ";
        text += name;
    }
    return text;
}

namespace {

void append(std::string& line, std::string_view label, std::string_view value) {
    if (value.empty()) return;
    line += label;
    line += value;
}

}  // namespace

std::string to_string(const Failure& failure) {
    std::string line;
    append(line, "", failure.dependency);
    append(line, line.empty() ? "" : ": ", to_string(failure.cause));
    append(line, ", effect ", to_string(failure.effect));
    // Databases and HTTP have one number for both.
    if (failure.status != 0 && std::to_string(failure.status) != failure.code)
        line += ", status " + std::to_string(failure.status);
    append(line, ", code ", failure.code);
    append(line, ": ", failure.message);
    append(line, ", request ", failure.request_id);
    if (failure.stop != Stop::none) {
        append(line, "; gave up: ",
               failure.stop == Stop::budget ? "the retry budget was empty"
                                            : to_string(failure.stop));
        line += " after " + std::to_string(failure.attempts) +
                (failure.attempts == 1 ? " attempt" : " attempts");
        if (failure.first_cause != failure.cause)
            append(line, ", first ", to_string(failure.first_cause));
    }
    return line;
}

}  // namespace v0
}  // namespace perdure
