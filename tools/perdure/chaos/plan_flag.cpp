// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <string>

#include "chaos/plan_file.hpp"
#include "sim/scenario_file_reader.hpp"
#include "text/duration_text.hpp"

namespace tool {

namespace {

using chaos::Fault;

Fail refused(std::string_view text, const std::string& why) {
    return fail({.cause = Cause::invalid,
                 .origin = Origin::application,
                 .message = "'" + std::string{text} + "' " + why});
}

template <class Number>
std::optional<Number> number_in(std::string_view word) {
    Number number{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size()) return {};
    return number;
}

bool take_chance(std::string_view word, chaos::Rule& rule) {
    if (!word.ends_with('%')) return false;
    const auto percent = number_in<double>(word.substr(0, word.size() - 1));
    if (!percent || !(*percent >= 0 && *percent <= 100)) return false;
    rule.match.probability = *percent / 100;
    return true;
}

bool take_number(std::string_view word, chaos::Rule& rule) {
    const auto number = number_in<unsigned>(word);
    if (!number) return false;
    const bool answers = rule.fault == Fault::inject || rule.fault == Fault::replace_reply;
    if (answers && *number <= 999) rule.status = static_cast<int>(*number);
    else if (rule.fault == Fault::drip || rule.fault == Fault::close_after) rule.bytes = *number;
    else return false;
    return true;
}

bool take_duration(std::string_view word, chaos::Rule& rule) {
    const auto duration = parse_duration(word);
    if (!duration) return false;
    if (rule.fault == Fault::delay || rule.fault == Fault::drip) rule.delay = *duration;
    else if (rule.fault == Fault::refuse) rule.closed_for = *duration;
    else return false;
    return true;
}

bool take_marker(std::string_view word, chaos::Rule& rule) {
    if (rule.fault != Fault::cut_at_marker) return false;
    if (word == "before") rule.when = chaos::When::before;
    else if (word == "after") rule.when = chaos::When::after;
    else if (rule.marker.empty()) rule.marker = word;
    else return false;
    return true;
}

// What each fault takes; rules of more words than this stand in a file.
const char* usage_of(Fault fault) {
    switch (fault) {
        case Fault::delay: return "write delay:200ms, or delay:200ms:10%";
        case Fault::drip: return "write drip:1:1s: bytes in one piece, and the time between two";
        case Fault::refuse: return "write refuse, refuse:10%, or refuse:2s to close the door";
        case Fault::close_after: return "write close-after:100, or close-after:100:10%";
        case Fault::inject: return "write inject:503, or inject:429:10%";
        case Fault::replace_reply: return "write replace-reply:500, or replace-reply:500:10%";
        case Fault::cut_at_marker: return "write cut-at-marker:COMMIT:after, or …:before";
        case Fault::rewrite: return "needs a plan file: --plan FILE";
        default: return "takes only how often: 5%";
    }
}

}  // namespace

Result<chaos::Rule> rule_from_flag(std::string_view text) {
    const std::string_view name = text.substr(0, text.find(':'));
    const auto fault = chaos::fault_named(name);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < chaos::fault_count; ++i)
        names.emplace_back(to_string(static_cast<Fault>(i)));
    if (!fault)
        return refused(name, "is no fault; there are " + any_of(names) + did_you_mean(name, names));
    chaos::Rule rule{.fault = *fault};
    if (*fault == Fault::rewrite) return refused(text, usage_of(*fault));
    for (std::size_t at = name.size(); at < text.size();) {
        const std::size_t end = std::min(text.find(':', at + 1), text.size());
        const std::string_view word = text.substr(at + 1, end - at - 1);
        const bool taken = !word.empty() && (take_chance(word, rule) || take_number(word, rule) ||
                                             take_duration(word, rule) || take_marker(word, rule));
        if (!taken) return refused(text, usage_of(*fault));
        at = end;
    }
    // Either protocol: whether the rule fits the plan's is asked later.
    if (const auto problems = validate(rule, chaos::Protocol::http); !problems.empty())
        return refused(text, usage_of(*fault));
    return rule;
}

}  // namespace tool
