// SPDX-License-Identifier: Apache-2.0
//
// Where in a line of somebody's file do the latency, the time and the outcome stand? CSV with or
// without names, one number per line, or one JSON object per line.
//
//     auto lines = fields_of(first_line, names);        // looks at the first line, once
//     (*lines)->pick(line, fields);                     // then the same for every line
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/duration.hpp"
#include "perdure/result.hpp"

namespace tool {

using namespace perdure;

enum Role : unsigned char { latency_role, time_role, outcome_role, filter_role };
inline constexpr std::size_t roles = 4;

// Names or, in CSV, numbers from 1. Empty: not asked for; the latency is then looked for.
using FieldNames = std::array<std::string, roles>;
using Fields = std::array<std::string_view, roles>;  // into the line; empty where not asked for

// Used by one thread.
class FieldPicker {
public:
    FieldPicker() = default;
    FieldPicker(const FieldPicker&) = delete;
    FieldPicker& operator=(const FieldPicker&) = delete;
    virtual ~FieldPicker() = default;

    // What is wrong with the line, or nullptr. The fields live until the next call.
    virtual const char* pick(std::string_view line, Fields& into) = 0;

    std::string format{};            // in words
    std::string latency_name{};      // as the file calls it; empty: it has no names
    std::optional<Duration> unit{};  // as that name tells it
    std::string time_seen{};         // a column that looks like a time and was not asked for
    bool names_first = false;        // the first line holds names and no sample
};

// A failure says which names there are to choose from.
Result<std::unique_ptr<FieldPicker>> fields_of(std::string_view first_line,
                                               const FieldNames& names);

// --- for the two kinds ---

Result<std::unique_ptr<FieldPicker>> csv_fields(std::string_view first_line,
                                                const FieldNames& names);
Result<std::unique_ptr<FieldPicker>> json_fields(std::string_view first_line,
                                                 const FieldNames& names);

bool looks_like_latency(std::string_view name);
bool looks_like_time(std::string_view name);
// What a file says, fit for a terminal: other bytes than text as \xNN, and not too long.
std::string printable(std::string_view text);
// "a, b, c", printable, the first dozen.
std::string listed(const std::vector<std::string>& names);
Fail no_such_field(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace tool
