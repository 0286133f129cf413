// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <utility>

#include "tune/latency_fields.hpp"
#include "tune/latency_value.hpp"

namespace tool {

namespace {

// Takes the next field off the front of `rest`, of which nothing is left, not even a place in the
// line, after the last one. False if a quote is not closed. A quoted field that holds quotes is put
// together in `scratch`.
bool next_field(std::string_view& rest, char delimiter, std::string_view& field,
                std::string& scratch) {
    std::string_view text = rest;
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (!text.starts_with('"')) {
        const std::size_t end = rest.find(delimiter);
        field = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
        return true;
    }
    text.remove_prefix(1);
    std::size_t end = text.find('"');
    const bool doubled =
        end + 1 < text.size() && end != std::string_view::npos && text[end + 1] == '"';
    scratch.clear();
    while (end + 1 < text.size() && end != std::string_view::npos && text[end + 1] == '"') {
        scratch += text.substr(0, end + 1);
        text.remove_prefix(end + 2);
        end = text.find('"');
    }
    if (end == std::string_view::npos) return false;
    if (doubled) scratch += text.substr(0, end);
    field = doubled ? std::string_view{scratch} : text.substr(0, end);
    text.remove_prefix(end + 1);
    const std::size_t next = text.find(delimiter);
    rest = next == std::string_view::npos ? std::string_view{} : text.substr(next + 1);
    return true;
}

std::vector<std::string> fields_in(std::string_view line, char delimiter) {
    std::vector<std::string> fields;
    std::string scratch;
    std::string_view field;
    for (std::string_view rest = line; rest.data() != nullptr;) {
        if (!next_field(rest, delimiter, field, scratch)) break;
        fields.emplace_back(trimmed(field));
    }
    return fields;
}

// The one that splits the first line most often.
char delimiter_of(std::string_view line) {
    char best = ',';
    std::size_t most = 1;
    for (const char candidate : {',', ';', '\t', '|'})
        if (const std::size_t count = fields_in(line, candidate).size(); count > most) {
            best = candidate;
            most = count;
        }
    return best;
}

// A latency with a unit, or a bare number.
bool is_value(std::string_view text) { return read_latency(text, 1ms).wrong == nullptr; }

class CsvFields final : public FieldPicker {
public:
    CsvFields(char delimiter, std::array<std::size_t, roles> columns)
        : delimiter_{delimiter}, columns_{columns}, last_{*std::ranges::max_element(columns)} {}

    const char* pick(std::string_view line, Fields& into) override {
        into = {};
        std::string_view rest = line, field;
        for (std::size_t column = 1; column <= last_; ++column) {
            if (rest.data() == nullptr) return "the line has too few fields";
            if (!next_field(rest, delimiter_, field, scratch_[column % 2]))
                return "a quote is not closed on its line";
            for (std::size_t role = 0; role < roles; ++role)
                if (columns_[role] == column) into[role] = keep(field, role, column);
        }
        return nullptr;
    }

private:
    // Scratch text would be gone by the field after next.
    std::string_view keep(std::string_view field, std::size_t role, std::size_t column) {
        if (field.data() != scratch_[column % 2].data() || field.empty()) return field;
        return kept_[role] = field;
    }

    char delimiter_;
    std::array<std::size_t, roles> columns_;  // from 1; 0: not asked for
    std::size_t last_;
    std::array<std::string, 2> scratch_;
    std::array<std::string, roles> kept_;
};

// By name, else by number; 0: neither.
std::size_t column_of(const std::string& wanted, const std::vector<std::string>& names) {
    const auto found = std::ranges::find(names, wanted);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin()) + 1;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    const bool whole = error == std::errc{} && end == wanted.data() + wanted.size();
    return whole && number <= names.size() ? number : 0;
}

Result<std::size_t> latency_column(const std::vector<std::string>& first) {
    if (first.size() == 1) return std::size_t{1};
    const auto found = std::ranges::find_if(first, looks_like_latency);
    if (found != first.end()) return static_cast<std::size_t>(found - first.begin()) + 1;
    return fail(
        {.cause = Cause::invalid,
         .origin = Origin::application,
         .message = "which column is the latency? Choose with --column, by name or number: " +
                    listed(first)});
}

}  // namespace

Result<std::unique_ptr<FieldPicker>> csv_fields(std::string_view first_line,
                                                const FieldNames& names) {
    const char delimiter = delimiter_of(trimmed(first_line));
    const std::vector<std::string> first = fields_in(first_line, delimiter);
    std::array<std::size_t, roles> columns{};
    for (std::size_t role = 0; role < roles; ++role) {
        if (names[role].empty()) continue;
        columns[role] = column_of(names[role], first);
        if (columns[role] == 0) return no_such_field(names[role], first);
    }
    if (columns[latency_role] == 0) {
        const auto found = latency_column(first);
        if (!found) return fail(found.error());
        columns[latency_role] = *found;
    }
    auto fields = std::make_unique<CsvFields>(delimiter, columns);
    const std::string& head = first[columns[latency_role] - 1];
    fields->names_first = !is_value(head);
    fields->format = first.size() == 1 ? "one number per line" : "CSV";
    if (fields->names_first) {
        fields->latency_name = printable(head);
        fields->unit = unit_in_name(head);
        const auto time = std::ranges::find_if(first, looks_like_time);
        if (columns[time_role] == 0 && time != first.end()) fields->time_seen = printable(*time);
    }
    return std::unique_ptr<FieldPicker>{std::move(fields)};
}

}  // namespace tool
