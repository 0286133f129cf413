// SPDX-License-Identifier: Apache-2.0
#include "doctor/journal_line.hpp"

#include <cmath>
#include <stdexcept>

#include <simdjson.h>

namespace tool::doctor {

namespace {

namespace json = simdjson::ondemand;

static_assert(LineReader::padding >= simdjson::SIMDJSON_PADDING);

// Ends the reading of one line; never leaves this file.
struct Wrong : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::string_view text(json::value value) { return value.get_string(); }

// Not below zero. Writers differ in whether a count is written 3 or 3.0.
double number(json::value value) {
    const double found = json::number(value.get_number()).as_double();
    if (found < 0) throw Wrong{"a number below zero"};
    return found;
}

std::uint64_t count(json::value value) {
    const json::number found = value.get_number();
    if (found.is_int64()) {
        if (found.get_int64() < 0) throw Wrong{"a number below zero"};
        return static_cast<std::uint64_t>(found.get_int64());
    }
    if (found.is_uint64()) throw Wrong{"a number out of range"};
    const double near = std::round(found.get_double());
    if (near < 0 || near > 9e18) throw Wrong{"a number out of range"};
    return static_cast<std::uint64_t>(near);
}

std::int64_t nanoseconds(json::value value) { return static_cast<std::int64_t>(count(value)); }

template <class Enum>
Enum word(json::value value, int words, const char* what) {
    const std::string_view found = text(value);
    for (int i = 0; i < words; ++i)
        if (to_string(static_cast<Enum>(i)) == found) return static_cast<Enum>(i);
    throw Wrong{std::string{"an unknown "} + what};
}

constexpr int stop_count = static_cast<int>(Stop::cancelled) + 1;

void read_phases(json::object object, AttemptLine& into) {
    into.phased = true;
    for (auto field : object) {
        const std::string_view name = field.unescaped_key();
        if (name == "reached") {
            into.reached = word<Phase>(field.value(), phase_count, "phase");
        } else if (name.ends_with("_ns")) {
            for (int i = 0; i < phase_count; ++i)
                if (to_string(static_cast<Phase>(i)) == name.substr(0, name.size() - 3))
                    into.phases[static_cast<std::size_t>(i)] = nanoseconds(field.value());
        }
    }
}

void read_attempt_field(std::string_view name, json::value value, AttemptLine& into) {
    if (name == "hedge") into.hedge = value.get_bool();
    else if (name == "took_ns") into.took = nanoseconds(value);
    else if (name == "waited_before_ns") into.waited = nanoseconds(value);
    else if (name == "overslept_ns") into.overslept = nanoseconds(value);
    else if (name == "overran_ns") into.overran = nanoseconds(value);
    else if (name == "server.address") into.address = text(value);
    else if (name == "phases") read_phases(value.get_object(), into);
    else if (name == "succeeded") into.succeeded = value.get_bool();
    else if (name == "cut_off") into.cut_off = value.get_bool();
    else if (name == "cause") into.cause = word<Cause>(value, cause_count, "cause");
    else if (name == "status") into.status = static_cast<int>(count(value) % 100'000);
    else if (name == "code") into.code = text(value);
    else if (name == "request_id") into.request_id = text(value);
    else if (name == "remedies") into.remedied = true;
}

void read_attempts(json::array list, std::vector<AttemptLine>& into) {
    for (auto element : list) {
        AttemptLine& attempt = into.emplace_back();
        for (auto field : json::object(element.get_object()))
            read_attempt_field(field.unescaped_key(), field.value(), attempt);
    }
}

void read_call_field(std::string_view name, json::value value, CallLine& into) {
    if (name == "peer.service") into.dependency = text(value);
    else if (name == "operation") into.operation = text(value);
    else if (name == "weight") into.weight = count(value);
    else if (name == "elapsed_ns") into.elapsed = nanoseconds(value);
    else if (name == "cpu_ns") into.cpu = nanoseconds(value);
    else if (name == "succeeded") into.succeeded = value.get_bool();
    else if (name == "stop") into.stop = word<Stop>(value, stop_count, "stop");
    else if (name == "attempts_made") into.attempts_made = count(value);
    else if (name == "attempts_left_out") into.attempts_left_out = count(value);
    else if (name == "times_asked") into.times_asked = count(value);
    else if (name == "subject") into.subject = text(value);
    else if (name == "request_bytes") into.bytes = count(value);
    else if (name == "request_units") into.units = count(value);
    else if (name == "budget_left") into.budget_left = number(value);
    else if (name == "attempt_timeout_ns") into.attempt_timeout = nanoseconds(value);
    else if (name == "attempts") read_attempts(value.get_array(), into.attempts);
}

void read_process_field(std::string_view name, json::value value, ProcessLine& into) {
    if (name == "process.cpu.utilization") into.utilization = number(value);
    else if (name == "tick_late_ns") into.tick_late = nanoseconds(value);
    else if (name == "interval_ns") into.interval = nanoseconds(value);
    else if (name == "dropped_lines") into.dropped_lines = count(value);
}

LineKind kind_named(std::string_view name) {
    if (name == "call") return LineKind::call;
    if (name == "process") return LineKind::process;
    if (name == "journal") return LineKind::journal;
    throw Wrong{"no kind that is known: call, process or journal"};
}

void check(const CallLine& call) {
    if (call.began == 0) throw Wrong{"a call without time_unix_nano"};
    if (call.weight == 0 || call.weight > 1'000'000'000) throw Wrong{"a weight out of range"};
    if (call.attempts_made > 1'000'000) throw Wrong{"a number of attempts out of range"};
}

}  // namespace

struct LineReader::Parser {
    json::parser parser;

    LineKind read(std::string_view line, CallLine& call, ProcessLine& process) {
        json::document document = parser.iterate(
            simdjson::padded_string_view{line.data(), line.size(), line.size() + padding});
        json::object object = document.get_object();
        // Members come in any order, and the kind decides what the others mean.
        const LineKind kind = kind_named(object["kind"].get_string());
        object.reset();
        call.attempts.clear();
        call = CallLine{.attempts = std::move(call.attempts)};
        process = {};
        for (auto field : object) {
            const std::string_view name = field.unescaped_key();
            if (name == "time_unix_nano") call.began = process.time = nanoseconds(field.value());
            else if (name == "service.instance.id")
                call.instance = process.instance = text(field.value());
            else if (kind == LineKind::call) read_call_field(name, field.value(), call);
            else if (kind == LineKind::process) read_process_field(name, field.value(), process);
        }
        if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
            throw Wrong{"something behind the object"};
        if (kind == LineKind::call) check(call);
        if (kind == LineKind::process && process.time == 0)
            throw Wrong{"a process line without time_unix_nano"};
        return kind;
    }
};

LineReader::LineReader() : parser_{std::make_unique<Parser>()} {}
LineReader::~LineReader() = default;

LineKind LineReader::read(std::string_view line) {
    try {
        return parser_->read(line, call_, process_);
    } catch (const simdjson::simdjson_error& error) {
        // The parser's own messages are for programmers.
        wrong_ = error.error() == simdjson::NO_SUCH_FIELD ? "no journal line: it has no kind"
                 : error.error() == simdjson::INCORRECT_TYPE
                     ? "no journal line: a value has another type"
                     : "no journal line: not one JSON object";
    } catch (const Wrong& wrong) {
        wrong_ = wrong.what();
    }
    return LineKind::unreadable;
}

}  // namespace tool::doctor
