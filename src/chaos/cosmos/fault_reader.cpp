// SPDX-License-Identifier: Apache-2.0
#include "chaos/cosmos/fault_reader.hpp"

#include <array>
#include <string_view>

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
        into = static_cast<Number>(value_.as_double());
        return value_.is_number() || complain("a number");
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
           field.text("resource", fault.resource) ||
           field.word("kind", fault.kind, std::array{"any"sv, "read"sv, "write"sv}) ||
           field.number("from", fault.from) || field.number("to", fault.to);
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

Duration millis(const Json& number) noexcept {
    return std::chrono::duration_cast<Duration>(
        std::chrono::duration<double, std::milli>{number.as_double()});
}

std::optional<GatewayFault> read_fault(const Json& rule, std::string& problem) {
    GatewayFault fault;
    for (const auto& [name, value] : rule.members()) {
        const FaultReader field{name, value, problem};
        if (read_words(field, fault) || read_deed(field, fault)) continue;
        if (name == "delay_ms") fault.delay = millis(value);
        else if (name == "retry_after_ms") fault.retry_after = millis(value);
        else if (name == "headers")
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
