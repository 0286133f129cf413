// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/fault_reader.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace perdure {
inline namespace v0 {
namespace chaos {
namespace gateway {

namespace {

// Used by one thread, for one rule.
class FaultReader {
public:
    FaultReader(const std::string& name, const Json& value, std::string& problem)
        : name_{name}, value_{value}, problem_{problem} {}

    bool text(std::string_view name, std::string& into) const {
        if (name_ != name) return false;
        into = value_.text();
        return value_.is_string() || complain("a text");
    }
    template <class Number>
    bool number(std::string_view name, Number& into) const {
        if (name_ != name) return false;
        const auto count = count_of(value_);
        if (!count || !std::in_range<Number>(*count)) return complain("a number from 0 on");
        into = static_cast<Number>(*count);
        return true;
    }
    template <class Time>
    bool time(std::string_view name, Time& into) const {
        if (name_ != name) return false;
        const auto time = millis(value_);
        if (time) into = *time;
        return time || complain("milliseconds from 0 on");
    }
    template <class Enum, std::size_t n>
    bool word(std::string_view name, Enum& into,
              const std::array<std::string_view, n>& words) const {
        if (name_ != name) return false;
        std::string all;
        for (std::size_t i = 0; i < n; ++i) {
            if (value_.is_string() && value_.text() == words[i])
                return into = static_cast<Enum>(i), true;
            (all += i > 0 ? ", " : "") += words[i];
        }
        return complain(all);
    }
    bool complain(const std::string& wanted) const {
        problem_ = name_ + ": " + wanted;
        return true;
    }

private:
    const std::string& name_;
    const Json& value_;
    std::string& problem_;
};

using namespace std::string_view_literals;

bool read_words(const FaultReader& field, GatewayFault& fault) {
    return field.text("name", fault.name) || field.text("region", fault.region) ||
           field.text("method", fault.method) || field.text("path", fault.path) ||
           field.text("resource", fault.resource) || field.text("range", fault.range) ||
           field.word("kind", fault.kind, std::array{"any"sv, "read"sv, "write"sv}) ||
           field.number("from", fault.from) || field.number("to", fault.to) ||
           field.number("every", fault.every);
}

bool read_deed(const FaultReader& field, GatewayFault& fault) {
    return field.word("strikes", fault.strikes,
                      std::array{"before_applying"sv, "after_applying"sv}) ||
           field.word("ending", fault.ending,
                      std::array{"answer"sv, "reset"sv, "half_answer"sv, "silence"sv}) ||
           field.number("status", fault.status) || field.number("substatus", fault.substatus) ||
           field.word("body", fault.body, std::array{"json"sv, "html"sv, "empty"sv}) ||
           field.text("text", fault.text);
}

}  // namespace

// Comparisons that NaN fails as well.
std::optional<std::uint64_t> count_of(const Json& value) noexcept {
    constexpr double beyond = 18446744073709551616.0;  // 2^64
    const double number = value.is_number() ? value.as_double() : -1;
    if (!(number >= 0 && number < beyond)) return std::nullopt;
    return static_cast<std::uint64_t>(number);
}

std::optional<Duration> millis(const Json& value) noexcept {
    constexpr double longest = 1e12;  // 30 years; nanoseconds are counted in 63 bits
    const double number = value.is_number() ? value.as_double() : -1;
    if (!(number >= 0 && number <= longest)) return std::nullopt;
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::milli>{number});
}

std::optional<GatewayFault> read_fault(const Json& rule, std::string& problem) {
    GatewayFault fault;
    if (!rule.is_object()) problem = "a rule is an object";
    for (const auto& [name, value] : rule.members()) {
        const FaultReader field{name, value, problem};
        if (read_words(field, fault) || read_deed(field, fault)) continue;
        if (field.time("delay_ms", fault.delay) || field.time("retry_after_ms", fault.retry_after))
            continue;
        if (name == "headers")
            for (const auto& [header, text] : value.members())
                fault.headers.emplace_back(header, text.text());
        else field.complain("there is no such field");
    }
    if (!problem.empty()) return std::nullopt;
    return fault;
}

}  // namespace gateway
}  // namespace chaos
}  // namespace v0
}  // namespace perdure
